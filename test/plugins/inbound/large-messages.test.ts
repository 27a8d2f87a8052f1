import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { listMessages } from '../../../core/read/list.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { mainThreadMs } from '../../processor-time.ts'
import { type Service, startService } from '../../start/haraka.ts'

/** The longest time that another connection waits for Haraka's thread, in 99 of 100 cases. */
const waitMsMax = 400

describe('plugins: large messages', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(async () => service?.stop())

  it('are parsed where no other connection waits for it', async function () {
    const line = `${Buffer.alloc(57, 7).toString('base64')}\r\n`
    const html = '<p style="color:#333">Some words <a href="https://x.example/">and more</a></p>\r\n'.repeat(8_000)
    const raw =
      `Subject: large\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: text/html\r\n\r\n${html}--a\r\n` +
      `Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${line.repeat(240_000)}--a--\r\n`
    const other = await SmtpClient.hello(service.smtp)
    const waits: number[] = []
    const haraka = service.haraka.pid!
    let sending = true
    const asking = (async () => {
      while (sending) {
        const before = mainThreadMs(haraka)
        expect((await other.say('NOOP')).code).to.equal(250)
        waits.push(mainThreadMs(haraka) - before)
        await sleep(2)
      }
    })()
    for (let n = 0; n < 3; n++) {
      const client = await SmtpClient.hello(service.smtp)
      const heard = await client.send([service.address], raw, { from: `n${n}@elsewhere.test` })
      expect(heard.text).to.match(/accepted/)
      await client.say('QUIT')
    }
    sending = false
    await asking
    await other.say('QUIT')
    waits.sort((a, b) => a - b)
    const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] ?? 0
    const title = `: p50 ${at(0.5).toFixed(1)}, p99 ${at(0.99).toFixed(0)}, at most ${at(1).toFixed(0)} ms`
    if (this.test) this.test.title += title
    expect(at(0.99), title).to.be.below(waitMsMax)
    const { ctx, principal, address } = service
    const { items } = await listMessages(ctx, principal, { address, limit: 10 })
    expect(items).to.have.length(3)
    for (const { attachments, snippet } of items) {
      expect(attachments.map(({ sizeBytes }) => sizeBytes)).to.deep.equal([240_000 * 57])
      expect(snippet).to.match(/^Some words and more/)
    }
  })
})
