import { expect } from 'chai'
import { sendMessage } from '../../../core/send/send.ts'
import { findEmail } from '../../../store/emails.ts'
import { eventually } from '../../eventually.ts'
import { type NameServer, startNameServer } from '../../peers/name-server.ts'
import { type Script, type Sink, startScript, startSink } from '../../peers/smtp-server.ts'
import { type Service, startService } from '../../start/haraka.ts'

/** Replies of a server that accepts any mail, for commands that the script does not answer. */
function usual(line: string): string {
  if (line === 'DATA') return '354 go on\r\n'
  return line === 'QUIT' ? '221 bye\r\n' : '250 2.0.0 ok\r\n'
}

describe('outbound mail', () => {
  let service: Service
  let sink: Sink
  let plain: Sink
  let names: NameServer
  const scripts: { [domain: string]: Script } = {}
  const refusals = new Map<string, number>()

  before(async () => {
    const once = (to: string) => {
      const code = refusals.get(to) ?? null
      if (code !== null && code < 500) refusals.delete(to)
      return code
    }
    sink = await startSink(once)
    plain = await startSink(once, { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
    const greeting = '220 hi\r\n'
    const script = async (domain: string, answer: (line: string) => string | null, hello = greeting) => {
      scripts[domain] = await startScript(hello, answer)
    }
    await script('multiline.test', (line) => (line === '.' ? '250-2.0.0 one\r\n250 2.0.0 two\r\n' : usual(line)))
    await script('drop.test', (line) => (line === '.' ? null : usual(line)))
    await script('dropearly.test', (line) => (line.startsWith('RCPT') ? null : usual(line)))
    await script('busy.test', usual, '554 5.3.2 not now\r\n')
    let senders = 0
    await script('picky.test', (line) =>
      line.startsWith('MAIL') && ++senders === 1 ? '550 not from you\r\n' : usual(line),
    )
    await script('never.test', usual, '521 5.3.2 never\r\n')
    await script('chatty.test', () => `250-${'x'.repeat(990)}\r\n`.repeat(80))
    await script('badtls.test', (line) => {
      if (line.startsWith('EHLO')) return '250-hi\r\n250 STARTTLS\r\n'
      return line === 'STARTTLS' ? '454 4.7.0 no TLS today\r\n' : usual(line)
    })
    let starts = 0
    await script('strict.test', (line) => {
      if (line.startsWith('EHLO')) return '250-hi\r\n250 STARTTLS\r\n'
      if (line === 'STARTTLS') return `454 4.7.0 no TLS, time ${++starts}\r\n`
      return line.startsWith('MAIL') && starts < 2 ? '530 5.7.0 Must issue a STARTTLS command first\r\n' : usual(line)
    })
    const port = plain.route.slice(plain.route.indexOf(':'))
    // Only the last of these addresses has a server at that port.
    names = await startNameServer({
      'A relay.test': ['127.0.0.8', '127.0.0.1'],
      'A far.test': ['127.0.0.5', '127.0.0.6', '127.0.0.7', '127.0.0.1'],
    })
    const routes = Object.fromEntries(Object.entries(scripts).map(([domain, { route }]) => [domain, route]))
    service = await startService({
      resolver: [names.address],
      outbound: {
        retrySeconds: [1],
        routes: {
          ...routes,
          'sink.test': sink.route,
          'plain.test': plain.route,
          'second.test': `relay.test${port}`,
          'fourth.test': `far.test${port}`,
          'refused.test': '127.0.0.1:1',
          '*': '127.0.0.1:1',
        },
      },
    })
  })
  after(async () => {
    await service.stop()
    await Promise.all([sink, plain, ...Object.values(scripts)].map((server) => server.close()))
    await names.stop()
  })

  async function send(to: string, text = 'Hello\n.\n..dots\n'): Promise<string> {
    const { ctx, principal, address } = service
    const { id } = await sendMessage(ctx, principal, {
      address,
      to: [{ name: '', address: to }],
      subject: 'Test',
      text,
    })
    return id
  }

  /** Waits until the first recipient of a send is as wanted. */
  function recipient(emailId: string, wanted: (state: { status: string; response: string }) => boolean) {
    const { ctx, principal } = service
    return eventually(`${emailId} as wanted`, async () => {
      const email = await findEmail(ctx.store, { accountId: principal.accountId, emailId })
      const state = email?.recipients[0]
      if (state === undefined || typeof state.response !== 'string') return null
      return wanted({ status: state.status, response: state.response }) ? { ...state, response: state.response } : null
    })
  }

  const ended = ({ status }: { status: string }) => status === 'delivered' || status === 'bounced'
  const answered = () => true

  it('delivers with STARTTLS where it is offered, whatever the certificate', async () => {
    const state = await recipient(await send('tls@sink.test'), ended)
    expect(state).to.include({
      status: 'delivered',
      response: '250 taken by the sink',
      tls: true,
      mx: '127.0.0.1',
      attempts: 1,
    })
    expect(sink.received.find(({ to }) => to === 'tls@sink.test')?.secure).to.equal(true)
  })

  it('delivers the stored bytes, dots and all, from the reverse path', async () => {
    const emailId = await send('bytes@plain.test')
    expect(await recipient(emailId, ended)).to.include({ status: 'delivered', tls: false })
    const row = await service.ctx.store.outbox.findOne({ emailId })
    const received = plain.received.find(({ to }) => to === 'bytes@plain.test')
    expect(received?.from).to.equal(row?.sender)
    const raw = received?.raw.toString('latin1') ?? ''
    expect(raw)
      .to.match(/^[\s\S]+\r\n\r\n[\s\S]+\r\n$/)
      .and.include('\r\n.\r\n..dots\r\n')
    expect(raw).not.to.match(/^Received:/m)
  })

  it('tries again after a soft bounce', async () => {
    refusals.set('soft@sink.test', 450)
    const emailId = await send('soft@sink.test')
    expect(await recipient(emailId, answered)).to.include({ response: '450 said the sink' })
    expect(await recipient(emailId, ended)).to.include({ status: 'delivered', attempts: 2 })
  })

  it('tries the next server at once if one cannot be reached', async () => {
    const state = await recipient(await send('someone@second.test'), answered)
    expect(state).to.include({ status: 'delivered', response: '250 taken by the sink', attempts: 1 })
  })

  it('tries at most three unreachable servers in one attempt', async () => {
    expect(await recipient(await send('someone@fourth.test'), ended)).to.include({ status: 'delivered', attempts: 2 })
  })

  it('bounces when the server refuses the recipient', async () => {
    refusals.set('hard@sink.test', 550)
    const state = await recipient(await send('hard@sink.test'), ended)
    expect(state).to.include({ status: 'bounced', response: '550 said the sink', reason: 'permanent', attempts: 1 })
  })

  it('does not suppress recipients whose server refused the sender', async () => {
    const to = 'someone@picky.test'
    expect(await recipient(await send(to), ended)).to.include({ status: 'bounced', response: '550 not from you' })
    expect(await recipient(await send(to), ended)).to.include({ status: 'delivered' })
  })

  const cases = [
    ['keeps a reply of many lines word for word', 'multiline.test', '250-2.0.0 one\n250 2.0.0 two'],
    ['defers when nobody listens', 'refused.test', '451 4.4.1 connect ECONNREFUSED 127.0.0.1:1'],
    ['defers when the server hangs up', 'dropearly.test', '451 4.4.2 the server closed the connection'],
    ['defers when the greeting is a refusal', 'busy.test', '554 5.3.2 not now'],
    ['bounces when the server never takes mail', 'never.test', '521 5.3.2 never'],
    ['defers when the server does not stop talking', 'chatty.test', '451 4.4.2 the reply of the server is too long'],
    ['delivers in the clear when STARTTLS fails', 'badtls.test', '250 2.0.0 ok'],
  ] as const
  for (const [name, domain, response] of cases) {
    it(name, async () => {
      const state = await recipient(await send(`someone@${domain}`), answered)
      expect(state.response).to.equal(response)
      const expected = name.startsWith('bounces') ? 'bounced' : name.startsWith('defers') ? 'sent' : 'delivered'
      expect(state.status).to.equal(expected)
    })
  }

  it('tries again, with TLS, at a server that takes no mail in the clear while its TLS fails', async () => {
    const emailId = await send('someone@strict.test')
    const state = await recipient(emailId, answered)
    expect(state).to.include({ status: 'sent', response: '530 5.7.0 Must issue a STARTTLS command first' })
    expect(await recipient(emailId, ended)).to.include({ status: 'delivered', tls: false })
    expect(scripts['strict.test']?.heard.filter((line) => line === 'STARTTLS')).to.have.length(2)
  })

  it('records an ambiguous outcome if the connection ends after the final dot', async () => {
    const state = await recipient(await send('someone@drop.test'), answered)
    expect(state).to.include({ status: 'sent', reason: 'ambiguous' })
  })

  it('delivers to a mailbox of ours without leaving the machine', async () => {
    const before = (await service.messages()).length
    expect(await recipient(await send(service.address), ended)).to.include({
      status: 'delivered',
      mx: 'mx.mailroom.test',
    })
    expect((await service.messages()).length).to.equal(before + 1)
  })

  it('delivers once to a mailbox of ours that several recipients lead to', async () => {
    const before = (await service.messages()).length
    const { ctx, principal, address } = service
    const to = [address, address.replace('@', '+shop@'), address.replace('@', '+news@')]
    const sent = await sendMessage(ctx, principal, {
      address,
      to: to.map((each) => ({ name: '', address: each })),
      subject: 'To all of them',
      text: 'Hello',
    })
    const recipients = await eventually('all are delivered', async () => {
      const email = await findEmail(ctx.store, { accountId: principal.accountId, emailId: sent.id })
      return email?.recipients.every(ended) ? email.recipients : null
    })
    expect(recipients.map(({ status }) => status)).to.deep.equal(['delivered', 'delivered', 'delivered'])
    expect((await service.messages()).length).to.equal(before + 1)
  })

  it('delivers many at once, each once', async () => {
    const to = Array.from({ length: 25 }, (_, n) => `many${n}@plain.test`)
    const ids = await Promise.all(to.map((address) => send(address)))
    await Promise.all(ids.map((id) => recipient(id, ended)))
    const got = plain.received.map((mail) => mail.to).filter((address) => address.startsWith('many'))
    expect(got.sort()).to.deep.equal(to.sort())
  })
})
