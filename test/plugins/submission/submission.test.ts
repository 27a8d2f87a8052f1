import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { createTransport } from 'nodemailer'
import { withPorts } from '../../../cli/instance.ts'
import { createKey } from '../../../core/access/keys.ts'
import { limitLogins } from '../../../core/access/login-limits.ts'
import { administrator } from '../../../core/access/principal.ts'
import { createAppPassword } from '../../../core/account/login.ts'
import { addSuppression } from '../../../core/deliver/suppressions.ts'
import { setLists } from '../../../core/mailbox/sender-lists.ts'
import { rawMessage } from '../../../core/read/bodies.ts'
import { listMessages } from '../../../core/read/list.ts'
import { settleDue } from '../../../core/send/settle.ts'
import { listEmails } from '../../../core/send/transactional.ts'
import { readBody } from '../../../mail/body/body.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { readReport } from '../../../mail/report/report.ts'
import { Failure } from '../../../schemas/failures.ts'
import { listAudit } from '../../../store/audit.ts'
import { defaultSettings } from '../../default-settings.ts'
import { eventually } from '../../eventually.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Script, type Sink, startScript, startSink } from '../../peers/smtp-server.ts'
import { type Service, startService } from '../../start/haraka.ts'

describe('submission', () => {
  let service: Service
  let sink: Sink
  let odd: Script
  let busy: Script
  let password: string
  let starttls: number
  let tls: number
  const refused = new Set<string>()
  const failuresMax = 10

  before(async () => {
    sink = await startSink((to) => (refused.has(to) ? 550 : null))
    odd = await startScript('220 odd\r\n', (line) => {
      if (line.startsWith('RCPT TO:<listed')) return '550 refused, as 5.9.12.34 is listed\r\n'
      if (line.startsWith('RCPT TO:<two')) return '550-Not here\r\n550 #5.1.6 moved from 5.9.12.34\r\n'
      return line.startsWith('RCPT') ? null : '250 odd\r\n'
    })
    busy = await startScript('421 4.3.2 busy tonight\r\n', () => null)
    const { submission, submissions } = await withPorts(defaultSettings({ smtp: { port: 0 } }))
    service = await startService({
      outbound: {
        routes: { 'odd.example': odd.route, 'busy.example': busy.route, '*': sink.route },
        retrySeconds: [1],
        giveUpSeconds: 1,
      },
      submission,
      submissions,
      limits: { logins: { failuresPerAddress: failuresMax, slowAfter: 5, slowMs: 1 } },
    })
    ;[starttls, tls] = [submission.port ?? 0, submissions.port ?? 0]
    const { ctx, principal, address } = service
    ;({ password } = await createAppPassword(ctx, { account: principal.account, address, name: 'test' }))
  })
  after(async () => {
    await service?.stop()
    await Promise.all([sink?.close(), odd?.close(), busy?.close()])
  })

  type Letter = {
    from?: string
    to?: string
    cc?: string
    bcc?: string
    subject?: string
    messageId?: string
    raw?: string
    envelope?: { from: string; to: string }
  }
  async function send(port: number, letter: Letter = {}, auth = { user: service.address, pass: password }) {
    const secure = port === tls
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      secure,
      requireTLS: !secure,
      auth,
      tls: { rejectUnauthorized: false },
    })
    try {
      return await transport.sendMail({
        from: service.address,
        to: 'ada@remote.example',
        subject: 'Hello',
        text: 'Hi\n.\n',
        ...letter,
      })
    } finally {
      transport.close()
    }
  }
  const codeOf = (sending: Promise<unknown>) =>
    sending.then(
      () => 250,
      (error: { responseCode?: number }) => error.responseCode,
    )
  const received = (to: string) =>
    eventually(`mail to ${to}`, async () => sink.received.find((mail) => mail.to === to) ?? null)

  for (const [name, port] of [
    ['STARTTLS', () => starttls],
    ['TLS from the first byte', () => tls],
  ] as const) {
    it(`takes mail with ${name}, signs it and keeps a copy`, async () => {
      const to = `${name.length}@remote.example`
      const { response } = await send(port(), { to, bcc: `hidden${name.length}@remote.example`, subject: name })
      const id = /em_[0-9a-z]{26}/.exec(response)?.[0]
      const raw = (await received(to)).raw.toString()
      expect(raw).to.match(/^DKIM-Signature: /m)
      expect(raw).not.to.match(/^Bcc:/im)
      expect((await received(`hidden${name.length}@remote.example`)).raw.toString()).to.contain(`Subject: ${name}`)
      const { ctx, principal, address } = service
      const sent = await eventually('a copy in Sent', async () => {
        const { items } = await listMessages(ctx, principal, { address, folder: 'sent', limit: 10 })
        return items.find(({ subject }) => subject === name) ?? null
      })
      expect(sent.seen).to.equal(true)
      const { items } = await listEmails(ctx, { ...principal, kind: 'account' }, { limit: 10 })
      expect(items.map(({ _id }) => _id)).to.include(id)
    })
  }

  it('writes each send to the audit of the account', async () => {
    const { ctx, principal, address } = service
    const { response } = await send(tls, { subject: 'Audited' })
    expect(response).to.contain('accepted')
    const filter = { accountId: principal.accountId, action: 'submission.send' }
    const entry = await eventually(
      'the entry',
      async () => (await listAudit(ctx.store, filter, { before: null, limit: 1 }))[0],
    )
    expect(entry).to.deep.include({ outcome: 'done', personal: { target: address, address: '127.0.0.1' } })
  })

  it('takes an API key that may send, and no other', async () => {
    const { ctx, principal, address } = service
    const make = (scopes: ('mail:send' | 'mail:read')[]) =>
      createKey(ctx, {
        accountId: principal.accountId,
        kind: 'agent',
        name: 'test',
        scopes,
        expiresAt: null,
        mailboxIds: principal.mailboxIds ?? [],
      })
    const good = await make(['mail:send'])
    expect(await codeOf(send(tls, { to: 'key@remote.example' }, { user: address, pass: good.apiKey }))).to.equal(250)
    const reading = await make(['mail:read'])
    expect(await codeOf(send(tls, {}, { user: address, pass: reading.apiKey }))).to.equal(550)
  })

  it('stores a submission until a person approves it if the key needs approval, and says so', async () => {
    const { ctx, principal, address } = service
    const { apiKey } = await createKey(ctx, {
      accountId: principal.accountId,
      kind: 'agent',
      name: 'waits',
      scopes: ['mail:send'],
      expiresAt: null,
      mailboxIds: principal.mailboxIds ?? [],
      approval: 'required',
    })
    const letter = { to: 'kept@remote.example', subject: 'Kept', messageId: '<kept@mailroom.test>' }
    const { response } = await send(tls, letter, { user: address, pass: apiKey })
    expect(response).to.match(/^250 2\.6\.0 em_[0-9a-z]{26} waits for the approval of a person/)
    const id = /em_[0-9a-z]{26}/.exec(response)?.[0] ?? ''
    const approval = await ctx.store.approvals.findOne({ emailId: id })
    expect(approval).to.include({ status: 'waiting', messageIdHeader: 'kept@mailroom.test' })
    const [draft] = await listMessages(ctx, principal, { address, folder: 'drafts', limit: 1 }).then(
      ({ items }) => items,
    )
    expect(draft).to.include({ id: approval?.draft?.messageId, subject: 'Kept' })
    // A mail that is sent at once arrives after it, and the waiting one does not.
    await send(tls, { to: 'after@remote.example' })
    await received('after@remote.example')
    expect(sink.received.some(({ to }) => to === 'kept@remote.example')).to.equal(false)
  })

  it('refuses wrong logins alike, and hangs up after some', async () => {
    for (const auth of [
      { user: service.address, pass: 'wrong' },
      { user: 'nobody@elsewhere.example', pass: password },
    ])
      expect(await codeOf(send(tls, {}, auth))).to.equal(535)
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    const attempt = `AUTH PLAIN ${Buffer.from(`\0${service.address}\0wrong`).toString('base64')}`
    const codes: number[] = []
    for (let n = 0; n < 5; n++) codes.push((await client.say(attempt)).code)
    expect(codes).to.deep.equal([535, 535, 535, 535, 421])
  })

  const plain = (pass: string) => `AUTH PLAIN ${Buffer.from(`\0${service.address}\0${pass}`).toString('base64')}`
  const logInFrom = async (localAddress: string, pass = password) => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`, { localAddress })
    const reply = await client.say(plain(pass))
    client.destroy()
    return reply
  }

  it('refuses an address after too many wrong logins on any connections, even the right one, and no other address', async () => {
    const guess = async () => {
      const client = await SmtpClient.hello(`127.0.0.1:${starttls}`, { localAddress: '127.2.0.1' })
      for (let code = 535; code === 535; ) ({ code } = await client.say(plain('wrong')))
      client.destroy()
    }
    await Promise.all(Array.from({ length: 2 * failuresMax }, guess))
    const { failedLogins } = service.ctx.store
    expect(await failedLogins.findOne({ _id: '127.2.0.1' })).to.include({ count: failuresMax })
    const late = await logInFrom('127.2.0.1')
    expect(late.text).to.match(/^421 4\.7\.0 Too many failed logins from here; logins are refused for \d{3} seconds/)
    expect((await logInFrom('127.3.0.1')).code).to.equal(235)
    expect(await failedLogins.findOne({ _id: '127.2.0.1' })).to.include({ count: failuresMax })
  })

  it('refuses a login that another door refuses', async () => {
    const wrong = () => Promise.reject(new Failure('invalid_api_key'))
    const visitor = { peerAddress: '127.4.0.1', user: null }
    await Promise.allSettled(Array.from({ length: failuresMax }, () => limitLogins(service.ctx, visitor, wrong)))
    await eventually('a refusal', async () => (await logInFrom('127.4.0.1')).code === 421)
  })

  it('lets the owner in, whatever strangers try', async () => {
    const networks = Array.from({ length: 2 * failuresMax }, (_, n) => `127.5.${n}.1`)
    const replies = await Promise.all(networks.map((from) => logInFrom(from, 'guessed')))
    expect(replies.map(({ code }) => code)).to.deep.equal(networks.map(() => 535))
    expect((await logInFrom('127.0.0.1')).code).to.equal(235)
  })

  it('supports LOGIN, and refuses other mechanisms than PLAIN and LOGIN', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    expect((await client.say('AUTH CRAM-MD5')).code).to.equal(504)
    expect((await client.say('AUTH PLAIN !')).code).to.equal(501)
    expect((await client.say('AUTH LOGIN')).text).to.equal(`334 ${base64('Username:')}`)
    expect((await client.say('*')).code).to.equal(501)
    expect((await client.say('MAIL FROM:<x@y.example>')).code).to.equal(530)
    await client.say('AUTH LOGIN')
    expect((await client.say(base64(service.address))).text).to.equal(`334 ${base64('Password:')}`)
    expect((await client.say(base64(password))).code).to.equal(235)
    expect((await client.say('AUTH LOGIN')).code).to.equal(503)
    expect((await client.say('MAIL FROM:<somebody@elsewhere.example>')).code).to.equal(550)
    client.destroy()
  })

  it('asks for an answer that did not come with AUTH by 334 and one space', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    expect((await client.say('AUTH PLAIN')).text).to.equal('334 ')
    expect((await client.say(plain(password).slice('AUTH PLAIN '.length))).code).to.equal(235)
    client.destroy()
  })

  it('takes AUTH and its answers up to 12,288 bytes, and no other line of that length', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`, { localAddress: '127.6.0.1' })
    const start = `\0${service.address}\0`
    const answerOf = (length: number) => Buffer.from(start.padEnd(length * 0.75, 'x')).toString('base64')
    await client.say('AUTH PLAIN')
    expect((await client.say(answerOf(12_288))).code).to.equal(535)
    expect((await client.say(`AUTH PLAIN ${answerOf(12_272)}`)).code).to.equal(535)
    await client.say('AUTH PLAIN')
    expect((await client.say(`${answerOf(12_288)}=`)).code).to.equal(521)
    for (const [name, line] of [
      ['a command of 1,024 bytes', `NOOP ${'x'.repeat(1017)}`],
      ['one of 1,025', `NOOP ${'x'.repeat(1018)}`],
      ['an answer that nobody asked for', answerOf(1200)],
    ] as const) {
      const other = await SmtpClient.hello(`127.0.0.1:${starttls}`)
      expect((await other.say(line)).code, name).to.equal(name.endsWith('1,024 bytes') ? 250 : 521)
      other.destroy()
    }
    const receiving = await SmtpClient.hello(service.smtp)
    expect((await receiving.say(`AUTH PLAIN ${answerOf(1200)}`)).code).to.equal(521)
  })

  it('passes on no line that is longer than servers take, and signs what it sends', async () => {
    const long = `${'wörd '.repeat(400)}end`
    const raw = [
      `From: ${service.address}`,
      'To: lines@remote.example',
      'Subject: Long lines',
      `References: ${Array.from({ length: 99 }, (_, n) => `<${n}.long@remote.example>`).join(' ')}`,
      'Content-Type: multipart/mixed; boundary=b',
      'MIME-Version: 1.0',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      long,
      '--b',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename=x.bin',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.alloc(3000, 'x').toString('base64'),
      '--b--',
      '',
    ].join('\r\n')
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    expect((await client.send(['lines@remote.example'], Buffer.from(raw), { from: service.address })).code).to.equal(
      250,
    )
    client.destroy()
    const sent = (await received('lines@remote.example')).raw
    const lines = sent.toString('latin1').split('\r\n')
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(998)
    const parsed = parseMessage(sent)
    expect(readBody(sent, parsed).text).to.contain(long)
    expect(parsed.attachments.map(({ sizeBytes }) => sizeBytes)).to.deep.equal([3000])
    expect(parsed.references).to.have.length(99)
    const bodyHash = createHash('sha256')
      .update(sent.subarray(sent.indexOf('\r\n\r\n') + 4))
      .digest('base64')
    expect(sent.toString().replaceAll(/\r\n\s+/g, '')).to.contain(`bh=${bodyHash};`)
  })

  it('passes on no NUL, and refuses one in the header', async () => {
    const raw = (subject: string) =>
      Buffer.from(`From: ${service.address}\r\nTo: nul@remote.example\r\nSubject: ${subject}\r\n\r\nThat is a\0b.\r\n`)
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    const submit = (subject: string) => client.send(['nul@remote.example'], raw(subject), { from: service.address })
    expect((await submit('a\0b')).code).to.equal(501)
    expect((await submit('NUL')).code).to.equal(250)
    client.destroy()
    const sent = (await received('nul@remote.example')).raw
    expect(sent.includes(0)).to.equal(false)
    expect(sent.toString()).to.contain('\r\n\r\nThat is a=00b.\r\n')
  })

  it('requires a new login after STARTTLS', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    const login = `AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`
    expect((await client.say(login)).code).to.equal(235)
    await client.startTls()
    await client.say('EHLO client.test')
    expect((await client.say(`MAIL FROM:<${service.address}>`)).text).to.match(/^530 /)
    expect((await client.say(login)).code).to.equal(235)
    expect((await client.say(`MAIL FROM:<${service.address}>`)).code).to.equal(250)
    client.destroy()
  })

  it('reports by mail what could not be delivered', async () => {
    refused.add('gone@remote.example')
    await send(tls, { to: 'gone@remote.example', subject: 'To nobody' })
    const { ctx, principal, address } = service
    const report = await eventually('a report', async () => {
      await settleDue(ctx)
      const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
      return items.find(({ subject }) => subject === 'Undelivered Mail Returned to Sender') ?? null
    })
    const raw = (await rawMessage(ctx, principal, { address, messageId: report.id })).content.toString()
    expect(raw).to.contain('Final-Recipient: rfc822; gone@remote.example').and.contain('Subject: To nobody')
    expect(raw).to.match(/Diagnostic-Code: smtp; 550/)
    expect(raw).to.contain('\r\nContent-Type: message/delivery-status\r\n\r\n')
    expect(readReport(Buffer.from(raw), parseMessage(Buffer.from(raw)))?.kind).to.equal('delivery')
  })

  it('reports at once a mail that a local mailbox refuses for good', async () => {
    const { ctx, principal, address } = service
    const levels = Array.from({ length: ctx.settings.limits.smtp.mimeDepth + 1 }, (_, n) => n)
    const nested = levels.map((n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`).join('')
    const raw = `From: ${address}\r\nTo: ${address}\r\nSubject: Nested\r\n${nested}Content-Type: text/plain\r\n\r\nHi\r\n`
    await send(tls, { envelope: { from: address, to: address }, raw })
    const report = await eventually('a report', async () => {
      await settleDue(ctx)
      const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
      return items.find(({ snippet }) => snippet?.includes('nested')) ?? null
    })
    const text = (await rawMessage(ctx, principal, { address, messageId: report.id })).content.toString()
    expect(text).to.contain('\r\nStatus: 5.3.4\r\n').and.contain('Diagnostic-Code: smtp; 552 5.3.4 The MIME parts')
  })

  it('delivers such a report even to a mailbox whose lists let in few senders', async () => {
    const { ctx, principal, address } = service
    const [to, domain] = ['gone.too@remote.example', address.slice(address.indexOf('@') + 1)]
    await setLists(ctx, administrator(principal.account), {
      address,
      receiveAllow: ['friend@remote.example'],
      receiveBlock: [domain],
    })
    refused.add(to)
    await send(tls, { to })
    await eventually('a report', async () => {
      await settleDue(ctx)
      const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
      return items.find(({ snippet }) => snippet?.includes(to)) ?? null
    })
    await setLists(ctx, administrator(principal.account), { address, receiveAllow: [], receiveBlock: [] })
  })

  const reasons = [
    [
      '5.0.0 where an answer has no code but an address like one',
      'listed@odd.example',
      'The mail system there answered:',
      '5.0.0',
    ],
    [
      'the code that stands in a later line of the answer',
      'two@odd.example',
      'The mail system there answered:',
      '5.1.6',
    ],
    [
      'no answer of a server that never gave one',
      'silent@odd.example',
      'Delivery was tried until its time limit. The result of the last attempt:',
      '4.4.2',
    ],
    [
      'the last answer of a server that was left alone when the time was over',
      'someone@busy.example',
      'Delivery was tried until its time limit. The result of the last attempt:\r\n\r\n    421 4.3.2 busy tonight',
      '4.3.2',
    ],
  ] as const
  for (const [what, to, introduction, status] of reasons)
    it(`reports ${what}`, async () => {
      await send(tls, { to, subject: what })
      const { ctx, principal, address } = service
      const report = await eventually('a report', async () => {
        await settleDue(ctx)
        const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
        return items.find(({ snippet }) => snippet?.includes(to)) ?? null
      })
      const raw = (await rawMessage(ctx, principal, { address, messageId: report.id })).content.toString()
      expect(raw).to.contain(`\r\n${introduction}\r\n`).and.contain(`\r\nStatus: ${status}\r\n`)
    })

  it('reports by mail whom it left out, when others get the mail', async () => {
    const { ctx, principal, address } = service
    const left = 'left@remote.example'
    await addSuppression(ctx, principal, left)
    await send(tls, { to: left, cc: 'there@remote.example', subject: 'To one of two' })
    await received('there@remote.example')
    const report = await eventually('a report', async () => {
      await settleDue(ctx)
      const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
      return items.find(({ snippet }) => snippet?.includes(left)) ?? null
    })
    const raw = (await rawMessage(ctx, principal, { address, messageId: report.id })).content.toString()
    expect(raw)
      .to.contain('The reason:\r\n\r\n    550 5.7.1 not sent: the address is on the suppression list')
      .and.contain(`Final-Recipient: rfc822; ${left}\r\n`)
      .and.contain('Subject: To one of two')
      .and.not.contain('Remote-MTA')
  })

  it('reports in UTF-8 what concerns an address in UTF-8 (RFC 6533)', async () => {
    const to = 'zoë@remote.example'
    refused.add(to)
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    const mail = `From: ${service.address}\r\nTo: ${to}\r\nSubject: To Zoë\r\n\r\nHi\r\n`
    expect((await client.send([to], mail, { from: service.address })).code).to.equal(250)
    client.destroy()
    const { ctx, principal, address } = service
    const report = await eventually('a report', async () => {
      await settleDue(ctx)
      const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
      return items.find(({ snippet }) => snippet?.includes(to)) ?? null
    })
    const { content } = await rawMessage(ctx, principal, { address, messageId: report.id })
    expect(content.toString())
      .to.contain('Content-Type: message/global-delivery-status\r\n')
      .and.contain(`Final-Recipient: utf-8; ${to}\r\n`)
      .and.contain('Content-Type: message/global-headers\r\n')
    const read = readReport(content, parseMessage(content))
    expect(read?.kind === 'delivery' && read.recipients.map(({ recipient }) => recipient)).to.deep.equal([to])
  })

  it('keeps the null sender of a submission, and sends no bounce for it', async () => {
    const reader = 'reader@remote.example'
    refused.add('nobody@remote.example')
    for (const to of [reader, 'nobody@remote.example'])
      await send(tls, { to, subject: `Read by ${to}`, envelope: { from: '', to } })
    expect((await received(reader)).from).to.equal('')
    const { ctx, principal, address } = service
    await eventually('the refusal', async () => {
      await settleDue(ctx)
      const { items } = await listEmails(ctx, { ...principal, kind: 'account' }, { limit: 10 })
      return items.some(({ recipients }) =>
        recipients.some((each) => each.email.startsWith('nobody') && each.status === 'bounced'),
      )
    })
    await ctx.background.done()
    const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
    expect(items.filter(({ snippet }) => snippet?.includes('nobody@remote.example'))).to.deep.equal([])
  })

  it('lets a mailbox write only as itself', async () => {
    expect(await codeOf(send(tls, { from: 'boss@elsewhere.example' }))).to.equal(550)
  })

  it('says what to change in what it refuses', async () => {
    const said = (sending: Promise<unknown>) => sending.catch(({ response }: { response?: string }) => response)
    const { address } = service
    expect(await said(send(tls, { from: 'boss@elsewhere.example' }))).to.equal(
      `550 5.7.1 The domain of boss@elsewhere.example is not on this account. Leave "from" out, or give ${address}, a plus form or an alias of it.`,
    )
    expect(await said(send(tls, {}, { user: address, pass: 'wrong' }))).to.equal(
      '535 5.7.8 The address or the password is wrong. Check the key, or make a new one.',
    )
  })

  const header = (...fields: readonly string[]) => `${fields.join('\r\n')}\r\nSubject: Whose?\r\n\r\nHi\r\n`
  const claims: readonly (readonly [string, (own: string) => string, number])[] = [
    ['itself', (own) => header(`From: ${own}`), 250],
    [
      'itself with a tag, as its own secretary',
      (own) => header(`From: ${own.replace('@', '+x@')}`, `Sender: ${own}`),
      250,
    ],
    ['nobody', () => header('To: a@b.example'), 501],
    ['itself and somebody else', (own) => header(`From: ${own}, boss@elsewhere.example`), 501],
    ['itself first and then somebody else', (own) => header(`From: ${own}`, 'From: boss@elsewhere.example'), 501],
    [
      'itself, and somebody else behind a bare CR',
      (own) => header('X-A: 1\rFrom: boss@elsewhere.example', `From: ${own}`),
      501,
    ],
    [
      'itself, until a Bcc is taken out',
      (own) =>
        header('Subject: x', 'Bcc: a@b.example', `From: ${own} "x,`, '" <boss@elsewhere.example>', 'Bcc: a@b.example'),
      501,
    ],
    [
      'itself, until a signature is put in front',
      (own) => header('From: boss@elsewhere.example "x,', `" <${own}>`, 'DKIM-Signature: x'),
      501,
    ],
    ['itself, sent by somebody else', (own) => header(`From: ${own}`, 'Sender: boss@elsewhere.example'), 550],
    [
      'itself, and somebody else past what is read of a header',
      (own) => header(`From: ${own}`, ...Array.from({ length: 3_000 }, () => 'X-A: 1'), 'From: boss@elsewhere.example'),
      552,
    ],
  ]
  for (const [whom, raw, code] of claims)
    it(`${code === 250 ? 'takes' : 'refuses'} mail from ${whom}`, async () => {
      const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
      await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
      const answer = await client.send(['whose@remote.example'], raw(service.address), { from: service.address })
      client.destroy()
      expect(answer.code, answer.text).to.equal(code)
    })

  it('takes out a Bcc behind a bare CR, and passes on every line end as CRLF', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    const raw = header(`From: ${service.address}`, 'X-A: 1\rBcc: quiet@remote.example').replace('Hi', 'Hi\r.\rthere')
    const answer = await client.send(['ends@remote.example'], raw, { from: service.address })
    client.destroy()
    expect(answer.code, answer.text).to.equal(250)
    const sent = (await received('ends@remote.example')).raw.toString('latin1')
    expect(sent).to.not.contain('quiet@')
    expect(sent).to.match(/\r\nX-A: 1\r\n/)
    expect(sent).to.match(/\r\n\r\nHi\r\n\.\r\nthere\r\n$/)
  })

  it('removes Authentication-Results in the name of this server, which checked nothing yet', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    const { ctx, principal, address } = service
    const forged = `Authentication-Results: ${ctx.hostname}; dmarc=pass header.from=bank.example`
    const others = 'Authentication-Results: mx.elsewhere.example; none'
    const raw = header(`From: ${address}`, 'Subject: Results', others, forged, `X-A: 1\r${forged}`)
    const answer = await client.send([address], raw, { from: address })
    client.destroy()
    expect(answer.code, answer.text).to.equal(250)
    const shown = await eventually('the mail', async () => {
      const { items } = await listMessages(ctx, principal, { address, folder: 'inbox', limit: 10 })
      const found = items.find(({ subject }) => subject === 'Results')
      return found === undefined ? null : rawMessage(ctx, principal, { address, messageId: found.id, trace: true })
    })
    const text = shown.content.toString()
    expect(text.split(`Authentication-Results: ${ctx.hostname}`)).to.have.length(2)
    expect(text).not.to.contain('bank.example')
    expect(text).to.contain(`\r\n${others}\r\n`).and.to.contain('\r\nX-A: 1\r\n')
  })

  it('offers no login where mail comes in', async () => {
    const client = await SmtpClient.hello(service.smtp)
    expect(
      (await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)).code,
    ).to.equal(500)
    client.destroy()
  })

  it('says how to write an address that names no domain', async () => {
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    await client.say(`MAIL FROM:<${service.address}>`)
    const { text } = await client.say('RCPT TO:<postmaster>')
    client.destroy()
    expect(text).to.equal(
      '501 5.1.3 That is not a mail address: write one with its domain, as in postmaster@example.org',
    )
  })

  it('sends the same words again when nothing says that they are a repeat', async () => {
    const to = 'alarms@remote.example'
    const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
    await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
    const raw = `From: ${service.address}\r\nTo: ${to}\r\nSubject: Disk full\r\n\r\nNow.\r\n`
    for (let n = 0; n < 2; n++) expect((await client.send([to], raw, { from: service.address })).code).to.equal(250)
    client.destroy()
    await eventually('two mails', () => sink.received.filter((mail) => mail.to === to).length === 2)
  })

  it('takes a repeat of the same bytes for the first send', async () => {
    const to = 'again@remote.example'
    const raw = `From: ${service.address}\r\nTo: ${to}\r\nSubject: Once\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMessage-ID: <once@x.example>\r\n\r\nHi\r\n`
    const answers: string[] = []
    for (let n = 0; n < 2; n++) {
      const client = await SmtpClient.hello(`127.0.0.1:${starttls}`)
      await client.say(`AUTH PLAIN ${Buffer.from(`\0${service.address}\0${password}`).toString('base64')}`)
      answers.push((await client.send([to], raw, { from: service.address })).text)
      client.destroy()
    }
    expect(answers[0]).to.match(/^250 2\.6\.0 em_/)
    const ids = answers.map((answer) => /em_\w+/.exec(answer)?.[0])
    expect(ids[1]).to.equal(ids[0])
    await received(to)
    expect(sink.received.filter((mail) => mail.to === to)).to.have.length(1)
  })
})

describe('submission behind a balancer with ports of its own', () => {
  let service: Service
  let sink: Sink
  let password: string
  let door: string

  before(async () => {
    sink = await startSink(() => null)
    const { submission } = await withPorts(defaultSettings({ smtp: { port: 0 } }))
    service = await startService({
      smtp: { proxies: ['127.0.0.1'] },
      outbound: { routes: { '*': sink.route } },
      submission,
    })
    door = `127.0.0.1:${submission.port}`
    const { ctx, principal, address } = service
    ;({ password } = await createAppPassword(ctx, { account: principal.account, address, name: 'test' }))
  })
  after(async () => {
    await service?.stop()
    await sink?.close()
  })

  // Haraka treats 587 and 465, the production ports, specially.
  for (const port of [587, 465, 1587])
    it(`is told from inbound mail by the port here: ${port} there`, async () => {
      const outside = await SmtpClient.from(door, '127.0.0.1', { port })
      expect((await outside.say('MAIL FROM:<a@b.example>')).text).to.equal('530 5.7.0 Log in first')
      const login = Buffer.from(`\0${service.address}\0${password}`).toString('base64')
      expect((await outside.say(`AUTH PLAIN ${login}`)).code).to.equal(235)
      const raw = `From: ${service.address}\r\nSubject: By ${port}\r\n\r\nHi\r\n`
      const answer = await outside.send(['ada@remote.example'], raw, { from: service.address })
      expect(answer.text).to.match(/^250 2\.6\.0 em_/)
      outside.destroy()
    })

  it('is not what comes to the port of inbound mail', async () => {
    const inbound = await SmtpClient.from(service.smtp, '127.0.0.1', { port: Number(door.split(':')[1]) })
    expect((await inbound.say('AUTH PLAIN')).code).to.equal(500)
    expect((await inbound.data([service.address])).code).to.equal(354)
    inbound.destroy()
  })
})
