/** Tests the service's answers while its database cannot write, and its recovery afterwards. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type Context, closeContext } from '../../core/process/context.ts'
import { canFindProcesses, findPart, nextPart } from '../crash/parts.ts'
import { eventually } from '../eventually.ts'
import { ImapClient } from '../peers/imap-client.ts'
import { client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

const MiB = 1024 * 1024
const fileBytesMax = 24 * MiB

describe('a database that cannot write', () => {
  let service: Service
  let ctx: Context
  let tenant: Tenant
  let call: ReturnType<typeof client>

  before(async () => {
    service = await startService({
      env: { ENGINE_FILE_BYTES_MAX: String(fileBytesMax), MAILROOM_IMAP_PORT: '0' },
      only: 'api,jobs,smtp,imap',
    })
    ctx = await contextOf(service)
    tenant = await makeTenant({ ctx, http: service.http }, { name: 'disk' })
    call = client(service.http, tenant.key)
  })
  after(async () => {
    if (ctx !== undefined) await closeContext(ctx)
    await service?.dispose()
  })

  /** Sends a message of the given size. Returns the reply, whether it accepts or refuses. */
  async function deliver(subject: string, bytes: number): Promise<string> {
    const raw = Buffer.from(
      `From: a@example.org\r\nTo: ${tenant.address}\r\nSubject: ${subject}\r\n\r\n${noise(bytes)}\r\n`,
    )
    const sent = sendMail(service.smtp, { from: 'a@example.org', to: tenant.address, raw })
    return sent
      .then(({ response }) => response)
      .catch((error: { readonly response?: string }) => String(error.response))
  }
  const subjects = async () => {
    const { status, body } = await call<{ messages: { subject: string }[] }>(
      'GET',
      `${mailboxPath(tenant.address)}/messages`,
    )
    expect(status).to.equal(200)
    return body.messages.map(({ subject }) => subject)
  }

  it('a full disk: 4xx over SMTP, 503 over HTTP, NO over IMAP; reading still works, and everything works once there is room', async () => {
    expect(await deliver('before', 1_000)).to.match(/^250 /)
    const { client: program } = await ImapClient.connect(Number(service.imap!.split(':').at(-1)))
    expect((await program.ask(`LOGIN ${tenant.address} ${tenant.key}`)).end).to.match(/^OK /)
    const append = async () => {
      const text = `Subject: appended\r\n\r\n${noise(60_000)}\r\n`
      return (await program.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)).end
    }
    const ballast = ctx.store.db.collection('ballast')
    for (const size of [MiB, 100_000, 8_000, 100]) {
      const full = await (async () => {
        for (let n = 0; n < 100_000; n++) await ballast.insertOne({ d: Buffer.alloc(size) })
      })().catch((error: { readonly code?: number }) => error.code)
      expect(full).to.equal(14031)
    }
    expect(await deliver('while it is full', 60_000)).to.match(/^4\d\d /)
    const refused = await call<ErrorBody>('POST', `${mailboxPath(tenant.address)}/drafts`, {
      text: noise(100_000),
    })
    expect(refused.status).to.equal(503)
    expect(refused.body.code).to.equal('unavailable')
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0)
    expect(await append()).to.match(/^NO \[UNAVAILABLE\] /)
    expect(await subjects()).to.deep.equal(['before'])
    await ballast.drop()
    expect(await deliver('after', 60_000)).to.match(/^250 /)
    await eventually('both are there', async () => (await subjects()).length === 2)
    expect(await subjects()).to.deep.equal(['after', 'before'])
    expect(await append()).to.match(/^OK /)
    program.close()
  })

  it('after an I/O error the engine exits and is restarted, and everything acknowledged is still there', async function () {
    if (!canFindProcesses) this.skip()
    const engine = findPart(service.data, 'engine')!
    const known = await subjects()
    execFileSync('prlimit', ['--pid', String(engine), '--fsize=1'])
    const reply = await deliver('into the error', 60_000)
    await nextPart(service.data, 'engine', engine, 10_000)
    const later = await eventually('mail is taken again', async () => {
      const response = await deliver('after the error', 1_000)
      return response.startsWith('250 ') && response
    })
    expect(reply).to.match(/^(4\d\d|250) /)
    expect(later).to.match(/^250 /)
    const now = await subjects()
    expect(now).to.include.members([...known, 'after the error'])
    if (reply.startsWith('250')) expect(now).to.include('into the error')
  })
})

/** Returns lines that hardly compress. */
function noise(bytes: number): string {
  return randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64')
    .replaceAll(/.{70}/g, '$&\r\n')
}
