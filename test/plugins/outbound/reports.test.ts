import { expect } from 'chai'
import { sendMessage } from '../../../core/send/send.ts'
import { findEmail } from '../../../store/emails.ts'
import { eventually } from '../../eventually.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Sink, startSink } from '../../peers/smtp-server.ts'
import { type Service, startService } from '../../start/haraka.ts'

describe('reports about mail we sent', () => {
  let service: Service
  let sink: Sink

  before(async () => {
    sink = await startSink(() => null)
    service = await startService({ outbound: { routes: { '*': sink.route } } })
  })
  after(async () => {
    await service?.stop()
    await sink?.close()
  })

  /** Sends to a recipient. Returns the id of the send and its return path. */
  async function sent(to: string): Promise<{ id: string; returnPath: string }> {
    const { ctx, principal, address } = service
    const { id } = await sendMessage(ctx, principal, {
      address,
      to: [{ name: '', address: to }],
      subject: 'Hi',
      text: 'Hi',
    })
    await status(id, 'delivered')
    return { id, returnPath: sink.received.find((mail) => mail.to === to)?.from ?? '' }
  }

  function status(id: string, wanted: string) {
    const { ctx, principal } = service
    return eventually(`${id} is ${wanted}`, async () => {
      const recipient = (await findEmail(ctx.store, { accountId: principal.accountId, emailId: id }))?.recipients[0]
      return recipient?.status === wanted ? recipient : null
    })
  }

  async function deliver(to: string, raw: string): Promise<number> {
    const client = await SmtpClient.hello(service.smtp)
    await client.say('MAIL FROM:<>')
    const { code } = await client.say(`RCPT TO:<${to}>`)
    if (code !== 250) return code
    await client.say('DATA')
    return (await client.say(`${raw.replaceAll('\n', '\r\n')}\r\n.`)).code
  }

  const dsn = (recipient: string) => `From: MAILER-DAEMON@mx.remote.example
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

Sorry.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.remote.example

Final-Recipient: rfc822; ${recipient}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user
--b--`

  it('a late bounce finds its recipient, and nobody needs to read it', async () => {
    const { id, returnPath } = await sent('late@remote.example')
    expect(returnPath).to.match(/^bounce-[0-9a-z]{26}-0-[0-9a-f]{16}@/)
    const before = (await service.messages()).length
    expect(await deliver(returnPath, dsn('late@remote.example'))).to.equal(250)
    expect(await status(id, 'bounced')).to.include({ reason: 'permanent', response: '550 5.1.1 no such user' })
    expect((await service.messages()).length).to.equal(before)
    // A second report changes nothing.
    expect(await deliver(returnPath, dsn('late@remote.example'))).to.equal(250)
    expect((await status(id, 'bounced')).response).to.equal('550 5.1.1 no such user')
  })

  it('a status counts that the response does not contain: a mailbox that was full can be written to again', async () => {
    const { id, returnPath } = await sent('full@remote.example')
    const full = dsn('full@remote.example').replace('5.1.1', '5.2.2').replace('550 5.1.1 no such user', '550 no room')
    expect(await deliver(returnPath, full)).to.equal(250)
    expect(await status(id, 'bounced')).to.include({ reason: 'permanent', response: '550 5.2.2 no room' })
    expect((await status((await sent('full@remote.example')).id, 'delivered')).status).to.equal('delivered')
  })

  it('a return path that was made up is refused', async () => {
    const { id, returnPath } = await sent('forged@remote.example')
    const forged = returnPath.replace(/-0-[0-9a-f]{4}/, '-0-0000')
    expect(await deliver(forged, dsn('forged@remote.example'))).to.equal(550)
    expect((await status(id, 'delivered')).status).to.equal('delivered')
  })

  it('knowing a Message-ID and a recipient, as every recipient does, is not enough to report about the others', async () => {
    const { id } = await sent('rival@remote.example')
    const { principal, ctx, address } = service
    const domain = address.split('@')[1]
    const original = `
Content-Type: text/rfc822-headers

Message-ID: <${id}@${domain}>
To: rival@remote.example
--b--`
    const bounce = dsn('rival@remote.example').replace(/--$/, original)
    const complaint = bounce
      .replace('report-type=delivery-status', 'report-type=feedback-report')
      .replace('message/delivery-status', 'message/feedback-report')
      .replace('Reporting-MTA: dns; mx.remote.example\n\n', 'Feedback-Type: abuse\nVersion: 1\n')
      .replace('Final-Recipient: rfc822;', 'Original-Rcpt-To:')
    const before = (await service.messages()).length
    for (const forged of [bounce, complaint]) expect(await deliver(`postmaster@${domain}`, forged)).to.equal(250)
    const email = await findEmail(ctx.store, { accountId: principal.accountId, emailId: id })
    expect(email?.recipients[0]?.status).to.equal('delivered')
    // The reports are still delivered, so that a person may read them.
    expect((await service.messages()).length).to.equal(before + 2)
  })

  it('mail that is not a report goes to the mailbox that sent', async () => {
    const { returnPath } = await sent('away@remote.example')
    const before = (await service.messages()).length
    expect(await deliver(returnPath, 'From: away@remote.example\nSubject: Out of office\n\nBack on Monday.')).to.equal(
      250,
    )
    expect((await service.messages()).length).to.equal(before + 1)
  })

  it('so does a report that names no outcome for any recipient', async () => {
    const { returnPath } = await sent('mute@remote.example')
    const before = (await service.messages()).length
    const mute = dsn('mute@remote.example').replace('Action: failed\nStatus: 5.1.1\n', '')
    expect(await deliver(returnPath, mute)).to.equal(250)
    expect((await service.messages()).length).to.equal(before + 1)
  })

  it('so does a report with different outcomes for the addresses that a recipient leads to', async () => {
    const { id, returnPath } = await sent('team@remote.example')
    const before = (await service.messages()).length
    const [taken, failed] = ['taken@elsewhere.example', 'failed@elsewhere.example']
    const both = dsn(failed).replace(
      'Final-Recipient',
      `Final-Recipient: rfc822; ${taken}\nAction: relayed\nStatus: 2.0.0\n\nFinal-Recipient`,
    )
    expect(await deliver(returnPath, both)).to.equal(250)
    expect((await service.messages()).length).to.equal(before + 1)
    expect((await status(id, 'delivered')).status).to.equal('delivered')
    expect(await deliver(returnPath, dsn(failed))).to.equal(250)
    expect(await status(id, 'bounced')).to.include({ reason: 'permanent' })
  })

  it('a complaint is recorded', async () => {
    const { id, returnPath } = await sent('angry@remote.example')
    const feedback = `From: fbl@remote.example
Subject: Abuse report
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b

This is an abuse report.
--b
Content-Type: message/feedback-report

Feedback-Type: abuse
Version: 1
Original-Mail-From: <${returnPath}>
Original-Rcpt-To: <angry@remote.example>
--b--`
    const abuse = `abuse@${service.address.split('@')[1]}`
    expect(await deliver(abuse, feedback)).to.equal(250)
    expect(await status(id, 'complained')).to.include({ reason: 'abuse' })
  })
})
