/** The automatic replies of mailboxes: an incoming message leads to one send, or to none. */
import { expect } from 'chai'
import { dayMs, hourMs } from '../../core/process/clock.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import type { Verdict } from '../../core/receive/sender-verdict.ts'
import { followArrivals } from '../../core/upkeep/arrivals.ts'
import { sweepArrivals } from '../../core/upkeep/sweep.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { readBlob } from '../../store/blobs.ts'
import { toldOf } from '../documents.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, openTenant, type Tenant } from '../start/door.ts'
import { carryOutgoing } from '../start/outgoing.ts'

const verdict: Verdict = {
  authentication: {
    spf: 'pass',
    dkim: [],
    dmarc: 'pass',
    arc: 'none',
    alignedFrom: 'remote.example',
    perhapsAligned: false,
    infos: [],
  },
  cuts: [],
  suspicion: null,
}
const unverified: Verdict = {
  ...verdict,
  authentication: { ...verdict.authentication, spf: 'none', dmarc: 'none', alignedFrom: null },
}
const suspicious: Verdict = { ...verdict, suspicion: 'filter' }

describe('api: automatic replies', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let people = 0

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  const away = { enabled: true, subject: 'Away until Monday', text: 'I read this on Monday.' }
  const set = async (autoReply: Json | null, by = call) => {
    const answer = await by<Json & ErrorBody>('PATCH', mailboxPath(tenant.address), { autoReply })
    await door.noticed()
    return answer
  }
  const person = () => `person${++people}@remote.example`

  type Letter = {
    readonly author?: string
    readonly fields?: string
    readonly to?: string
    readonly reversePath?: string
    readonly judged?: Verdict
  }

  /** Delivers a message without sending a reply yet. Returns its id. */
  const arrive = ({
    author = person(),
    fields = '',
    to = tenant.address,
    reversePath,
    judged = verdict,
  }: Letter = {}) =>
    deliver(door.ctx, {
      to: tenant.address,
      from: reversePath ?? author,
      verdict: judged,
      raw: `From: Ann <${author}>\nTo: ${to}\nSubject: Offer ${people}\nMessage-ID: <${people}.${fields.length}@remote.example>\n${fields}\nHello\n`,
    })
  const follow = async (id: string) => {
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]), followArrivals)
    await door.ctx.background.done()
  }
  const replies = async () => {
    const { body } = await call<{ emails: { id: string; to: string[]; subject: string }[] }>(
      'GET',
      '/api/v1/emails?limit=200',
    )
    return body.emails
  }
  const countTo = async (author: string) => (await replies()).filter(({ to }) => to.includes(author)).length

  it('go to the sender, are marked as automatic, and belong to the conversation', async () => {
    expect((await set(away)).body).to.deep.include({ autoReply: { ...away, until: null } })
    const author = person()
    const id = await arrive({ author })
    await follow(id)
    const [reply] = await replies()
    expect(reply).to.deep.include({ to: [author], subject: 'Away until Monday' })
    const email = await door.ctx.store.emails.findOne({ _id: reply!.id, accountId: tenant.accountId })
    const raw = String(await readBlob(door.ctx.store, email!.blob))
    expect(raw).to.match(/^Auto-Submitted: auto-replied\r$/m)
    expect(raw).to.match(new RegExp(`^In-Reply-To: <${people}\\.0@remote\\.example>\r$`, 'm'))
    expect(raw).to.contain('I read this on Monday.')
    const { body } = await call<{ answered: boolean; thread_id: string }>(
      'GET',
      `${mailboxPath(tenant.address)}/messages/${id}`,
    )
    expect(body.answered, 'nobody has read it yet').to.equal(false)
    const thread = await call('GET', `${mailboxPath(tenant.address)}/threads/${body.thread_id}`)
    expect(thread.body.awaiting).to.equal('us')
  })

  it('go to each person once in seven days, even if the announcement is repeated', async () => {
    const author = person()
    const id = await arrive({ author })
    await Promise.all([follow(id), follow(id)])
    await follow(await arrive({ author, fields: 'X-Second: 1\n' }))
    expect(await countTo(author)).to.equal(1)
    await follow(await arrive())
    expect(await countTo(`person${people}@remote.example`), 'another person').to.equal(1)
    door.advance(7 * dayMs + hourMs)
    await follow(await arrive({ author, fields: 'X-Third: 1\nX-Later: 1\n' }))
    expect(await countTo(author)).to.equal(2)
  })

  it('are sent by the sweep if the process that should send them has died', async () => {
    const author = person()
    await arrive({ author })
    door.advance(hourMs)
    await sweepArrivals(door.ctx)
    await door.ctx.background.done()
    expect(await countTo(author)).to.equal(1)
  })

  it('have the subject of the message if they have none, and the signature of the mailbox', async () => {
    await set({ ...away, subject: '' })
    await call('PATCH', mailboxPath(tenant.address), { signature: 'Ann' })
    await follow(await arrive())
    const [reply] = await replies()
    expect(reply?.subject).to.equal(`Auto: Offer ${people}`)
    const email = await door.ctx.store.emails.findOne({ _id: reply!.id, accountId: tenant.accountId })
    expect(String(await readBlob(door.ctx.store, email!.blob))).to.match(
      /I read this on Monday\.\r\n\r\n--(?: |=20)\r\nAnn/,
    )
    await call('PATCH', mailboxPath(tenant.address), { signature: null })
    await set(away)
  })

  const unanswered: readonly (readonly [what: string, letter: Letter])[] = [
    ['a program', { fields: 'Auto-Submitted: auto-generated\n' }],
    ['another automatic reply', { fields: 'Auto-Submitted: auto-replied\n' }],
    ['a list', { fields: 'List-Id: <news.remote.example>\n' }],
    ['bulk mail', { fields: 'Precedence: bulk\n' }],
    ['a bounce', { reversePath: '' }],
    ['an address that nobody reads', { author: 'no-reply@remote.example' }],
    ['a sender who did not address the mailbox', { to: 'undisclosed-recipients:;' }],
    ['somebody whom nothing authenticates', { judged: unverified }],
    ['somebody whose mail is spam', { judged: suspicious }],
    ['the mailbox itself', { author: 'main+x@tenant.example' }],
  ]
  for (const [what, letter] of unanswered)
    it(`do not go to ${what}`, async () => {
      const before = (await replies()).length
      const author = letter.author?.replace('main', tenant.address.split('@')[0]!)
      await follow(await arrive({ ...letter, ...(author !== undefined && { author }) }))
      expect((await replies()).length).to.equal(before)
    })

  const silent: readonly (readonly [what: string, autoReply: Json | null])[] = [
    ['are turned off', { ...away, enabled: false }],
    ['are removed', null],
  ]
  for (const [what, autoReply] of silent)
    it(`do not go out when they ${what}`, async () => {
      const before = (await replies()).length
      await set(autoReply)
      await follow(await arrive())
      expect((await replies()).length).to.equal(before)
    })

  it('end at their time, and cannot be turned on with a time that is over', async () => {
    const until = new Date(door.ctx.clock.now().getTime() + hourMs).toISOString()
    const [early, late] = [person(), person()]
    expect((await set({ ...away, until })).status).to.equal(200)
    await follow(await arrive({ author: early }))
    door.advance(hourMs)
    await follow(await arrive({ author: late }))
    expect([await countTo(early), await countTo(late)]).to.deep.equal([1, 0])
    const { status, body } = await set({ ...away, until })
    expect([status, body.code, body.param]).to.deep.equal([400, 'validation_error', 'autoReply.until'])
    expect((await set({ ...away, until, enabled: false })).status).to.equal(200)
    expect((await set({ ...away, until: null })).status).to.equal(200)
  })

  it('are not sent if they have been turned off meanwhile, or if the lists of the mailbox forbid it', async () => {
    await set(away)
    const [late, author] = [person(), person()]
    const id = await arrive({ author: late })
    await set(null)
    await follow(id)
    await set(away)
    await call('PUT', `${mailboxPath(tenant.address)}/lists`, { sendBlock: [author] })
    await follow(await arrive({ author }))
    await call('PUT', `${mailboxPath(tenant.address)}/lists`, { sendBlock: [] })
    expect([await countTo(late), await countTo(author)]).to.deep.equal([0, 0])
  })

  it('of two mailboxes do not answer each other', async () => {
    const peer = 'peer@tenant.example'
    await call('POST', '/api/v1/mailboxes', { address: peer })
    await call('PATCH', mailboxPath(peer), { autoReply: away })
    const { status } = await call('POST', `${mailboxPath(peer)}/send`, { to: tenant.address, text: 'Are you there?' })
    expect(status).to.equal(202)
    for (let round = 0; round < 3; round++) {
      await carryOutgoing(door.ctx)
      door.advance(hourMs)
      await sweepArrivals(door.ctx)
    }
    await door.ctx.background.done()
    expect([await countTo(peer), await countTo(tenant.address)]).to.deep.equal([1, 1])
  })

  it('cannot be turned on by a caller whose sends need approval', async () => {
    const { accountId, mailboxId } = tenant
    const { apiKey } = await makeKey(door.ctx, {
      accountId,
      kind: 'agent',
      scopes: agentScopes,
      mailboxIds: [mailboxId],
      approval: 'required',
    })
    const agent = client(door.http, apiKey)
    const { status, body } = await set(away, agent)
    expect([status, body.code]).to.deep.equal([403, 'forbidden'])
    expect((await set({ ...away, enabled: false }, agent)).status).to.equal(200)
  })
})
