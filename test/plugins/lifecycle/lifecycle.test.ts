import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { keepHalfOpen } from '../../peers/half-open.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Service, startHaraka, startService, stopHaraka } from '../../start/haraka.ts'

describe('the Haraka process', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  const again = () => startHaraka(service.ctx.settings)

  it('stops on a message: idle sessions get 421, a transaction is finished, and the exit status is 0', async () => {
    const { smtp, haraka } = await again()
    const idle = await SmtpClient.hello(smtp)
    const busy = await SmtpClient.hello(smtp)
    await busy.data([service.address])
    const stopped = stopHaraka(haraka)
    expect((await idle.reply()).text).to.match(/^421 4\.3\.2 /)
    busy.write('Subject: last one\r\n\r\nin time\r\n.\r\n')
    expect((await busy.reply()).code).to.equal(250)
    expect((await busy.reply()).code).to.equal(421)
    expect(await stopped).to.equal(0)
    const stored = (await service.messages()).map(String)
    expect(stored).to.include('Subject: last one\r\n\r\nin time\r\n')
  })

  it('refuses new connections as soon as it stops', async () => {
    const { smtp, haraka } = await again()
    const busy = await SmtpClient.hello(smtp)
    await busy.data([service.address])
    const stopped = stopHaraka(haraka)
    const other = await SmtpClient.connect(smtp)
    expect([0, 421]).to.include((await other.reply()).code)
    busy.write('.\r\n')
    await stopped
  })

  for (const [line, code] of [
    ['QUIT', 221],
    ['PROXY TCP4 192.0.2.1 192.0.2.25 40000 25', 421],
  ] as const)
    it(`closes a connection that is over after ${code}, also of a client that keeps its half open`, async () => {
      const { heard, code: failure } = await keepHalfOpen(service.smtp, `${line}\r\n`)
      expect(heard).to.match(new RegExp(`\r\n${code} .*\r\n$`))
      expect(failure).to.be.oneOf(['EPIPE', 'ECONNRESET'])
    })

  it('ends when its supervisor is gone', async () => {
    const { haraka } = await again()
    const ended = once(haraka, 'exit')
    haraka.disconnect()
    expect((await ended)[0]).to.equal(0)
  })

  it('does not send again what an earlier run left in its queue folder', async () => {
    const queue = join(service.ctx.settings.data, 'haraka', 'queue')
    await mkdir(queue, { recursive: true })
    await writeFile(join(queue, '1700000000000_1700000000000_0_1_abcdef_1_host'), 'left over')
    const { haraka } = await again()
    expect(await readdir(queue)).to.deep.equal([])
    await stopHaraka(haraka)
  })
})
