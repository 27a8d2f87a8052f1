import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { deliverLocally } from '../../core/deliver/outbox.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import type { Verdict } from '../../core/receive/sender-verdict.ts'
import { toldOf } from '../documents.ts'
import type { ErrorBody } from '../peers/rest.ts'
import { type Call, type Json, mailboxPath } from '../peers/rest.ts'
import { connectMcp, type Door, deliver, openTenant, type Tenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'

const verdict: Verdict = {
  authentication: {
    spf: 'pass',
    dkim: [{ domain: 'remote.example', result: 'pass' }],
    dmarc: 'pass',
    arc: 'none',
    alignedFrom: 'remote.example',
    perhapsAligned: false,
    infos: ['spf=pass smtp.mailfrom=remote.example'],
  },
  cuts: [],
  suspicion: null,
}
const trust = {
  spf: 'pass',
  dkim: [{ domain: 'remote.example', result: 'pass' }],
  dmarc: 'pass',
  arc: 'none',
  aligned_from: 'remote.example',
  first_contact: true,
  reply_to_mismatch: false,
  display_name_spoof: false,
  auto_submitted: false,
}

describe('trust in a message', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let mcp: Client
  let path: string
  let sent = 0
  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    path = `${mailboxPath(tenant.address)}/messages`
    mcp = await connectMcp(door.http, tenant.key)
  })
  after(async () => {
    await mcp.close()
    await door.close()
  })

  const letter = (from = `n${sent++}@remote.example`) => `From: Eve <${from}>\nSubject: letter ${sent++}\n\nHello\n`
  const arrive = (raw = letter(), judged: Verdict | undefined = verdict) =>
    deliver(door.ctx, { to: tenant.address, raw, verdict: judged })
  const tool = async (name: string, given: object) =>
    (await mcp.callTool({ name, arguments: { mailbox: tenant.address, ...given } })) as CallToolResult

  it('is shown over REST, over MCP and in the event', async () => {
    const id = await arrive()
    expect((await call('GET', `${path}/${id}`)).body.trust).to.deep.equal(trust)
    expect((await tool('read_message', { message_id: id })).structuredContent?.trust).to.deep.equal(trust)
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
    const { body } = await call<{ events: readonly { data: { message_id: string; trust: unknown } }[] }>(
      'GET',
      '/api/v1/events?type=message.received',
    )
    expect(body.events.find(({ data }) => data.message_id === id)?.data.trust).to.deep.equal(trust)
  })

  it('is in the event together with the verification codes of the message', async () => {
    const id = await arrive(
      'From: Shop <shop@remote.example>\n\nYour verification code is 482913. It expires in 10 minutes.\n',
    )
    const { verification } = (await call<{ verification: { codes: Json[] } }>('GET', `${path}/${id}`)).body
    expect(verification.codes[0]?.value).to.equal('482913')
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
    const { body } = await call<{ events: readonly { data: Json }[] }>('GET', '/api/v1/events?type=message.received')
    expect(body.events.find(({ data }) => data.message_id === id)?.data.verification).to.deep.equal(verification)
  })

  it('reports plain text that the HTML does not show', async () => {
    const parts = 'Content-Type: text/plain\n\nWire the money today.\n--b\nContent-Type: text/html\n\n<p>Lunch?</p>'
    const id = await arrive(
      `From: Eve <e@remote.example>\nContent-Type: multipart/alternative; boundary=b\n\n--b\n${parts}\n--b--\n`,
    )
    const { body } = await call<{ trust: object; text: string; hidden: object; snippet: string }>(
      'GET',
      `${path}/${id}`,
    )
    expect(body.trust).to.deep.equal({ ...trust, alternatives_differ: true })
    expect([body.text, body.snippet]).to.deep.equal(['Lunch?', 'Lunch?'])
    expect(body.hidden).to.deep.equal([{ kind: 'alternative', excerpt: 'Wire the money today.' }])
  })

  it('is null if nothing was checked', async () => {
    const id = await deliver(door.ctx, { to: tenant.address, raw: letter() })
    expect((await call('GET', `${path}/${id}`)).body.trust).to.equal(null)
  })

  it('is full between mailboxes of this service', async () => {
    const raw = Buffer.from(letter(`other@${tenant.address.split('@')[1]}`).replaceAll('\n', '\r\n'))
    const outcome = await deliverLocally(door.ctx, {
      id: 'em_1#0',
      token: '',
      accountId: tenant.accountId,
      emailId: 'em_1',
      n: 0,
      sender: 'other@tenant.example',
      recipient: tenant.address,
      domain: 'tenant.example',
      attempt: 1,
      firstAttemptAt: new Date(),
      messageIdHeader: 'x@tenant.example',
      sizeBytes: raw.length,
      heldUntil: new Date(),
      readRaw: async () => raw,
    })
    const id = /msg_\w+/.exec(outcome?.response ?? '')?.[0]
    const own = { dkim: [{ domain: 'tenant.example', result: 'pass' }], aligned_from: 'tenant.example' }
    expect((await call('GET', `${path}/${id}`)).body.trust).to.deep.equal({ ...trust, ...own })
    const shown = await fetch(`${door.http}${path}/${id}/raw?trace=true`, {
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    expect(await shown.text()).to.match(
      /^Return-Path: <other@tenant\.example>\r\nDelivered-To: \S+\r\nAuthentication-Results: [^;]+;\r\n\tdkim=pass /,
    )
  })

  it('does not treat mail that a mailbox here sends by the API as automatic', async () => {
    const peer = 'peer@tenant.example'
    await call('POST', '/api/v1/mailboxes', { address: peer, displayName: 'Peer' })
    const letter = { to: tenant.address, subject: 'From a peer', text: 'Is it done?' }
    expect((await call('POST', `${mailboxPath(peer)}/send`, letter)).status).to.equal(202)
    await carryOutgoing(door.ctx)
    const { body } = await call<{ messages: { message_id: string; thread_id: string }[] }>(
      'GET',
      `${path}?from=${peer}`,
    )
    const [{ message_id, thread_id }] = body.messages as [{ message_id: string; thread_id: string }]
    expect((await call<{ trust: Json }>('GET', `${path}/${message_id}`)).body.trust).to.include({
      aligned_from: 'tenant.example',
      auto_submitted: false,
    })
    const thread = await call('GET', `${mailboxPath(tenant.address)}/threads/${thread_id}`)
    expect(thread.body.awaiting).to.equal('us')
  })

  describe('and spam', () => {
    const spam = (id: string, body: object) => call<ErrorBody & { folder: string }>('PATCH', `${path}/${id}`, body)

    it('marking moves to Spam and back to the previous folder, together with other changes', async () => {
      const id = await arrive()
      await call('PATCH', `${path}/${id}`, { folder: 'Archive' })
      expect((await spam(id, { spam: true, seen: true })).body).to.include({ folder: 'Spam', seen: true })
      expect((await spam(id, { spam: true })).body.folder).to.equal('Spam')
      expect((await spam(id, { spam: false })).body.folder).to.equal('Archive')
      expect((await spam(id, { spam: false })).body.folder).to.equal('Archive')
    })

    it('marking works by the MCP tool, and moves to Spam without an argument', async () => {
      const id = await arrive()
      expect((await tool('mark_spam', { message_id: id })).structuredContent?.folder).to.equal('Spam')
      expect((await tool('mark_spam', { message_id: id, spam: false })).structuredContent?.folder).to.equal('INBOX')
    })

    it('unmarking moves to INBOX if the message arrived in Spam', async () => {
      const id = await arrive(letter(), { ...verdict, suspicion: 'policy' })
      expect((await call('GET', `${path}/${id}`)).body.folder).to.equal('Spam')
      expect((await spam(id, { spam: false })).body.folder).to.equal('INBOX')
    })

    it('the message is announced with the folder that it is in', async () => {
      const id = await arrive(letter(), { ...verdict, suspicion: 'policy' })
      await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
      const { body } = await call<{ events: readonly { data: { message_id: string; folder: string } }[] }>(
        'GET',
        '/api/v1/events?type=message.received',
      )
      expect(body.events.find(({ data }) => data.message_id === id)?.data.folder).to.equal('Spam')
    })

    it('marking cannot be combined with a move', async () => {
      const { status, body } = await spam(await arrive(), { spam: true, folder: 'Archive' })
      expect([status, body.code, body.param]).to.deep.equal([400, 'validation_error', 'folder'])
    })

    it('is learned by marking, not by moving', async () => {
      const folderOfNext = async (from: string) => {
        await door.noticed()
        return (await call('GET', `${path}/${await arrive(letter(from))}`)).body.folder
      }
      const moved = await arrive(letter('moved@remote.example'))
      await call('PATCH', `${path}/${moved}`, { folder: 'Spam' })
      expect(await folderOfNext('moved@remote.example')).to.equal('INBOX')
      const marked = await arrive(letter('marked@remote.example'))
      await spam(marked, { spam: true })
      expect(await folderOfNext('marked@remote.example')).to.equal('Spam')
    })

    it('only the newest lessons are remembered', async () => {
      const { mailboxId } = tenant
      for (let n = 0; n < 3; n++) await spam(await arrive(letter('again@remote.example')), { spam: n % 2 === 0 })
      const found = await door.ctx.store.mailboxes.findOne({ _id: mailboxId })
      const own = (found?.lessons ?? []).filter(({ address }) => address === 'again@remote.example')
      expect(own.map(({ spam }) => spam)).to.deep.equal([true])
      const many = Array.from({ length: 300 }, (_, n) => ({ address: `l${n}@x.example`, spam: true, at: new Date() }))
      await door.ctx.store.mailboxes.updateOne({ _id: mailboxId }, { $set: { lessons: many } })
      await spam(await arrive(letter('last@remote.example')), { spam: true })
      const after = (await door.ctx.store.mailboxes.findOne({ _id: mailboxId }))?.lessons ?? []
      expect(after.length).to.equal(300)
      expect(after.at(-1)?.address).to.equal('last@remote.example')
      expect(after[0]?.address).to.equal('l1@x.example')
    })
  })
})
