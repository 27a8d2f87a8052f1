import { expect } from 'chai'
import { setApproval } from '../../core/account/approval.ts'
import { logIn } from '../../core/account/login.ts'
import { tellOfApprovals } from '../../core/people/approval-notices.ts'
import { dayMs, hourMs, minuteMs } from '../../core/process/clock.ts'
import { settleApprovals } from '../../core/send/approvals.ts'
import { submit } from '../../core/send/submit.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { expectRefusal } from '../peers/person.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { connectMcp, type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'
import { dyingAtEachWrite } from '../start/dying.ts'
import { newPerson } from '../start/people.ts'

type Waiting = ErrorBody & {
  id: string
  status: string
  message_id: string | null
  approval: { id: string; hash: string; draft_id: string | null; expiresAt: string }
}
type Approval = ErrorBody & { id: string; status: string; hash: string; draft_id: string | null; reason: string | null }
type Email = {
  approval?: { status: string; reason: string | null }
  recipients: { status: string; reason: string | null }[]
}

describe('api: approvals', () => {
  let door: Door
  let tenant: Tenant
  let owner: Call
  let agent: Call
  let agentKey: string
  let box: string

  before(async () => {
    ;({ door, tenant, call: owner } = await openTenant({ monitorCommands: true }))
    box = mailboxPath(tenant.address)
    ;({ apiKey: agentKey } = await newAgent())
    agent = client(door.http, agentKey)
  })
  after(() => door?.close())

  const newAgent = (approval: 'required' | 'none' = 'required') =>
    makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind: 'agent',
      scopes: agentScopes,
      mailboxIds: [tenant.mailboxId],
      approval,
    })
  let mails = 0
  const mail = () => ({ to: 'ann@remote.example', subject: `Offer ${++mails}`, text: 'Twenty euros.' })
  const ask = async (body: Json = mail()): Promise<Waiting> => {
    const answer = await agent<Waiting>('POST', `${box}/send`, body)
    expect([answer.status, answer.body.status], JSON.stringify(answer.body)).to.deep.equal([
      202,
      'waiting_for_approval',
    ])
    return answer.body
  }
  const decide = (id: string, decision: Json, by = owner) => by<Approval>('POST', `/api/v1/approvals/${id}`, decision)
  const approve = ({ approval: { id, hash } }: Waiting) => decide(id, { decision: 'approve', hash })
  const sendOf = async (id: string) => (await agent<Email>('GET', `/api/v1/emails/${id}`)).body
  const committed = (id: string) => door.ctx.store.emails.countDocuments({ _id: id })
  const used = async () => (await owner<{ sends: { used: number } }>('GET', '/api/v1/usage')).body.sends.used

  it('a send waits as a draft, and once approved is sent exactly as it was read', async () => {
    const before = await used()
    const waiting = await ask({ ...mail(), bcc: 'eve@remote.example', subject: 'Offer', text: 'Ten euros.' })
    expect(await committed(waiting.id)).to.equal(0)
    expect(await used()).to.equal(before)
    const draft = await agent<Json & { bcc: Json[] }>('GET', `${box}/drafts/${waiting.approval.draft_id}`)
    expect(draft.body).to.include({ folder: 'Drafts', subject: 'Offer', text: 'Ten euros.' })
    expect(draft.body.bcc).to.deep.equal([{ name: '', address: 'eve@remote.example' }])
    expect((await sendOf(waiting.id)).approval).to.deep.include({ status: 'waiting', reason: null })
    const read = await owner<Json & { content: Json }>('GET', `/api/v1/approvals/${waiting.approval.id}`)
    expect(read.body).to.deep.include({ status: 'waiting', recipients: ['ann@remote.example', 'eve@remote.example'] })
    expect(read.body.content).to.include({ text: 'Ten euros.' })
    const approved = await approve(waiting)
    expect([approved.status, approved.body.status]).to.deep.equal([200, 'approved'])
    expect(await committed(waiting.id)).to.equal(1)
    expect(await used()).to.equal(before + 2)
    expect((await sendOf(waiting.id)).approval).to.deep.include({ status: 'approved' })
    expect((await agent('GET', `${box}/drafts/${waiting.approval.draft_id}`)).status).to.equal(404)
    const sent = await agent<{ messages: { subject: string; message_id: string }[] }>(
      'GET',
      `${box}/messages?folder=sent`,
    )
    const copy = await agent<{ text: string; headers: [string, string][] }>(
      'GET',
      `${box}/messages/${sent.body.messages[0]?.message_id}`,
    )
    expect(copy.body.text).to.equal('Ten euros.')
    expect(copy.body.headers.map(([name]) => name))
      .to.include('DKIM-Signature')
      .and.not.include('Bcc')
  })

  it('is listed in full, in pages, for the key that asked and for the account, and not for another key', async () => {
    type Sends = { emails: (Email & { id: string; createdAt: string })[]; next: string | null }
    const waiting = await ask()
    const refused = await ask()
    await decide(refused.approval.id, { decision: 'refuse', hash: refused.approval.hash })
    const approved = await ask()
    await approve(approved)
    const sent = await ask()
    await owner('POST', `${box}/drafts/${sent.approval.draft_id}/send`)
    const plain = await owner<Waiting>('POST', `${box}/send`, mail())
    const other = client(door.http, (await newAgent()).apiKey)
    const own = [waiting, refused, approved, sent].map(({ id }) => id)
    for (const [call, expected] of [
      [agent, own],
      [owner, [...own, plain.body.id]],
      [other, []],
    ] as const) {
      const listed: string[] = []
      for (let next: string | null | undefined; next !== null && listed.length < expected.length; ) {
        const { body } = await call<Sends>(
          'GET',
          `/api/v1/emails?limit=2${next === undefined ? '' : `&before=${next}`}`,
        )
        for (const each of body.emails) {
          expect({ success: true, ...each }).to.deep.equal((await call('GET', `/api/v1/emails/${each.id}`)).body)
          listed.push(each.id)
        }
        next = body.next
      }
      expect(listed.slice(0, expected.length)).to.have.members(expected)
      expect(listed).to.deep.equal(listed.toSorted().reverse())
    }
  })

  it('a dry run says which recipients would wait and which are suppressed, and requests no approval', async () => {
    await owner('POST', '/api/v1/suppressions', { email: 'never@remote.example' })
    const body = { ...mail(), to: ['ann@remote.example', 'never@remote.example'], dryRun: true }
    const decisions = async (call: Call) => {
      const { recipients } = (
        await call<{ recipients: { decision: string; reason: string | null }[] }>('POST', `${box}/send`, body)
      ).body
      return recipients.map(({ decision, reason }) => [decision, reason === null])
    }
    const before = await door.ctx.store.approvals.countDocuments({})
    expect(await decisions(agent)).to.deep.equal([
      ['waits_for_approval', false],
      ['suppressed', false],
    ])
    expect(await decisions(owner)).to.deep.equal([
      ['send', true],
      ['suppressed', false],
    ])
    expect(await door.ctx.store.approvals.countDocuments({})).to.equal(before)
  })

  describe('a call of MCP that is made again', () => {
    type Sent = { structuredContent: Waiting & { replayed: boolean } }
    const withMcp = async (
      act: (use: (name: string, given: Json) => Promise<Sent['structuredContent']>) => unknown,
    ) => {
      const mcp = await connectMcp(door.http, agentKey)
      try {
        await act(async (name, given) => {
          const result = await mcp.callTool({ name, arguments: { mailbox: tenant.address, ...given } })
          return (result as unknown as Sent).structuredContent
        })
      } finally {
        await mcp.close()
      }
    }
    const status = async ({ approval: { id } }: Waiting) =>
      (await owner<Approval>('GET', `/api/v1/approvals/${id}`)).body.status

    it('is the same send while it waits, and once it is approved', () =>
      withMcp(async (use) => {
        const letter = mail()
        const waiting = await use('send_message', letter)
        expect(await use('send_message', letter)).to.include({ id: waiting.id, replayed: true })
        expect((await approve(waiting)).status).to.equal(200)
        expect(await use('send_message', letter)).to.include({ id: waiting.id, replayed: true })
      }))

    it('asks for the approval of a draft as it is now', () =>
      withMcp(async (use) => {
        const { message_id: draft_id } = await use('create_draft', mail())
        const first = await use('send_draft', { draft_id })
        await use('update_draft', { draft_id, text: 'Thirty euros.' })
        const second = await use('send_draft', { draft_id })
        expect(second.approval.hash).not.to.equal(first.approval.hash)
        expect(await status(second)).to.equal('waiting')
        expect((await approve(second)).status).to.equal(200)
        expect(await use('send_draft', { draft_id })).to.include({ id: second.id, replayed: true })
      }))

    it('asks once more after a refusal', () =>
      withMcp(async (use) => {
        const letter = mail()
        const refused = await use('send_message', letter)
        const { id, hash } = refused.approval
        expect((await decide(id, { decision: 'refuse', hash })).status).to.equal(200)
        const again = await use('send_message', letter)
        expect(again).to.include({ status: 'waiting_for_approval', replayed: false })
        expect(await status(again)).to.equal('waiting')
      }))
  })

  describe('no door bypasses it', () => {
    const doors: { readonly [door: string]: () => Promise<unknown> } = {
      send: () => agent('POST', `${box}/send`, mail()),
      'send with a time': () =>
        agent('POST', `${box}/send`, { ...mail(), sendAt: new Date(door.ctx.clock.now().getTime() + hourMs) }),
      emails: () => agent('POST', '/api/v1/emails', { ...mail(), from: tenant.address }),
      reply: async () => agent('POST', `${box}/messages/${await received()}/reply`, { text: 'Yes' }),
      forward: async () => agent('POST', `${box}/messages/${await received()}/forward`, { to: 'b@remote.example' }),
      'a draft': async () => {
        const { body } = await agent('POST', `${box}/drafts`, mail())
        return agent('POST', `${box}/drafts/${body.message_id}/send`)
      },
      batch: async () => {
        const batch = { subject: 's', text: 't', recipients: [{ email: 'a@remote.example' }], idempotencyKey: 'b1' }
        expectRefusal(await agent('POST', `${box}/send-batch`, batch), [403, 'forbidden'])
      },
      MCP: async () => {
        const mcp = await connectMcp(door.http, agentKey)
        const result = await mcp.callTool({ name: 'send_message', arguments: { mailbox: tenant.address, ...mail() } })
        expect(JSON.stringify(result)).to.include('waiting_for_approval')
        await mcp.close()
      },
      submission: async () => {
        const login = await logIn(door.ctx, {
          user: tenant.address,
          password: agentKey,
          scope: 'mail:send',
          peerAddress: '127.0.0.1',
        })
        const raw = Buffer.from(
          `From: ${tenant.address}\r\nTo: ann@remote.example\r\nSubject: By SMTP ${++mails}\r\nMessage-ID: <${mails}@x.example>\r\n\r\nHi\r\n`,
        )
        const submission = {
          raw,
          reversePath: tenant.address,
          recipients: ['ann@remote.example'],
          peerAddress: '127.0.0.1',
        }
        const first = await submit(door.ctx, login, submission)
        expect(first.isWaiting).to.equal(true)
        expect(await submit(door.ctx, login, submission)).to.deep.equal(first)
      },
    }
    const received = () =>
      deliver(door.ctx, { to: tenant.address, raw: `From: a@remote.example\nSubject: Q${++mails}\n\nWell?` })

    for (const [name, go] of Object.entries(doors))
      it(name, async () => {
        const before = await door.ctx.store.emails.countDocuments({ accountId: tenant.accountId })
        const waiting = await door.ctx.store.approvals.countDocuments({ status: 'waiting' })
        await go()
        await door.ctx.background.done()
        expect(await door.ctx.store.emails.countDocuments({ accountId: tenant.accountId })).to.equal(before)
        const more = name === 'batch' ? 0 : 1
        expect(await door.ctx.store.approvals.countDocuments({ status: 'waiting' })).to.equal(waiting + more)
      })
  })

  it('an approved reply marks the message that it answers', async () => {
    const id = await deliver(door.ctx, { to: tenant.address, raw: 'From: a@remote.example\nSubject: Q\n\nWell?' })
    const { body } = await agent<Waiting>('POST', `${box}/messages/${id}/reply`, { text: 'Yes' })
    const answered = async () => (await agent<{ answered: boolean }>('GET', `${box}/messages/${id}`)).body.answered
    expect(await answered()).to.equal(false)
    await approve(body)
    expect(await answered()).to.equal(true)
  })

  it('an approved send with a later time is scheduled for that time, which the agent cannot change', async () => {
    const sendAt = new Date(door.ctx.clock.now().getTime() + hourMs).toISOString()
    const waiting = await ask({ ...mail(), sendAt })
    await approve(waiting)
    const { scheduled } = (await agent<{ scheduled: Json[] }>('GET', `${box}/scheduled`)).body
    expect(scheduled[0]).to.include({ id: waiting.id, sendAt })
    const later = new Date(door.ctx.clock.now().getTime() + 2 * hourMs).toISOString()
    expectRefusal(await agent('PATCH', `${box}/scheduled/${waiting.id}`, { sendAt: later }), [403, 'forbidden'])
  })

  it('a scheduled send returns to Drafts when it is cancelled', async () => {
    const waiting = await ask({
      ...mail(),
      subject: 'Planned and approved',
      sendAt: new Date(door.ctx.clock.now().getTime() + hourMs),
    })
    await approve(waiting)
    const { status, body } = await agent<{ draft_id: string }>('DELETE', `${box}/scheduled/${waiting.id}`)
    expect(status).to.equal(200)
    const draft = await agent<Json>('GET', `${box}/drafts/${body.draft_id}`)
    expect([draft.status, draft.body.subject]).to.deep.equal([200, 'Planned and approved'])
  })

  it('a send with a later time cannot be moved or cancelled before approval; the refusal says how to withdraw it', async () => {
    const { id, approval } = await ask({ ...mail(), sendAt: new Date(door.ctx.clock.now().getTime() + 2 * hourMs) })
    for (const [method, body] of [
      ['DELETE'],
      ['PATCH', { sendAt: new Date(door.ctx.clock.now().getTime() + hourMs) }],
    ] as const) {
      const answer = await agent<ErrorBody & { fix: string }>(method, `${box}/scheduled/${id}`, body)
      expectRefusal(answer, [409, 'conflict'])
      expect(answer.body.fix).to.match(/^Delete its draft/)
    }
    expect((await agent('DELETE', `${box}/drafts/${approval.draft_id}`)).status).to.equal(200)
    expectRefusal(await agent('DELETE', `${box}/scheduled/${id}`), [404, 'email_not_found'])
  })

  it('a rejected send is announced with the reason, and stays a draft', async () => {
    const waiting = await ask()
    const { id, hash, draft_id } = waiting.approval
    const refused = await decide(id, { decision: 'refuse', hash, reason: 'Too dear.' })
    expect([refused.status, refused.body.status, refused.body.reason]).to.deep.equal([200, 'refused', 'Too dear.'])
    const { approval, recipients } = await sendOf(waiting.id)
    expect(approval).to.include({ status: 'refused', reason: 'Too dear.' })
    expect(recipients.map(({ status, reason }) => [status, reason])).to.deep.equal([['failed', 'approval_refused']])
    expect((await agent('GET', `${box}/drafts/${draft_id}`)).status).to.equal(200)
    expectRefusal(await decide(id, { decision: 'approve', hash }), [409, 'conflict'])
    expect(await committed(waiting.id)).to.equal(0)
  })

  describe('is void when', () => {
    const cases: { readonly [what: string]: (draft: string) => Promise<Answer<Json>> } = {
      'the draft is changed': (id) => agent('PATCH', `${box}/drafts/${id}`, { text: 'Two thousand euros.' }),
      'the draft is changed to others': (id) => agent('PATCH', `${box}/drafts/${id}`, { to: 'bob@remote.example' }),
      'the draft is deleted': (id) => agent('DELETE', `${box}/drafts/${id}`),
      'the draft is moved away': (id) => agent('PATCH', `${box}/messages/${id}`, { folder: 'archive' }),
    }
    for (const [what, change] of Object.entries(cases))
      it(what, async () => {
        const waiting = await ask()
        expect((await change(waiting.approval.draft_id ?? '')).status).to.equal(200)
        expectRefusal(await approve(waiting), [409, 'conflict'])
        expect((await sendOf(waiting.id)).approval).to.include({ status: 'void' })
        expect(await committed(waiting.id)).to.equal(0)
      })
  })

  it('a changed draft asks again with a new hash; an unchanged draft asks once', async () => {
    const waiting = await ask()
    const { draft_id, hash } = waiting.approval
    const again = await agent<Waiting>('POST', `${box}/drafts/${draft_id}/send`)
    expect(again.body.approval).to.deep.include({ id: waiting.approval.id, hash })
    expect((await owner('PATCH', `${box}/drafts/${draft_id}`, { text: 'Twenty euros.' })).status).to.equal(200)
    expect((await sendOf(waiting.id)).approval).to.include({ status: 'waiting' })
    await agent('PATCH', `${box}/drafts/${draft_id}`, { text: 'Changed' })
    const anew = await agent<Waiting>('POST', `${box}/drafts/${draft_id}/send`)
    expect(anew.body.status).to.equal('waiting_for_approval')
    expect(anew.body.approval.hash).to.not.equal(hash)
    await agent('PATCH', `${box}/drafts/${draft_id}`, { text: 'Changed again' })
    const third = await agent<Waiting>('POST', `${box}/drafts/${draft_id}/send`)
    expect(third.body.id).to.equal(anew.body.id)
    expectRefusal(await approve(anew.body), [409, 'conflict'])
    expect((await approve(third.body)).status).to.equal(200)
    expect((await agent('GET', `${box}/drafts/${draft_id}`)).status).to.equal(404)
  })

  it('needs the hash of the content', async () => {
    const waiting = await ask()
    const { id } = waiting.approval
    expectRefusal(await decide(id, { decision: 'approve', hash: '0'.repeat(64) }), [409, 'conflict'])
    expectRefusal(await decide(id, { decision: 'approve' }), [400, 'validation_error'])
    expect((await approve(waiting)).status).to.equal(200)
  })

  it('one of several simultaneous decisions wins', async () => {
    const waiting = await ask()
    const { id, hash } = waiting.approval
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => decide(id, { decision: n % 2 === 0 ? 'approve' : 'refuse', hash })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).to.have.length(1)
    expect(statuses.filter((status) => status === 409)).to.have.length(5)
    const winner = answers.find(({ status }) => status === 200)?.body.status
    expect(await committed(waiting.id)).to.equal(winner === 'approved' ? 1 : 0)
  })

  describe('is sent once if its draft is sent during the approval, requested by', () => {
    const rounds = 8
    const ways: { readonly [way: string]: () => Promise<Answer<Waiting>> } = {
      'a send': () => agent('POST', `${box}/send`, mail()),
      'a send that may be repeated': () =>
        agent('POST', `${box}/send`, mail(), { 'idempotency-key': `parallel ${++mails}` }),
      'an answer': async () => {
        const id = await deliver(door.ctx, {
          to: tenant.address,
          raw: `From: a@remote.example\nSubject: Q${++mails}\n\nWell?`,
        })
        return agent('POST', `${box}/messages/${id}/reply`, { text: 'Yes' })
      },
      'a draft': async () => {
        const { body } = await agent('POST', `${box}/drafts`, mail())
        return agent('POST', `${box}/drafts/${body.message_id}/send`)
      },
    }
    for (const [way, begin] of Object.entries(ways))
      it(way, async () => {
        const waiting: Waiting[] = []
        for (let round = 0; round < rounds; round++) waiting.push((await begin()).body)
        const count = () => door.ctx.store.emails.countDocuments({ accountId: tenant.accountId })
        const before = await count()
        await Promise.all(
          waiting.map(async (each) => {
            const send = () => owner<Waiting>('POST', `${box}/drafts/${each.approval.draft_id}/send`)
            const [approved, ...sent] = await Promise.all([approve(each), send(), send()])
            expect(approved.status).to.be.oneOf([200, 409])
            for (const { status, body } of sent) {
              expect(status).to.be.oneOf([202, 404])
              if (status === 202) expect(body.id).to.equal(each.id)
            }
            expect((await sendOf(each.id)).recipients[0]?.status).to.equal('queued')
          }),
        )
        expect((await count()) - before).to.equal(rounds)
      })
  })

  it('a draft that changes while its approved content is being sent is not treated as sent', async () => {
    const waiting = await ask()
    const filter = { _id: waiting.approval.id }
    const dueAt = door.ctx.clock.now()
    const decision = { by: 'key_dead', at: dueAt, reason: null }
    await door.ctx.store.approvals.updateOne(filter, { $set: { status: 'approved', decision, dueAt } })
    const draft = `${box}/drafts/${waiting.approval.draft_id}`
    await agent('PATCH', draft, { text: 'Two thousand euros.' })
    await settleApprovals(door.ctx)
    expect(await committed(waiting.id)).to.equal(1)
    expectRefusal(await owner('POST', `${draft}/send`), [409, 'conflict'])
    expect((await owner('GET', draft)).body.text).to.equal('Two thousand euros.')
  })

  it('a request repeated after a crash that left a draft uses the same draft', async () => {
    const body = mail()
    const headers = { 'idempotency-key': 'died' }
    const first = await agent<Waiting>('POST', `${box}/send`, body, headers)
    const { id, draft_id } = first.body.approval
    await door.ctx.store.approvals.deleteOne({ _id: id })
    const running = { $set: { state: 'running' as const, startedAt: new Date(0) } }
    const last = { sort: { startedAt: -1 as const } }
    await door.ctx.store.idempotency.findOneAndUpdate({ accountId: tenant.accountId }, running, last)
    const second = await agent<Waiting>('POST', `${box}/send`, body, headers)
    expect([second.status, second.body.approval.draft_id]).to.deep.equal([202, draft_id])
    expect((await approve(second.body)).status).to.equal(200)
    expect((await agent('GET', `${box}/drafts/${draft_id}`)).status).to.equal(404)
  })

  it('a repeated request asks once', async () => {
    const body = mail()
    const headers = { 'idempotency-key': 'once' }
    const [first, second] = [
      await agent<Waiting>('POST', `${box}/send`, body, headers),
      await agent<Waiting>('POST', `${box}/send`, body, headers),
    ]
    expect(second.body).to.deep.equal(first.body)
    expect(second.headers.get('idempotent-replayed')).to.equal('true')
  })

  it('if the process dies between approval and send, the next one sends once', async () => {
    const waiting = await ask()
    const filter = { _id: waiting.approval.id }
    const dueAt = door.ctx.clock.now()
    const decision = { by: 'key_dead', at: dueAt, reason: null }
    await door.ctx.store.approvals.updateOne(filter, { $set: { status: 'approved', decision, dueAt } })
    await Promise.all([settleApprovals(door.ctx), settleApprovals(door.ctx)])
    await settleApprovals(door.ctx)
    expect(await committed(waiting.id)).to.equal(1)
    expect(await door.ctx.store.approvals.findOne(filter))
      .to.include({ status: 'approved' })
      .and.not.have.property('dueAt')
  })

  it('the sending rules apply on approval, and a send that they refuse keeps waiting', async () => {
    const waiting = await ask({ ...mail(), to: 'gone@remote.example' })
    await owner('POST', '/api/v1/suppressions', { email: 'gone@remote.example' })
    expectRefusal(await approve(waiting), [422, 'all_recipients_suppressed'])
    expect((await sendOf(waiting.id)).approval).to.include({ status: 'waiting' })
    await owner('DELETE', '/api/v1/suppressions/gone@remote.example')
    expect((await approve(waiting)).status).to.equal(200)
  })

  it('expires', async () => {
    const waiting = await ask()
    door.advance(7 * dayMs + minuteMs)
    await settleApprovals(door.ctx)
    expect(await door.ctx.store.approvals.findOne({ _id: waiting.approval.id })).to.include({ status: 'expired' })
    expectRefusal(await approve(waiting), [409, 'conflict'])
    expect((await sendOf(waiting.id)).recipients[0]).to.include({ status: 'failed', reason: 'approval_expired' })
  })

  it('can be decided by account keys and people, in their own account', async () => {
    const waiting = await ask()
    const { id, hash } = waiting.approval
    const decision = { decision: 'approve', hash }
    const other = await makeTenant(door, { name: 'other' })
    const { apiKey: readingKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })
    const { accountId } = tenant
    const reader = await newPerson(door, { accountId, role: 'reader' })
    const member = await newPerson(door, { accountId, role: 'member' })
    expectRefusal(await decide(id, decision, agent), [403, 'forbidden'])
    expectRefusal(await agent('GET', '/api/v1/approvals'), [403, 'forbidden'])
    expectRefusal(await decide(id, decision, client(door.http, other.key)), [404, 'not_found'])
    expectRefusal(await decide(id, decision, client(door.http, readingKey)), [403, 'insufficient_scope'])
    expectRefusal(await reader.ask('POST', `/api/v1/approvals/${id}`, decision), [403, 'insufficient_scope'])
    const listed = await member.ask<{ approvals: Approval[] }>('GET', '/api/v1/approvals?status=waiting&limit=1')
    expect(listed.body.approvals[0]).to.include({ id, hash })
    expect((await member.ask('POST', `/api/v1/approvals/${id}`, decision)).status).to.equal(200)
    await door.ctx.background.done()
    const { entries } = (await owner<{ entries: Json[] }>('GET', '/api/v1/audit?limit=5')).body
    expect(entries.map(({ action }) => action)).to.include.members(['approvals.approve', 'approvals.decide'])
  })

  it('is required of all agents of an account if the owner says so, and of no others', async () => {
    const free = client(door.http, (await newAgent('none')).apiKey)
    const person = await newPerson(door, { accountId: tenant.accountId, role: 'owner' })
    const member = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
    const statusOf = async (call: Call) => (await call('POST', `${box}/send`, mail())).body.status
    expect(await statusOf(free)).to.equal('queued')
    for (const refused of [
      await free('PATCH', '/api/v1/account', { approval: 'none' }),
      await owner('PATCH', '/api/v1/account', { approval: 'none' }),
      await member.ask('PATCH', '/api/v1/account', { approval: 'required' }),
    ])
      expectRefusal(refused, [403, 'forbidden'])
    const changed = await person.ask('PATCH', '/api/v1/account', { approval: 'required' })
    expect([changed.status, changed.body.approval]).to.deep.equal([200, 'required'])
    expect(await statusOf(free)).to.equal('waiting_for_approval')
    expect(await statusOf(owner)).to.equal('queued')
    await setApproval(door.ctx, tenant.accountId, 'none')
    expect(await statusOf(free)).to.equal('queued')
    const wanted = { name: 'bot', scopes: ['mail:send'], approval: 'required' }
    expectRefusal(await person.ask('POST', '/api/v1/keys', { ...wanted, kind: 'account' }), [400, 'validation_error'])
    const made = await person.ask('POST', '/api/v1/keys', { ...wanted, kind: 'agent' })
    expect(made.body.approval).to.equal('required')
  })

  it('notifies people at most once an hour', async () => {
    const { accountId } = await makeTenant(door, { name: 'told' })
    const { email } = await newPerson(door, { accountId })
    await newPerson(door, { accountId, role: 'reader' })
    const key = await makeKey(door.ctx, { accountId, kind: 'agent', scopes: agentScopes, approval: 'required' })
    const call = client(door.http, key.apiKey)
    await call('POST', '/api/v1/mailboxes', { address: 'bot@told.example' })
    const one = () => call('POST', `${mailboxPath('bot@told.example')}/send`, mail())
    const notices = () => door.ctx.store.emails.countDocuments({ noticeTo: email })
    await tellOfApprovals(door.ctx)
    for (const [expected, pauseMs] of [
      [1, 0],
      [1, 30 * minuteMs],
      [2, 31 * minuteMs],
    ] as const) {
      door.advance(pauseMs)
      expect((await one()).body.status).to.equal('waiting_for_approval')
      await tellOfApprovals(door.ctx)
      await tellOfApprovals(door.ctx)
      expect(await notices()).to.equal(expected)
    }
  })

  it('notifies people however many requests of another account wait', async () => {
    const { approvals } = door.ctx.store
    const emails: string[] = []
    for (const name of ['busy', 'quiet']) {
      const { accountId } = await makeTenant(door, { name })
      emails.push((await newPerson(door, { accountId })).email)
      const key = await makeKey(door.ctx, { accountId, kind: 'agent', scopes: agentScopes, approval: 'required' })
      const call = client(door.http, key.apiKey)
      await call('POST', '/api/v1/mailboxes', { address: `bot@${name}.example` })
      const send = () => call('POST', `${mailboxPath(`bot@${name}.example`)}/send`, mail())
      expect((await send()).body.status).to.equal('waiting_for_approval')
      if (name === 'quiet') continue
      await tellOfApprovals(door.ctx)
      await send()
      const waiting = (await approvals.findOne({ accountId, untoldSince: { $exists: true } }))!
      await approvals.insertMany(Array.from({ length: 500 }, (_, n) => ({ ...waiting, _id: `${waiting._id}${n}` })))
    }
    await tellOfApprovals(door.ctx)
    const notices = emails.map((noticeTo) => door.ctx.store.emails.countDocuments({ noticeTo }))
    expect(await Promise.all(notices)).to.deep.equal([1, 1])
  })

  it('notifies people of each request, wherever the process dies that does', async () => {
    const { accountId } = await makeTenant(door, { name: 'cut-off' })
    const { email } = await newPerson(door, { accountId })
    const key = await makeKey(door.ctx, { accountId, kind: 'agent', scopes: agentScopes, approval: 'required' })
    const call = client(door.http, key.apiKey)
    await call('POST', '/api/v1/mailboxes', { address: 'bot@cut-off.example' })
    const notices = () => door.ctx.store.emails.countDocuments({ noticeTo: email })
    let before = 0
    const deaths = await dyingAtEachWrite(
      async () => (await door.another()).ctx,
      async (at) => {
        before = await notices()
        const { body } = await call<Waiting>('POST', `${mailboxPath('bot@cut-off.example')}/send`, mail())
        expect(body.status).to.equal('waiting_for_approval')
        await tellOfApprovals(at)
      },
      async () => {
        door.advance(hourMs + minuteMs)
        await tellOfApprovals(door.ctx)
        expect(await notices()).to.be.above(before)
        expect(await door.ctx.store.approvals.countDocuments({ accountId, untoldSince: { $exists: true } })).to.equal(0)
        door.advance(hourMs + minuteMs)
      },
    )
    expect(deaths).to.be.above(1)
  })
})
