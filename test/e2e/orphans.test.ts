/** What the parts still do when their supervisor was killed: write down what they did, and leave, the engine last. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { closeContext } from '../../core/process/context.ts'
import { canFindProcesses, findPart, goneWithin, killNow, listens } from '../crash/parts.ts'
import { eventually } from '../eventually.ts'
import { type SmtpSink, startSmtpSink } from '../peers/receivers.ts'
import { client } from '../peers/rest.ts'
import { makeTenant } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

/** How long the remote takes to say that it has the mail. */
const answerMs = 700

describe('without a supervisor', () => {
  let data: string
  let remote: SmtpSink
  let service: Service
  let taken = 0

  before(async function () {
    if (!canFindProcesses) this.skip()
    data = await mkdtemp(path.join(tmpdir(), 'mailroom-orphans-'))
    remote = await startSmtpSink({
      onData(stream, _session, done) {
        stream.resume()
        stream.on('end', () => {
          taken += 1
          setTimeout(done, answerMs)
        })
      },
    })
    service = await start()
  })
  after(async () => {
    await service?.dispose()
    await remote?.close()
    await rm(data, { recursive: true, force: true })
  })

  const start = () =>
    startService({
      data,
      env: {
        MAILROOM_OUTBOUND_ROUTES: `{"remote.test": "127.0.0.1:${remote.port}"}`,
        MAILROOM_OUTBOUND_LEASE_SECONDS: '5',
      },
    })

  it('an outcome in flight is recorded, so that the mail does not go out twice', async () => {
    const ctx = await contextOf(service)
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'orphans' })
    await closeContext(ctx)
    const send = await client(service.http, tenant.key)<{ id: string }>(
      'POST',
      `/api/v1/mailboxes/${tenant.address}/send`,
      { to: 'x@remote.test', subject: 'once', text: 'x' },
    )
    await eventually('the remote has the mail', async () => taken === 1)
    killNow(findPart(data, 'supervisor') ?? 0)
    await eventually('the doors are closed', async () => !(await listens(service.http)), 1_000)
    // The old one may still be leaving: the new one waits for the data folder.
    const first = service
    service = await start()
    expect(first.logs() + service.logs()).not.to.match(/could not be started/)
    const { body } = await client(service.http, tenant.key)<{ status: string }>(
      'GET',
      `/api/v1/delivery-status?id=${send.body.id}`,
    )
    expect(body.status).to.equal('delivered')
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect(taken).to.equal(1)
  })

  it('everybody leaves within a few seconds', async () => {
    killNow(findPart(data, 'supervisor') ?? 0)
    expect(await goneWithin(data, 5_000)).to.deep.equal([])
  })
})
