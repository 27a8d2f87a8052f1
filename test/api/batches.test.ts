import { expect } from 'chai'
import { pauseAccount, resumeAccount, suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { pauseSending, resumeSending } from '../../core/account/reputation.ts'
import { claimAttempts, deliverLocally } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import type { Context } from '../../core/process/context.ts'
import { nextStep, stepBatches } from '../../core/send/batches.ts'
import { settleDue } from '../../core/send/settle.ts'
import { newId } from '../../schemas/ids.ts'
import { readBlob } from '../../store/blobs.ts'
import type { BatchDoc } from '../../store/documents/sending.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeTenant, openTenant, type Tenant } from '../start/door.ts'

const minuteMs = 60_000

type Row = {
  readonly email: string
  readonly status: string
  readonly reason: string | null
  readonly email_id: string
}
type Answer = ErrorBody & {
  readonly id: string
  readonly recipients: readonly Row[]
  readonly missingFields: readonly Json[]
  readonly replayed: boolean
}

describe('api: batches', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let path: string

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    path = `${mailboxPath(tenant.address)}/send-batch`
  })
  after(() => door?.close())

  let keys = 0
  const letter = (recipients: readonly Json[], more: Json = {}): Json => ({
    subject: 'Hi {{name}}',
    text: 'Dear {{name}}, {{offer}}',
    html: '<p>Dear {{name}}</p>',
    recipients,
    idempotencyKey: `key-${keys++}`,
    ...more,
  })
  const send = (body: Json) => call<Answer>('POST', path, body)
  const status = async (id: string) => (await call<Answer>('GET', `${path}/${id}`)).body.recipients
  /** Recipients counted for the account this month. */
  const sentBy = async (own: Call) => (await own<{ emails: { sent: number } }>('GET', '/api/v1/usage')).body.emails.sent
  const people = (count: number, domain = 'list.example') =>
    Array.from({ length: count }, (_, n) => ({ email: `p${n}@${domain}`, fields: { name: `P${n}` } }))

  /** Processes batches and outbox until both are empty; the recipients are simulated. */
  async function run(): Promise<void> {
    while ((await stepBatches(door.ctx)) > 0) door.advance(1_000)
    await door.ctx.background.done()
    for (const attempt of await claimAttempts(door.ctx, { owner: 'test', max: 500 })) {
      const outcome = await deliverLocally(door.ctx, attempt)
      if (outcome !== null) await recordOutcome(door.ctx, attempt, outcome)
    }
    await settleDue(door.ctx)
  }

  it('is accepted at once, reports missing variables, and sends each recipient its own message', async () => {
    const { status: code, body } = await send(
      letter([
        { email: 'delivered@simulator.invalid', fields: { name: '<Ada>', offer: 'hello' } },
        { email: 'bounced@simulator.invalid', fields: { name: 'Bob' } },
        { email: 'complained@simulator.invalid' },
      ]),
    )
    expect(code).to.equal(202)
    expect(body.id).to.match(/^bat_/)
    expect(body.replayed).to.equal(false)
    expect(body.recipients.map((row) => row.status)).to.deep.equal(['queued', 'queued', 'queued'])
    expect(body.missingFields).to.deep.equal([
      { email: 'bounced@simulator.invalid', fields: ['offer'] },
      { email: 'complained@simulator.invalid', fields: ['name', 'offer'] },
    ])
    await run()
    const rows = await status(body.id)
    expect(rows.map((row) => row.status)).to.deep.equal(['delivered', 'bounced', 'complained'])
    expect(rows[1]?.reason).to.match(/550 5\.1\.1/)
    const email = await door.ctx.store.emails.findOne({ accountId: tenant.accountId, _id: rows[0]?.email_id ?? '' })
    expect([email?.subject, email?.messageId, email?.batchId]).to.deep.equal(['Hi <Ada>', null, body.id])
    const raw = email === null ? null : await readBlob(door.ctx.store, email.blob)
    expect(raw?.toString()).to.contain('Dear &lt;Ada&gt;').and.to.contain('Dear <Ada>, hello')
    const events = await call<{ events: { type: string; data: Json }[] }>('GET', '/api/v1/events?type=email.bounced')
    expect(events.body.events[0]?.data.batch_id).to.equal(body.id)
  })

  it('a repeat returns the first batch; another request with the key is refused', async () => {
    const body = letter(people(2))
    const first = await send(body)
    const again = await send(body)
    expect([again.status, again.body.id, again.body.replayed]).to.deep.equal([202, first.body.id, true])
    const reused = await send({ ...body, subject: 'Other' })
    expect([reused.status, reused.body.code]).to.deep.equal([422, 'idempotency_key_reused'])
    const both = await Promise.all([
      send(letter(people(2), { idempotencyKey: 'race' })),
      send(letter(people(2), { idempotencyKey: 'race' })),
    ])
    expect(new Set(both.map(({ body: { id } }) => id)).size).to.equal(1)
  })

  const refused: readonly (readonly [string, () => Json, number, string, string | undefined])[] = [
    ['more than the plan has in one call', () => letter(people(1_001)), 422, 'batch_too_large', undefined],
    [
      'a doubled recipient',
      () => letter([{ email: 'a@b.example' }, { email: 'A@B.example' }]),
      400,
      'validation_error',
      'recipients[1].email',
    ],
    ['an invalid address', () => letter([{ email: 'nobody' }]), 400, 'validation_error', 'recipients[0].email'],
    ['nobody', () => letter([]), 400, 'validation_error', 'recipients'],
    ['no key', () => letter(people(1), { idempotencyKey: '' }), 400, 'idempotency_key_invalid', undefined],
    [
      'nothing to say',
      () => ({ subject: 'x', recipients: people(1), idempotencyKey: 'n' }),
      400,
      'validation_error',
      'text',
    ],
    [
      'fields that fill a subject beyond what a send may have',
      () => letter([{ email: 'c@d.example', fields: { offer: 'x'.repeat(999) } }], { subject: '{{offer}}' }),
      400,
      'validation_error',
      'subject',
    ],
    [
      'fields that fill a mail beyond what a send may have',
      () =>
        letter([{ email: 'a@b.example' }, { email: 'c@d.example', fields: { offer: '&'.repeat(1_000) } }], {
          html: '{{offer}}'.repeat(10_000),
        }),
      413,
      'payload_too_large',
      undefined,
    ],
  ]
  for (const [name, body, code, error, param] of refused) {
    it(`refuses ${name}, and queues nothing`, async () => {
      const answer = await send(body())
      expect([answer.status, answer.body.code, answer.body.param]).to.deep.equal([code, error, param])
    })
  }

  it('is refused with send_limit_reached beyond what is left of the month', async () => {
    const small = await makeTenant(door, { name: 'small', plan: 'growth', agentsPlan: null })
    const { accountId } = small
    const month = door.ctx.clock.now().toISOString().slice(0, 7)
    await door.ctx.store.usage.insertOne({
      _id: `${accountId}:${month}`,
      expiresAt: new Date(Date.now() + 1e9),
      counts: { sent: 19_950 },
    })
    const own = client(door.http, small.key)
    const answer = await own<ErrorBody>('POST', `${mailboxPath(small.address)}/send-batch`, letter(people(60)))
    expect([answer.status, answer.body.code]).to.deep.equal([403, 'send_limit_reached'])
    expect(await door.ctx.store.batches.countDocuments({ accountId, mailboxId: small.mailboxId })).to.equal(0)
  })

  it('is refused with plan_required if the plan has no batches', async () => {
    const starter = await makeTenant(door, { name: 'starter', plan: 'starter', agentsPlan: null })
    const own = client(door.http, starter.key)
    const answer = await own<ErrorBody>('POST', `${mailboxPath(starter.address)}/send-batch`, letter(people(1)))
    expect([answer.status, answer.body.code]).to.deep.equal([402, 'plan_required'])
  })

  it('is sent at the rate of the plan, and nothing twice if a step is repeated', async () => {
    const slow = await makeTenant(door, { name: 'slow', plan: null, agentsPlan: 'free' })
    const { accountId } = slow
    const own = client(door.http, slow.key)
    const { body } = await own<Answer>('POST', `${mailboxPath(slow.address)}/send-batch`, letter(people(15)))
    const made = () => door.ctx.store.emails.countDocuments({ accountId, _id: { $gt: 'em_' } })
    // Starts in a new minute.
    door.beginMinute()
    await run()
    expect(await made()).to.equal(10)
    // As after a crash between the sends and the note of how many recipients were handled.
    await door.ctx.store.batches.updateOne({ accountId, _id: body.id }, { $set: { done: 3, nextAt: new Date(0) } })
    await run()
    expect(await made()).to.equal(10)
    door.advance(minuteMs)
    await run()
    expect(await made()).to.equal(15)
    const batch = await door.ctx.store.batches.findOne({ accountId, _id: body.id })
    expect([batch?.done, batch?.nextAt]).to.deep.equal([15, undefined])
  })

  it('waits while the account is suspended or paused, and then continues', async () => {
    const { body } = await send(letter([{ email: 'delivered@simulator.invalid' }]))
    const { accountId } = tenant
    await suspendAccount(door.ctx, accountId, 'a test')
    await pauseAccount(door.ctx, accountId, 'a test')
    await pauseSending(door.ctx, accountId, 'a test')
    for (const end of [unsuspendAccount, resumeAccount, (ctx: Context, id: string) => resumeSending(ctx, id, 'done')]) {
      door.advance(minuteMs)
      expect(await stepBatches(door.ctx)).to.equal(1)
      expect(await door.ctx.store.emails.findOne({ accountId, batchId: body.id })).to.equal(null)
      await end(door.ctx, accountId)
    }
    door.advance(minuteMs)
    await run()
    expect((await status(body.id)).map((row) => row.status)).to.deep.equal(['delivered'])
  })

  it('does not write to a recipient who is suppressed while waiting', async () => {
    const waiting = await makeTenant(door, { name: 'waiting', plan: null, agentsPlan: 'free' })
    const { accountId } = waiting
    const own = client(door.http, waiting.key)
    const batches = `${mailboxPath(waiting.address)}/send-batch`
    const { body } = await own<Answer>('POST', batches, letter(people(15)))
    door.beginMinute()
    await run()
    expect(await door.ctx.store.emails.countDocuments({ accountId, _id: { $gt: 'em_' } })).to.equal(10)
    await own('POST', '/api/v1/suppressions', { email: 'p12@list.example' })
    door.advance(minuteMs)
    await run()
    const found = await own<Answer>('GET', `${batches}/${body.id}`)
    expect(found.body.recipients.filter(({ email_id }) => email_id === null)).to.deep.equal([
      { email: 'p12@list.example', status: 'failed', reason: 'suppressed', email_id: null },
    ])
    expect(await door.ctx.store.emails.countDocuments({ accountId, _id: { $gt: 'em_' } })).to.equal(14)
    expect(await sentBy(own)).to.equal(14)
  })

  for (const email of ['reader@list.example', '"a reader"@list.example'])
    it(`can be unsubscribed from by ${email} with one click, but not by merely opening the link`, async () => {
      const { body } = await send(letter([{ email }]))
      await run()
      const [row] = await status(body.id)
      const doc = await door.ctx.store.emails.findOne({ accountId: tenant.accountId, _id: row?.email_id ?? '' })
      const raw = doc === null ? '' : String(await readBlob(door.ctx.store, doc.blob)).replaceAll('\r\n ', ' ')
      expect(raw).to.contain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
      const link = new URL(/List-Unsubscribe:\s*<([^>]+)>/.exec(raw)?.[1] ?? '').pathname
      const suppressed = () => call('GET', `/api/v1/suppressions/${encodeURIComponent(email)}`)
      const page = await fetch(`${door.http}${link}`)
      expect([page.status, await page.text()].join(' '))
        .to.contain('200')
        .and.to.contain(email.replaceAll('"', '&quot;'))
      expect((await suppressed()).status).to.equal(404)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const click = () =>
        fetch(`${door.http}${link}`, { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' })
      expect([(await click()).status, (await click()).status]).to.deep.equal([200, 200])
      expect((await suppressed()).body.reason).to.equal('unsubscribe')
      const forged = `${link.slice(0, -4)}AAAA`
      for (const method of ['GET', 'POST']) {
        const refused = await fetch(`${door.http}${forged}`, { method })
        expect([refused.status, refused.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8'])
        expect(await refused.text())
          .to.include('This link cannot be used')
          .and.include('Use the whole link')
      }
      const again = await send(letter([{ email }, { email: 'other@list.example' }]))
      expect(again.body.recipients.map((row) => row.status)).to.deep.equal(['queued', 'queued'])
      expect((await status(again.body.id))[0]).to.include({ status: 'failed', reason: 'suppressed' })
    })

  it('is listed with its progress for keys that reach its mailbox', async () => {
    await send(letter(people(1)))
    const { body } = await send(letter(people(2)))
    type List = { batches: (Json & { id: string })[]; next: string | null }
    const listed = async () => (await call<List>('GET', '/api/v1/batches?limit=1')).body
    const waiting = { id: body.id, mailbox: tenant.address, subject: 'Hi {{name}}', handled: 0, total: 2, ended: false }
    expect((await listed()).batches[0]).to.include(waiting)
    await run()
    const { batches, next } = await listed()
    expect(batches[0]).to.include({ ...waiting, handled: 2, ended: true })
    const { batches: older } = (await call<List>('GET', `/api/v1/batches?before=${next}`)).body
    expect(older.map(({ id }) => id)).to.not.include(body.id)
    const stranger = await makeTenant(door, { name: 'stranger' })
    expect((await client(door.http, stranger.key)<List>('GET', '/api/v1/batches')).body.batches).to.deep.equal([])
  })

  it('counts recipients who got their mail as handled if its mailbox is deleted before the others get theirs', async () => {
    const { key, address } = await makeTenant(door, { name: 'ending' })
    const ending = client(door.http, key)
    const { body } = await ending<Answer>('POST', `${mailboxPath(address)}/send-batch`, letter(people(30)))
    await stepBatches(door.ctx)
    expect((await ending('DELETE', mailboxPath(address))).status).to.equal(200)
    door.advance(minuteMs)
    await run()
    const { batches } = (await ending<{ batches: Json[] }>('GET', '/api/v1/batches')).body
    const made = await door.ctx.store.emails.countDocuments({ batchId: body.id })
    expect(made).to.be.within(1, 29)
    expect(batches.map(({ id, handled, total, ended }) => [id, handled, total, ended])).to.deep.equal([
      [body.id, made, 30, true],
    ])
    expect(await nextStep(door.ctx)).to.equal(null)
    expect(await sentBy(ending), 'what is counted').to.equal(made)
  })

  it('returns unused quota once, even if the progress was not recorded', async () => {
    const { key, address, accountId } = await makeTenant(door, { name: 'ending-anew' })
    const ending = client(door.http, key)
    const { body } = await ending<Answer>('POST', `${mailboxPath(address)}/send-batch`, letter(people(30)))
    expect(await sentBy(ending)).to.equal(30)
    await stepBatches(door.ctx)
    const made = await door.ctx.store.emails.countDocuments({ batchId: body.id })
    await ending('DELETE', mailboxPath(address))
    // As after a crash between the sends and the note of how many recipients were handled.
    await door.ctx.store.batches.updateOne({ accountId, _id: body.id }, { $set: { done: 0, nextAt: new Date(0) } })
    await Promise.all([stepBatches(door.ctx), stepBatches(door.ctx)])
    expect(await sentBy(ending)).to.equal(made)
  })

  it('continues while other batches fail at every step', async () => {
    const { batches } = door.ctx.store
    const { body: first } = await send(letter(people(1)))
    const sound = await batches.findOne({ accountId: tenant.accountId, _id: first.id })
    if (sound === null) throw new Error('The batch is not there.')
    const { from: _from, nextAt: _nextAt, ...broken } = sound
    const nextAt = new Date(sound.createdAt.getTime() - minuteMs)
    const others = Array.from({ length: 60 }, (_, n) => ({
      ...broken,
      _id: newId('bat', nextAt),
      idempotencyKey: `broken ${n}`,
      nextAt,
    }))
    await batches.insertMany(others as unknown as BatchDoc[])
    try {
      for (let steps = 0; steps < 2; steps++) await stepBatches(door.ctx)
      expect(await door.ctx.store.emails.countDocuments({ batchId: first.id })).to.equal(1)
      const at = await nextStep(door.ctx)
      expect(at?.getTime()).to.be.above(door.ctx.clock.now().getTime())
    } finally {
      await batches.deleteMany({ accountId: tenant.accountId, from: { $exists: false } })
    }
  })

  it('is not shown to another mailbox', async () => {
    const { body } = await send(letter(people(1)))
    const other = await makeTenant(door, { name: 'elsewhere' })
    const answer = await client(door.http, other.key)<ErrorBody>(
      'GET',
      `${mailboxPath(other.address)}/send-batch/${body.id}`,
    )
    expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
  })
})
