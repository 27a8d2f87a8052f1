import { createHmac } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { Webhook } from 'standardwebhooks'
import { createKey } from '../../core/access/keys.ts'
import { administrator as administratorOf } from '../../core/access/principal.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { closeContext } from '../../core/process/context.ts'
import { allScopes } from '../../schemas/scopes.ts'
import { findDomain } from '../../store/domains.ts'
import { eventually } from '../eventually.ts'
import { type SmtpSink, startSmtpSink, startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { client, type Json } from '../peers/rest.ts'
import { mimeFixtures, sendMail } from '../peers/send-mail.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

type Signup = {
  address: string
  api_key: string
  claim_url: string
  expires_at: string
  base_url: string
  mcp_url: string
}
type Summary = {
  message_id: string
  subject: string | null
  from: { address: string }
  seen: boolean
  thread_id: string
  attachments: { id: string; name: string; size: number }[]
}
type Envelope = { id: string; type: string; created_at: string; data: Json }

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function letter({ to, subject, messageId }: { to: string; subject: string; messageId: string }): Buffer {
  return Buffer.from(
    [
      'From: Carol <carol@remote.test>',
      `To: ${to}`,
      `Subject: ${subject}`,
      `Message-ID: <${messageId}>`,
      'Date: Fri, 20 Nov 2026 12:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b1',
      '',
      '--b1',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Could you please confirm the order?',
      '..a line that begins with dots',
      '--b1',
      'Content-Type: image/png; name=dot.png',
      'Content-Disposition: attachment; filename=dot.png',
      'Content-Transfer-Encoding: base64',
      '',
      image.toString('base64'),
      '--b1--',
      '',
    ].join('\r\n'),
  )
}

/** Creates an account as the command line does, with a mailbox and a key with a high request rate. */
async function administrator(
  service: Service,
): Promise<{ address: string; apiKey: string; call: ReturnType<typeof client> }> {
  const ctx = await contextOf(service)
  const account = await createAccount(ctx, { name: 'owner', owner: null })
  await createDomain(ctx, { domain: 'owner.test', accountId: account.id, verified: true })
  const { address } = await createMailbox(ctx, administratorOf(account), { address: 'inbox@owner.test' })
  const { apiKey } = await createKey(ctx, {
    accountId: account.id,
    kind: 'account',
    name: 'test',
    scopes: allScopes,
    mailboxIds: [],
    expiresAt: null,
  })
  await closeContext(ctx)
  return { address, apiKey, call: client(service.http, apiKey) }
}

describe('a newcomer', () => {
  let service: Service
  let sink: SmtpSink
  let hooks: WebhookReceiver
  let account: Signup
  let call: ReturnType<typeof client>

  before(async () => {
    sink = await startSmtpSink()
    hooks = await startWebhookReceiver()
    service = await startService({
      only: null,
      env: {
        MAILROOM_OUTBOUND_ROUTES: `{"remote.test": "127.0.0.1:${sink.port}"}`,
        MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
        MAILROOM_OUTBOUND_MESSAGE_SENT_DELAY_SECONDS: '1',
      },
    })
  })
  after(async () => {
    await service?.dispose()
    await hooks?.close()
    await sink?.close()
  })

  it('signs up with one call', async () => {
    const answer = await client(service.http)<Signup>('POST', '/api/v1/signup', { name: 'newcomer' })
    expect(answer.status).to.equal(201)
    account = answer.body
    expect(account.address).to.equal('agent@newcomer.agents.localhost')
    expect(account.api_key).to.match(/^svc_live_/)
    expect(answer.headers.get('x-service-claim')).to.equal('required')
    expect(answer.headers.get('x-service-claim-expires')).to.equal(account.expires_at)
    call = client(service.http, account.api_key)
  })

  let secret = ''
  it('creates a webhook', async () => {
    const answer = await call<{ id: string; secret: string }>('POST', '/api/v1/webhooks', {
      url: hooks.url,
      events: ['message.received', 'message.sent', 'email.delivered'],
    })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    secret = answer.body.secret
    expect(secret).to.match(/^whsec_/)
  })

  const hooked = (type: string, wants: (data: Json) => boolean = () => true) =>
    eventually(`webhook ${type}`, async () =>
      hooks.requests.find(
        ({ body }) => (JSON.parse(body) as Envelope).type === type && wants((JSON.parse(body) as Envelope).data),
      ),
    )

  let received: Summary
  it('receives over STARTTLS, sees the mail within a second, and reads it byte for byte as sent', async () => {
    const raw = letter({ to: account.address, subject: 'Order 66', messageId: 'one@remote.test' })
    const { response } = await sendMail(service.smtp, { from: 'carol@remote.test', to: account.address, raw })
    expect(response).to.match(/^250 /)
    // An acknowledged message is listed at once: no waiting is needed.
    const list = await call<{ messages: Summary[] }>('GET', `/api/v1/mailboxes/${account.address}/messages`)
    received = list.body.messages[0]!
    expect(received).to.include({ subject: 'Order 66', seen: false })
    expect(received.attachments).to.have.length(1)

    const path = `/api/v1/mailboxes/${account.address}/messages/${received.message_id}`
    const full = await call<{ text: string; reply: string; headers: [string, string][] }>('GET', path)
    expect(full.body.text).to.contain('Could you please confirm the order?')
    const same = await fetch(`${service.http}${path}/raw`, { headers: { 'x-api-key': account.api_key } })
    expect(Buffer.from(await same.arrayBuffer()).equals(raw)).to.equal(true)
    expect(same.headers.get('x-service-claim')).to.equal('required')
    const attachment = await fetch(`${service.http}${path}/attachments/${received.attachments[0]?.id}`, {
      headers: { 'x-api-key': account.api_key },
    })
    expect(Buffer.from(await attachment.arrayBuffer()).equals(image)).to.equal(true)
    const again = await call<Summary>('GET', path)
    expect(again.body.seen).to.equal(false)
  })

  it('gets the signed webhook', async () => {
    const request = await hooked('message.received')
    const envelope = JSON.parse(request.body) as Envelope
    expect(envelope.id).to.match(/^evt_/)
    expect(envelope.data).to.include({
      mailbox: account.address,
      message_id: received.message_id,
      folder: 'INBOX',
      subject: 'Order 66',
    })
    expect(envelope.data.attachments).to.deep.equal([
      { name: 'dot.png', content_type: 'image/png', size: image.length },
    ])
    const signature = String(request.headers['x-service-signature'])
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
    expect(v1).to.equal(createHmac('sha256', secret).update(`${t}.${request.body}`).digest('hex'))
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>)
  })

  it('may send only replies while unclaimed', async () => {
    const other = await call<Json>('POST', `/api/v1/mailboxes/${account.address}/send`, {
      to: 'stranger@remote.test',
      subject: 'Hi',
      text: 'Hi',
    })
    expect(other.status).to.equal(403)
    expect(other.body).to.include({ success: false, code: 'CLAIM_REQUIRED', statusCode: 403 })
  })

  it('answers, and the reply arrives signed, with its events', async () => {
    const answer = await call<{ id: string; message_id: string; status: string }>(
      'POST',
      `/api/v1/mailboxes/${account.address}/messages/${received.message_id}/reply`,
      { text: 'Confirmed.' },
    )
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
    expect(answer.body.id).to.match(/^em_/)
    const mail = await eventually('the reply at the remote server', async () => sink.mails[0])
    expect(mail.to).to.deep.equal(['carol@remote.test'])
    expect(mail.raw.toString())
      .to.match(/^In-Reply-To: <one@remote\.test>/m)
      .and.match(/^Subject: Re: Order 66/m)

    const ctx = await contextOf(service)
    const domain = await findDomain(ctx.store, 'agents.localhost')
    await closeContext(ctx)
    const records = new Map(
      domain?.dkim.map((key) => [`${key.selector}._domainkey.agents.localhost`, key.publicRecord]),
    )
    const resolver = async (name: string) => [[records.get(name) ?? '']]
    const { results } = await dkimVerify(mail.raw, { resolver })
    expect(results.map(({ status }: { status: { result: string } }) => status.result)).to.deep.equal(['pass', 'pass'])

    const delivered = JSON.parse((await hooked('email.delivered')).body) as Envelope
    expect(delivered.data).to.deep.include({
      email_id: answer.body.id,
      to: ['carol@remote.test'],
      from: account.address,
    })
    const sent = JSON.parse((await hooked('message.sent')).body) as Envelope
    expect(sent.data).to.deep.include({ message_id: answer.body.message_id, folder: 'Sent' })
    const copies = await call<{ messages: Summary[] }>(
      'GET',
      `/api/v1/mailboxes/${account.address}/messages?folder=Sent`,
    )
    expect(copies.body.messages.map(({ message_id }) => message_id)).to.deep.equal([answer.body.message_id])
    expect(copies.body.messages[0]?.thread_id).to.equal(received.thread_id)
  })

  it('does the same over MCP', async () => {
    const mcp = new Client({ name: 'test', version: '1' })
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${service.mcp}/${account.api_key}`)))
    const { tools } = await mcp.listTools()
    expect(tools.map(({ name }) => name)).to.include.members([
      'list_mailboxes',
      'create_mailbox',
      'update_mailbox',
      'list_messages',
      'read_message',
      'get_attachment',
      'send_message',
      'flag_message',
      'move_message',
      'delete_message',
      'get_account_summary',
    ])
    const use = async (name: string, args: Json) => {
      const result = await mcp.callTool({ name, arguments: args })
      expect(result.isError, JSON.stringify(result)).to.not.equal(true)
      return result
    }
    await sendMail(service.smtp, {
      from: 'carol@remote.test',
      to: account.address,
      raw: letter({ to: account.address, subject: 'Over MCP', messageId: 'two@remote.test' }),
    })
    expect(JSON.stringify(await use('list_mailboxes', {}))).to.contain(account.address)
    expect(JSON.stringify(await use('list_messages', { mailbox: account.address }))).to.contain('Over MCP')
    const { body } = await call<{ messages: Summary[] }>(
      'GET',
      `/api/v1/mailboxes/${account.address}/messages?folder=inbox`,
    )
    const [newest] = body.messages
    const ids = { mailbox: account.address, message_id: newest?.message_id }
    expect(JSON.stringify(await use('read_message', ids))).to.contain('Could you please confirm')
    expect(
      JSON.stringify(await use('get_attachment', { ...ids, attachment_id: newest?.attachments[0]?.id })),
    ).to.contain(image.toString('base64'))
    await use('flag_message', { ...ids, seen: true, flagged: true })
    const before = sink.mails.length
    await use('send_message', {
      mailbox: account.address,
      to: 'carol@remote.test',
      subject: 'Re: Over MCP',
      text: 'Done by a tool.',
    })
    await eventually('the mail sent by a tool', async () => sink.mails.length > before)
    await use('move_message', { ...ids, folder: 'Archive' })
    await use('delete_message', ids)
    const trash = await call<{ messages: Summary[] }>(
      'GET',
      `/api/v1/mailboxes/${account.address}/messages?folder=trash`,
    )
    expect(trash.body.messages.map(({ message_id }) => message_id)).to.deep.equal([newest?.message_id])
    await mcp.close()
  })

  it('keeps malformed and unusual messages byte for byte', async () => {
    const plain = (head: string, body = 'body\r\n') => Buffer.from(`${head}\r\n${body}`, 'latin1')
    const awkward = [
      ...mimeFixtures(),
      { name: 'no blank line', raw: Buffer.from('Subject: no blank line\r\n') },
      { name: '3,000 headers', raw: plain(Array.from({ length: 3_000 }, (_, n) => `X-${n}: value\r\n`).join('')) },
      { name: 'latin1 headers', raw: plain('Subject: caf\xe9\r\n') },
      { name: 'NUL', raw: plain('Subject: NUL\r\n', 'a\0b\r\n') },
    ]
    const admin = await administrator(service)
    const inbox = `/api/v1/mailboxes/${admin.address}/messages`
    for (const { name, raw } of awkward) {
      const { response } = await sendMail(service.smtp, {
        from: `${name.replaceAll(/\W/g, '-')}@remote.test`,
        to: admin.address,
        raw,
      })
      const [id] = /msg_[0-9a-z]{26}/.exec(response) ?? []
      expect(id, `${name}: ${response}`).to.be.a('string')
      const same = await fetch(`${service.http}${inbox}/${id}/raw`, { headers: { 'x-api-key': admin.apiKey } })
      expect(Buffer.from(await same.arrayBuffer()).toString('latin1'), name).to.equal(raw.toString('latin1'))
      const read = await admin.call('GET', `${inbox}/${id}`)
      expect(read.status, name).to.equal(200)
    }
  })

  it('stops cleanly', async () => {
    expect(await service.stop()).to.equal(0)
    expect(service.logs()).to.not.contain('NoQueryExecutionPlans')
  })
})
