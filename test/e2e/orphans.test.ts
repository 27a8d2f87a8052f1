/** If the supervisor is killed, the other processes record what they have done and exit, the engine last. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { closeContext } from '../../core/process/context.ts'
import { canFindProcesses, findPart, goneWithin, killNow, listens } from '../crash/parts.ts'
import { eventually } from '../eventually.ts'
import { type SmtpSink, startSmtpSink } from '../peers/receivers.ts'
import { client } from '../peers/rest.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

/** How long the remote server takes to accept the mail. */
const answerMs = 700
const leaseMs = 5_000

describe('without a supervisor', () => {
  let data: string
  let remote: SmtpSink
  let service: Service
  /** The subjects of the messages that the remote has received; `takenAt` is when the first arrived. */
  const subjects: string[] = []
  let takenAt = 0

  before(async function () {
    if (!canFindProcesses) this.skip()
    data = await mkdtemp(path.join(tmpdir(), 'mailroom-orphans-'))
    remote = await startSmtpSink({
      onData(stream, _session, done) {
        void text(stream).then((raw) => {
          subjects.push(/^Subject: (.*?)\r$/m.exec(raw)?.[1] ?? '')
          takenAt ||= Date.now()
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
        MAILROOM_OUTBOUND_LEASE_SECONDS: String(leaseMs / 1_000),
      },
    })

  const sendTo = ({ address, key }: Tenant, subject: string) =>
    client(service.http, key)<{ id: string }>('POST', `/api/v1/mailboxes/${address}/send`, {
      to: 'x@remote.test',
      subject,
      text: 'x',
    })

  it('the outcome of a delivery in progress is recorded, so that the message is not sent twice', async () => {
    const ctx = await contextOf(service)
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'orphans' })
    await closeContext(ctx)
    const send = await sendTo(tenant, 'once')
    await eventually('the remote has the mail', () => subjects.length === 1)
    killNow(findPart(data, 'supervisor') ?? 0)
    await eventually('the doors are closed', async () => !(await listens(service.http)))
    expect(findPart(data, 'engine'), 'who still writes down what was in flight').to.not.equal(null)
    // The old service may still be exiting: the new one waits for the data folder.
    const first = service
    service = await start()
    expect(first.logs() + service.logs()).not.to.match(/could not be started/)
    const { body } = await client(service.http, tenant.key)<{ status: string }>(
      'GET',
      `/api/v1/delivery-status?id=${send.body.id}`,
    )
    expect(body.status).to.equal('delivered')
    // If the outcome was not recorded, the message is due again when its lease ends, and goes out before one sent after that.
    await sleep(Math.max(0, takenAt + leaseMs + 1_000 - Date.now()))
    await sendTo(tenant, 'after the lease')
    await eventually('the remote has the next mail', () => subjects.includes('after the lease'))
    expect(subjects).to.deep.equal(['once', 'after the lease'])
  })

  it('every process exits', async () => {
    killNow(findPart(data, 'supervisor') ?? 0)
    expect(await goneWithin(data, 60_000)).to.deep.equal([])
  })
})
