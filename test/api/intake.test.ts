/** Intake from outside: mail arrives, the announcer derives records, and receivers get them. */
import { expect } from 'chai'
import { getAccount } from '../../core/account/accounts.ts'
import { changeAccountPlans } from '../../core/account/plans.ts'
import { issueTestKey } from '../../core/account/sandboxes.ts'
import { claimAttempts, deliverLocally } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { deriveMissed, deriveRecords } from '../../core/intake/derive.ts'
import { doDueIntake } from '../../core/intake/due.ts'
import { endRecords } from '../../core/intake/queue.ts'
import { sweepIntakes } from '../../core/intake/retention.ts'
import { attemptDueDeliveries } from '../../core/notify/due-deliveries.ts'
import { sampleOf } from '../../core/notify/samples.ts'
import { dayMs, secondMs } from '../../core/process/clock.ts'
import type { Context } from '../../core/process/context.ts'
import { announceArrivals, announceMissed } from '../../core/receive/announce.ts'
import { sweepBlobs } from '../../core/upkeep/unused-blobs.ts'
import { type Announcer, startAnnouncer } from '../../jobs/announcer.ts'
import { agentScopes, allScopes } from '../../schemas/scopes.ts'
import { collections } from '../../store/collections.ts'
import { intakeEventId } from '../../store/intake.ts'
import { moveMailboxes } from '../../store/moves.ts'
import type { Store } from '../../store/open.ts'
import { toldOf } from '../documents.ts'
import { eventually } from '../eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'

type Configuration = ErrorBody & {
  readonly mailbox: string
  readonly active: boolean
  readonly secret?: string
  readonly delivery: { readonly type: string; readonly url?: string | null; readonly webhookId?: string }
  readonly lens: { readonly enabled: boolean; readonly quoted: boolean; readonly fields: readonly Json[] }
  readonly retention: number | string
}
type File = { readonly name: string; readonly url: string; readonly expires_at: string; readonly text: string | null }
type Rec = ErrorBody & {
  readonly intake_id: string
  readonly message_id: string
  readonly subject: string
  readonly reply: string
  readonly from: Json
  readonly reply_to: Json | null
  readonly text: string
  readonly html: string
  readonly headers: Json
  readonly attachments: readonly File[]
  readonly lens: Json | null
  readonly lens_evidence: { readonly [key: string]: { source: string; start: number; end: number } | null } | null
  readonly lens_engine: string | null
  readonly spam: boolean
  readonly test: boolean
}
type List = { readonly messages: readonly Rec[]; readonly next: string | null }

const base = '/api/v1/intake'
const orderField = { key: 'order_number', type: 'text', description: 'Number of the order' }

/** A message with a text and with attachments of several types. */
function letter({
  subject = 'Order',
  text = 'Hello',
  files = [],
  headers = '',
}: {
  subject?: string
  text?: string
  headers?: string
  files?: readonly {
    readonly type: string
    readonly name?: string
    readonly content: string
    readonly inline?: boolean
  }[]
}): string {
  const parts = files.map(
    ({ type, name, content, inline }) =>
      `--b\nContent-Type: ${type}\nContent-Disposition: ${inline ? 'inline' : 'attachment'}; filename="${name ?? 'a'}"\n` +
      `${inline ? 'Content-ID: <x@y>\n' : ''}\n${content}\n`,
  )
  const body =
    files.length === 0
      ? `Content-Type: text/plain; charset=utf-8\n\n${text}\n`
      : `Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n${text}\n${parts.join('')}--b--\n`
  return `From: "Ada" <ada@remote.example>\nTo: you@here.example\nSubject: ${subject}\nMessage-ID: <${subject.replaceAll(/\W/g, '')}@remote.example>\nDate: Fri, 04 Dec 2026 23:30:00 +0200\nMIME-Version: 1.0\n${headers}${body}`
}

describe('api: Intake', () => {
  let door: Door
  let announcer: Announcer
  let receiver: WebhookReceiver
  let tenants = 0

  before(async () => {
    door = await openDoor()
    // The receivers of these tests run on this machine.
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    announcer = startAnnouncer(door.ctx)
    receiver = await startWebhookReceiver()
  })
  after(async () => {
    await announcer?.stop()
    await receiver?.close()
    await door?.close()
  })

  type Owner = Tenant & { readonly call: Call; set(more?: Json): Promise<Configuration> }

  /** An account with a mailbox and the Intake configuration that watches it. */
  async function owner(plans: Partial<Parameters<typeof makeTenant>[1]> = {}): Promise<Owner> {
    const tenant = await makeTenant(door, { name: `intake${++tenants}`, ...plans })
    const call = client(door.http, tenant.key)
    return {
      ...tenant,
      call,
      async set(more = {}) {
        const { status, body } = await call<Configuration>('POST', base, { mailbox: tenant.address, ...more })
        expect(status, JSON.stringify(body)).to.equal(201)
        return body
      },
    }
  }

  const pathOf = ({ address }: Pick<Tenant, 'address'>) => `${base}/${encodeURIComponent(address)}`
  const mail = ({ address }: Tenant, what: Parameters<typeof letter>[0] = {}) =>
    deliver(door.ctx, { to: address, raw: letter(what) })
  const list = async ({ call }: Owner, query = '') => (await call<List>('GET', `${base}/messages${query}`)).body
  const read = async ({ call }: Owner, id: string): Promise<Rec> => {
    const { success: _, ...record } = (await call<Rec & { success: boolean }>('GET', `${base}/messages/${id}`)).body
    return record as Rec
  }

  /** Delivers a message, and waits for its record. */
  async function arrive(of: Owner, what: Parameters<typeof letter>[0] = {}): Promise<Rec> {
    const messageId = await mail(of, what)
    const found = await eventually('the record', async () =>
      (await list(of)).messages.find((each) => each.message_id === messageId),
    )
    return read(of, found.intake_id)
  }

  /** What the receiver has received for a mailbox. */
  const bodiesOf = ({ address }: Tenant) =>
    receiver.requests
      .map(({ body, headers }) => ({
        headers,
        event: JSON.parse(body) as { id: string; type: string; data: Rec & { mailbox: string } },
      }))
      .filter(({ event }) => event.data.mailbox === address)

  describe('a configuration', () => {
    it('has an endpoint of its own for a URL, whose secret is shown once', async () => {
      const of = await owner()
      const made = await of.set({ delivery: { type: 'webhook', url: receiver.url } })
      expect(made.secret).to.match(/^whsec_/)
      expect(made.active).to.equal(true)
      expect(made.retention).to.equal(30)
      const { body } = await of.call<Configuration>('GET', pathOf(of))
      expect(body.delivery).to.deep.equal({ type: 'webhook', url: receiver.url, webhookId: made.delivery.webhookId })
      expect(body).not.to.have.property('secret')
      const endpoint = await of.call<Json>('GET', `/api/v1/webhooks/${made.delivery.webhookId}`)
      expect(endpoint.body.events).to.deep.equal(['intake.message'])
      expect(endpoint.body.scope).to.deep.equal({ domains: [], mailboxes: [of.address] })
      const all = await of.call<{ intakes: Configuration[] }>('GET', base)
      expect(all.body.intakes.map(({ mailbox }) => mailbox)).to.deep.equal([of.address])
      // A new URL keeps the endpoint and its secret; another kind of delivery ends the endpoint.
      const moved = await of.call<Configuration>('PATCH', pathOf(of), {
        delivery: { type: 'webhook', url: `${receiver.url}2` },
      })
      expect([moved.body.delivery.webhookId, moved.body.secret]).to.deep.equal([made.delivery.webhookId, undefined])
      const api = await of.call<Configuration>('PATCH', pathOf(of), { delivery: { type: 'api' } })
      expect(api.body.delivery).to.deep.equal({ type: 'api' })
      expect((await of.call('GET', `/api/v1/webhooks/${made.delivery.webhookId}`)).status).to.equal(404)
    })

    it('uses an existing endpoint, which receives its events from then on and outlives it', async () => {
      const of = await owner()
      const hook = await of.call<{ id: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        events: ['message.received'],
      })
      const made = await of.set({ delivery: { type: 'webhook', webhookId: hook.body.id } })
      expect(made).not.to.have.property('secret')
      const endpoint = await of.call<{ events: string[] }>('GET', `/api/v1/webhooks/${hook.body.id}`)
      expect(endpoint.body.events).to.deep.equal(['message.received', 'intake.message'])
      expect((await of.call('DELETE', pathOf(of))).status).to.equal(200)
      expect((await of.call('GET', `/api/v1/webhooks/${hook.body.id}`)).status).to.equal(200)
    })

    it('is set up by an agent, with a mailbox of its own and an endpoint for this mailbox only', async () => {
      const of = await owner()
      const wanted = { accountId: of.accountId, kind: 'agent', scopes: agentScopes, mailboxIds: [] } as const
      const call = client(door.http, (await makeKey(door.ctx, wanted)).apiKey)
      const address = `bot@${of.address.split('@')[1]}`
      const asked = { mailbox: address, create: true, delivery: { type: 'webhook', url: receiver.url } }
      const made = await call<Configuration>('POST', base, asked)
      expect([made.status, made.body.delivery.url], JSON.stringify(made.body)).to.deep.equal([201, receiver.url])
      await mail({ ...of, address }, { subject: 'bot' })
      const posted = await eventually('the webhook', () => bodiesOf({ ...of, address })[0])
      expect(posted.event.data.subject).to.equal('bot')
    })

    it('creates a missing mailbox if the caller may', async () => {
      const of = await owner()
      const mailbox = `fresh@${of.address.split('@')[1]}`
      const refused = await of.call<ErrorBody>('POST', base, { mailbox })
      expect([refused.status, refused.body.code]).to.deep.equal([404, 'mailbox_not_found'])
      const made = await of.call<Configuration>('POST', base, { mailbox, create: true, retention: 'forever' })
      expect([made.status, made.body.mailbox, made.body.retention]).to.deep.equal([201, mailbox, 'forever'])
      expect((await of.call('GET', mailboxPath(mailbox))).status).to.equal(200)
    })

    const fields = [orderField]
    const wrong: readonly (readonly [what: string, Json, param: string])[] = [
      ['an invalid URL', { delivery: { type: 'webhook', url: 'nowhere' } }, 'delivery.url'],
      ['a URL that is no web address', { delivery: { type: 'webhook', url: 'ftp://a.example/' } }, 'delivery.url'],
      ['a webhook that goes nowhere', { delivery: { type: 'webhook' } }, 'delivery.url'],
      [
        'two places at once',
        { delivery: { type: 'webhook', url: 'https://a.example/', webhookId: 'whk_1' } },
        'delivery.webhookId',
      ],
      ['an API with a URL', { delivery: { type: 'api', url: 'https://a.example/' } }, 'delivery.url'],
      ['another delivery', { delivery: { type: 'fax' } }, 'delivery.type'],
      ['an odd retention', { retention: 8 }, 'retention'],
      ['a retention in words', { retention: 'never' }, 'retention'],
      ['Lens without fields', { lens: { enabled: true } }, 'lens.fields'],
      ['two fields of one key', { lens: { enabled: true, fields: [...fields, ...fields] } }, 'lens.fields[1].key'],
      [
        'a field of another type',
        { lens: { enabled: true, fields: [{ ...orderField, type: 'colour' }] } },
        'lens.fields[0].type',
      ],
      ['an invalid key', { lens: { enabled: true, fields: [{ ...orderField, key: 'a.b' }] } }, 'lens.fields[0].key'],
      ['a word that it does not know', { color: 'red' }, 'color'],
    ]
    it('refuses an invalid configuration', async () => {
      const of = await owner()
      for (const [what, more, param] of wrong) {
        const { status, body } = await of.call<ErrorBody>('POST', base, { mailbox: of.address, ...more })
        expect([status, body.code, body.param], what).to.deep.equal([400, 'validation_error', param])
      }
      await of.set()
      const again = await of.call<ErrorBody>('POST', base, { mailbox: of.address })
      expect([again.status, again.body.code]).to.deep.equal([409, 'conflict'])
      for (const [what, more, param] of wrong) {
        const { status, body } = await of.call<ErrorBody>('PATCH', pathOf(of), more)
        expect([status, body.code, body.param], `PATCH ${what}`).to.deep.equal([400, 'validation_error', param])
      }
      const narrow = await of.call<{ id: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        events: ['intake.message'],
        scope: { mailboxes: [`other@${of.address.split('@')[1]}`] },
      })
      const delivery = { type: 'webhook', webhookId: narrow.body.id }
      const unheard = await of.call<ErrorBody>('PATCH', pathOf(of), { delivery })
      expect([unheard.status, unheard.body.code]).to.deep.equal([409, 'conflict'])
      const none = await of.call<ErrorBody>('PATCH', pathOf(of), { delivery: { ...delivery, webhookId: 'whk_none' } })
      expect([none.status, none.body.code]).to.deep.equal([404, 'not_found'])
    })

    it('refuses the endpoint of an agent key that does not reach the mailbox, and accepts it for one that the key creates', async () => {
      const of = await owner()
      const { apiKey } = await makeKey(door.ctx, {
        accountId: of.accountId,
        kind: 'agent',
        scopes: agentScopes,
        mailboxIds: [],
      })
      const agent = client(door.http, apiKey)
      const hook = await agent<{ id: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        events: ['intake.message'],
      })
      const delivery = { type: 'webhook', webhookId: hook.body.id }
      const unheard = await of.call<ErrorBody>('POST', base, { mailbox: of.address, delivery })
      expect([unheard.status, unheard.body.code], JSON.stringify(unheard.body)).to.deep.equal([409, 'conflict'])
      const mailbox = `bot@${of.address.split('@')[1]}`
      const made = await agent<Configuration>('POST', base, { mailbox, create: true, delivery })
      expect(made.status, JSON.stringify(made.body)).to.equal(201)
      expect((await of.call('PATCH', `${base}/${mailbox}`, { delivery })).status).to.equal(200)
    })
  })

  describe('a mail in a watched mailbox', () => {
    it('becomes one record, which is the same in the webhook and the API', async () => {
      const of = await owner()
      await of.set({ delivery: { type: 'webhook', url: receiver.url }, lens: { enabled: true, fields: [orderField] } })
      const record = await arrive(of, {
        subject: 'Your order',
        text: 'Order number: A-17\n\nBest\n\nOn Monday, Bob <bob@x.example> wrote:\n> Order number: B-99\n',
        headers: 'In-Reply-To: <q@x.example>\nList-Id: <l.x.example>\n',
      })
      expect(record.subject).to.equal('Your order')
      expect(record.text).to.include('B-99')
      expect(record.reply).to.include('A-17').and.not.include('B-99')
      expect(record.headers).to.deep.equal({
        message_id: '<Yourorder@remote.example>',
        date: 'Fri, 04 Dec 2026 23:30:00 +0200',
        in_reply_to: '<q@x.example>',
        references: null,
        list_id: '<l.x.example>',
        auto_submitted: null,
      })
      expect([record.html, record.spam, record.test]).to.deep.equal(['', false, false])
      expect([record.lens, record.lens_engine]).to.deep.equal([{ order_number: 'A-17' }, 'rules'])
      const evidence = record.lens_evidence?.order_number
      expect(evidence && [...record.text].slice(evidence.start, evidence.end).join('')).to.equal('A-17')
      const [posted, ...more] = await eventually('the webhook', () => bodiesOf(of).length > 0 && bodiesOf(of))
      expect(more).to.deep.equal([])
      expect(posted?.event.type).to.equal('intake.message')
      expect(posted?.event.data).to.deep.equal(record)
      const sample = sampleOf('intake.message', new Date()) as Json
      expect(sample).to.have.all.keys(record)
      expect(sample.headers).to.have.all.keys(record.headers as object)
      const { body } = await of.call<{ events: Json[] }>('GET', '/api/v1/events?type=intake.message')
      expect(body.events.map(({ data }) => data)).to.deep.equal([record])
      const usage = await of.call<{ lens: Json }>('GET', '/api/v1/usage')
      expect(usage.body.lens).to.deep.equal({ used: 1, limit: 2_000, extra: 0 })
    })

    it('has a record whatever its content', async () => {
      const of = await owner()
      await of.set()
      const html = (body: string) => `Content-Type: text/html; charset=utf-8\n\n${body}\n`
      const odd: readonly (readonly [
        what: string,
        raw: string,
        expected: Partial<Rec> | ((record: Rec) => unknown),
      ])[] = [
        ['nothing at all', '\n', { subject: '', text: '', html: '', reply: '', from: { name: '', address: '' } }],
        ['no From', 'Subject: s\n\nt\n', { subject: 's', text: 't', from: { name: '', address: '' } }],
        ['an author without an address', 'From: "Ada" <>\n\nt\n', { text: 't' }],
        [
          'HTML alone',
          html('<p>Seen</p><script>x()</script>'),
          ({ text, html }) => text === 'Seen' && !/script/.test(html) && /Seen/.test(html),
        ],
        [
          'hidden text',
          html('<p>Seen</p><p style="display:none">hidden</p>'),
          ({ text, reply }) => !`${text}${reply}`.includes('hidden'),
        ],
        ['a long text', `\n${'€'.repeat(40_000)}\n`, ({ text }) => Buffer.byteLength(text) === 102_399],
        [
          'long HTML',
          html(`<p>${'<b>abcdefgh</b>'.repeat(20_000)}</p>`),
          ({ html }) => Buffer.byteLength(html) <= 204_800 && /(?:<\/b>|<b>|h)$/.test(html),
        ],
        [
          'two Reply-To',
          'Reply-To: a@x.example, b@x.example\n\nt\n',
          ({ reply_to: to }) => JSON.stringify(to).includes('a@x'),
        ],
        ['a broken date', 'Date: never\n\nt\n', ({ headers }) => headers.date === 'never'],
      ]
      const ids = await Promise.all(odd.map(([, raw]) => deliver(door.ctx, { to: of.address, raw })))
      await eventually('all records', async () => (await list(of)).messages.length === odd.length)
      const found = new Map((await list(of)).messages.map((each) => [each.message_id, each.intake_id]))
      for (const [n, [what, , expected]] of odd.entries()) {
        const record = await read(of, found.get(ids[n]!) ?? '')
        if (typeof expected === 'function') expect(expected(record), what).to.equal(true)
        else expect(record, what).to.deep.include(expected)
      }
    })

    it('is parsed from Spam too', async () => {
      const of = await owner()
      await of.set()
      const authentication = {
        spf: 'none',
        dkim: [],
        dmarc: 'none',
        arc: 'none',
        alignedFrom: null,
        perhapsAligned: false,
        infos: [],
      } as const
      const verdict = { authentication, cuts: [], suspicion: 'filter' } as const
      await deliver(door.ctx, { to: of.address, raw: letter({ subject: 'spam' }), verdict })
      const record = await eventually('the record', async () => (await list(of)).messages[0])
      expect([record.subject, record.spam]).to.deep.equal(['spam', true])
    })

    it('has the text of its first three files, and links to all files', async () => {
      const of = await owner()
      await of.set({ lens: { enabled: true, fields: [orderField] } })
      const text = (n: number) => ({ type: 'text/plain', name: `${n}.txt`, content: `Order number: ${n}` })
      const record = await arrive(of, {
        files: [
          { type: 'image/png', name: 'logo.png', content: 'logo', inline: true },
          { type: 'image/png', name: 'scan.png', content: 'scan' },
          text(1),
          { type: 'text/html', name: 'page.html', content: '<p>Seen</p><script>x()</script>' },
          text(4),
        ],
      })
      expect(record.attachments.map(({ name, text: read }) => [name, read?.trim() ?? null])).to.deep.equal([
        ['logo.png', null],
        ['scan.png', null],
        ['1.txt', 'Order number: 1'],
        ['page.html', 'Seen'],
        ['4.txt', null],
      ])
      const page = await fetch(record.attachments[3]!.url.replace(door.ctx.baseUrl, door.http))
      expect(await page.text()).to.include('<script>')
      expect(page.headers.get('content-disposition')).to.match(/^attachment/)
      expect(page.headers.get('content-security-policy')).to.include('sandbox')
      expect(page.headers.get('x-content-type-options')).to.equal('nosniff')
      const url = record.attachments[4]!.url.replace(door.ctx.baseUrl, door.http)
      const range = await fetch(url, { headers: { range: 'bytes=0-4' } })
      expect([range.status, await range.text()]).to.deep.equal([206, 'Order'])
      const head = await fetch(url, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, '15'])
      const forged = await fetch(`${url.slice(0, -2)}xx`)
      expect(forged.status).to.equal(404)
    })
  })

  const link = ({ url }: File) => url.replace(door.ctx.baseUrl, door.http)
  const statusOf = async (file: File) => (await fetch(link(file))).status
  const file = { type: 'text/plain', name: 'a.txt', content: 'one' }

  describe('links', () => {
    it('expire after a day, and reading the record again gives fresh ones', async () => {
      const of = await owner()
      await of.set()
      const record = await arrive(of, { files: [file] })
      const [first] = record.attachments
      expect(Date.parse(first!.expires_at) - door.ctx.clock.now().getTime()).to.be.within(dayMs - 60_000, dayMs)
      expect(await statusOf(first!)).to.equal(200)
      door.advance(dayMs + secondMs)
      expect(await statusOf(first!)).to.equal(404)
      const [fresh] = (await read(of, record.intake_id)).attachments
      expect(await statusOf(fresh!)).to.equal(200)
    })

    it('can be ended at once by their owner, and by nobody else', async () => {
      const [of, other] = [await owner(), await owner()]
      await of.set()
      const { intake_id: id, attachments } = await arrive(of, { files: [file] })
      const path = `${base}/messages/${id}/revoke-links`
      expect((await other.call('POST', path)).status).to.equal(404)
      expect(await statusOf(attachments[0]!)).to.equal(200)
      const { body } = await of.call<Rec>('POST', path)
      expect([await statusOf(attachments[0]!), await statusOf(body.attachments[0]!)]).to.deep.equal([404, 200])
    })

    it('work as long as the record exists, whatever happens to the message', async () => {
      const of = await owner()
      await of.set()
      const { intake_id: id, message_id: messageId, attachments } = await arrive(of, { files: [file] })
      const gone = await of.call('DELETE', `${mailboxPath(of.address)}/messages/${messageId}?permanent=true`)
      expect(gone.status).to.equal(200)
      await door.ctx.background.done()
      expect([await statusOf(attachments[0]!), (await read(of, id)).text]).to.deep.equal([200, 'Hello'])
      const { blob } = (await door.ctx.store.intakeRecords.findOne({ _id: id }))!
      const blobs = () => door.ctx.store.blobs.countDocuments({ _id: `${blob.id}#0` })
      expect(await blobs()).to.equal(1)
      expect((await of.call('DELETE', `${base}/messages/${id}`)).status).to.equal(200)
      expect([await statusOf(attachments[0]!), await blobs()]).to.deep.equal([404, 0])
    })
  })

  describe('access', () => {
    it('an agent key sees only mailboxes that it reaches, and another account sees nothing', async () => {
      const [of, other] = [await owner(), await owner()]
      await of.set({ delivery: { type: 'webhook', url: receiver.url } })
      const second = `second@${of.address.split('@')[1]}`
      await of.call('POST', base, { mailbox: second, create: true })
      const mine = await arrive(of, { subject: 'mine' })
      const messageId = await mail({ ...of, address: second }, { subject: 'other' })
      await eventually('both', async () => (await list(of)).messages.length === 2)
      const { apiKey } = await makeKey(door.ctx, {
        accountId: of.accountId,
        kind: 'agent',
        scopes: agentScopes,
        mailboxIds: [of.mailboxId],
      })
      const agent = { ...of, call: client(door.http, apiKey) }
      expect((await list(agent)).messages.map(({ subject }) => subject)).to.deep.equal(['mine'])
      const all = await agent.call<{ intakes: Configuration[] }>('GET', base)
      expect(all.body.intakes.map(({ mailbox, delivery }) => [mailbox, delivery.url])).to.deep.equal([
        [of.address, undefined],
      ])
      const theirs = (await list(of)).messages.find((each) => each.message_id === messageId)!
      const refused: readonly (readonly [Call, method: string, path: string])[] = [
        [agent.call, 'GET', `${base}/messages/${theirs.intake_id}`],
        [agent.call, 'DELETE', `${base}/messages/${theirs.intake_id}`],
        [agent.call, 'GET', `${base}/messages?mailbox=${second}`],
        [agent.call, 'GET', `${base}/${second}`],
        [agent.call, 'DELETE', `${base}/${second}`],
        [other.call, 'GET', `${base}/messages/${mine.intake_id}`],
        [other.call, 'GET', `${base}/messages?mailbox=${of.address}`],
        [other.call, 'DELETE', pathOf(of)],
      ]
      for (const [call, method, path] of refused)
        expect((await call(method, path)).status, `${method} ${path}`).to.equal(404)
      expect((await list(other)).messages).to.deep.equal([])
    })

    it('pages go back from the newest record, and new arrivals do not shift them', async () => {
      const of = await owner()
      await of.set()
      for (const subject of ['one', 'two', 'three']) await arrive(of, { subject })
      const first = await list(of, '?limit=2')
      expect(first.messages.map(({ subject }) => subject)).to.deep.equal(['three', 'two'])
      expect(first.messages[0]).not.to.have.any.keys('text', 'html')
      await arrive(of, { subject: 'four' })
      const second = await list(of, `?limit=2&mailbox=${of.address}&before=${first.next}`)
      expect([second.messages.map(({ subject }) => subject), second.next]).to.deep.equal([['one'], null])
      const wrong = await of.call<ErrorBody>('GET', `${base}/messages?before=nonsense`)
      expect([wrong.status, wrong.body.param]).to.deep.equal([400, 'before'])
    })
  })

  describe('plans', () => {
    for (const [plan, agentsPlan] of [
      ['starter', null],
      ['growth', 'scale'],
      [null, 'scale'],
    ] as const)
      it(`${plan ?? 'none'} with ${agentsPlan ?? 'none'}: it is not set up`, async () => {
        const of = await owner({ plan, agentsPlan })
        const { status, body } = await of.call<ErrorBody>('POST', base, { mailbox: of.address })
        expect([status, body.code]).to.deep.equal([402, 'plan_required'])
      })

    it('a trial sets it up and tests it; deliveries start with a paid plan', async () => {
      const of = await owner({ plan: 'trial', agentsPlan: null })
      const made = await of.set({
        delivery: { type: 'webhook', url: receiver.url },
        lens: { enabled: true, fields: [orderField] },
      })
      expect([made.active, typeof made.secret]).to.deep.equal([false, 'string'])
      await mail(of, { subject: 'before' })
      const asked = await of.call<Json>('POST', `${pathOf(of)}/test`)
      expect([asked.status, asked.body.mailbox]).to.deep.equal([202, of.address])
      await carry(door.ctx)
      const record = await eventually('the record of the test', async () => (await list(of)).messages[0])
      const whole = await read(of, record.intake_id)
      expect([whole.test, whole.reply.includes('no part of the reply')]).to.deep.equal([true, false])
      expect((await of.call<{ lens: Json }>('GET', '/api/v1/usage')).body.lens).to.deep.equal({
        used: 0,
        limit: 0,
        extra: 0,
      })
      expect((await of.call<ErrorBody>('POST', `${pathOf(of)}/lens/backfill`)).body.code).to.equal('plan_required')
      await changeAccountPlans(door.ctx, of.accountId, { plan: 'pro', agentsPlan: null })
      expect((await of.call<Configuration>('GET', pathOf(of))).body.active).to.equal(true)
      await arrive(of, { subject: 'after' })
      const posted = await eventually('the webhook', () => bodiesOf(of).length > 0 && bodiesOf(of))
      expect(posted.map(({ event }) => event.data.subject)).to.deep.equal(['after'])
      expect((await list(of)).messages.map(({ subject }) => subject)).to.deep.equal(['after', 'Intake test'])
    })

    it('runs of Lens beyond the allowance are extra usage', async () => {
      const of = await owner({ plan: 'pro' })
      await of.set({ lens: { enabled: true, fields: [orderField] } })
      await arrive(of)
      const month = door.ctx.clock.now().toISOString().slice(0, 7)
      await door.ctx.store.usage.updateOne({ _id: `${of.accountId}:${month}` }, { $set: { 'counts.lensRuns': 500 } })
      expect((await arrive(of, { text: 'Order number: 5' })).lens).to.deep.equal({ order_number: '5' })
      const { body } = await of.call<{ lens: Json }>('GET', '/api/v1/usage')
      expect(body.lens).to.deep.equal({ used: 501, limit: 500, extra: 1 })
    })

    it("a stranger's message that claims to be a test is not one", async () => {
      const of = await owner()
      await of.set()
      const id = `em_01${'0'.repeat(24)}@${door.ctx.settings.sharedDomain}`
      const raw = letter({ subject: 'Forged' }).replace(/<Forged@[^>]*>/, `<${id}>`)
      const messageId = await deliver(door.ctx, { to: of.address, raw })
      const found = await eventually('the record', async () => (await list(of)).messages[0])
      expect([found.message_id, found.test]).to.deep.equal([messageId, false])
    })

    it('20 tests are allowed in ten minutes', async () => {
      const of = await owner()
      await of.set({ lens: { enabled: true, fields: [orderField] } })
      for (let n = 0; n < 20; n++)
        expect((await of.call('POST', `${pathOf(of)}/lens/test`, { text: 'x' })).status).to.equal(200)
      const { status, body } = await of.call<ErrorBody>('POST', `${pathOf(of)}/test`)
      expect([status, body.code]).to.deep.equal([429, 'rate_limited'])
    })
  })

  describe('Lens', () => {
    it('is offered with five templates, each of which can be set', async () => {
      const of = await owner()
      const { body } = await of.call<{ templates: { name: string; fields: Json[] }[] }>('GET', `${base}/templates`)
      expect(body.templates.map(({ name }) => name)).to.deep.equal([
        'Invoice',
        'Order',
        'Support ticket',
        'Lead',
        'Job application',
      ])
      await of.set()
      for (const { fields } of body.templates)
        expect((await of.call('PATCH', pathOf(of), { lens: { enabled: true, fields } })).status).to.equal(200)
    })

    it('can be tried on a sample and on a message, with the fields of the mailbox or others', async () => {
      const of = await owner()
      await of.set({ lens: { enabled: true, fields: [orderField] } })
      const { message_id: messageId } = await arrive(of, { text: 'Order number: 7\nTicket: 8' })
      const ask = async (trial: Json) => (await of.call<Rec>('POST', `${pathOf(of)}/lens/test`, trial)).body
      const ticket = [{ key: 'ticket', type: 'text', description: 'Number of the ticket' }]
      expect((await ask({ text: 'Order number: 5' })).lens).to.deep.equal({ order_number: '5' })
      expect((await ask({ html: '<p>Order number: <b>6</b></p>' })).lens).to.deep.equal({ order_number: '6' })
      expect((await ask({ messageId })).lens).to.deep.equal({ order_number: '7' })
      expect((await ask({ messageId, fields: ticket })).lens).to.deep.equal({ ticket: '8' })
      const history = 'From: Bob <bob@x.example>\nSent: Monday\nTo: Ann\nSubject: Order\n\nOrder number: 9\n'
      const quoted = { text: `Hi\n\n-----Original Message-----\n${history}` }
      expect((await ask(quoted)).lens).to.deep.equal({ order_number: null })
      expect((await ask({ ...quoted, quoted: true })).lens).to.deep.equal({ order_number: '9' })
      const marked = '<p>Ndiyo.</p><div class="yahoo_quoted">Mnamo Jumanne Bob ameandika<p>Order number: 9</p></div>'
      expect((await ask({ html: marked })).lens).to.deep.equal({ order_number: null })
      for (const [trial, param] of [
        [{}, 'text'],
        [{ text: 'x', messageId }, 'messageId'],
        [{ text: 'x', fields: [...ticket, ...ticket] }, 'fields[1].key'],
        [{ text: 'x', fields: [] }, 'fields'],
        [{ text: 'x', date: 'yesterday' }, 'date'],
      ] as const)
        expect((await ask(trial)).param, JSON.stringify(trial)).to.equal(param)
      expect((await ask({ messageId: 'msg_none' })).code).to.equal('not_found')
      expect((await of.call<{ lens: { used: number } }>('GET', '/api/v1/usage')).body.lens.used).to.equal(1)
    })

    it('reads existing records, once for the same fields', async () => {
      const of = await owner()
      await of.set({ delivery: { type: 'webhook', url: receiver.url } })
      const numbers = Array.from({ length: 12 }, (_, n) => n)
      await Promise.all(numbers.map((n) => mail(of, { subject: `s${n}`, text: `Order number: ${n}` })))
      await eventually('the records', async () => (await list(of)).messages.length === 12)
      const fill = async () => {
        const { status, body } = await of.call<ErrorBody & { count: number }>('POST', `${pathOf(of)}/lens/backfill`)
        return [status, body.code ?? body.count]
      }
      expect(await fill()).to.deep.equal([409, 'conflict'])
      await of.call('PATCH', pathOf(of), { lens: { enabled: true, fields: [orderField] } })
      expect(await fill()).to.deep.equal([202, 12])
      while ((await doDueIntake(door.ctx, of.accountId)) > 0);
      const read = (await list(of)).messages
      expect(read.map(({ lens }) => lens?.order_number)).to.deep.equal(read.map(({ subject }) => subject.slice(1)))
      expect(await fill()).to.deep.equal([202, 0])
      expect((await of.call<{ lens: { used: number } }>('GET', '/api/v1/usage')).body.lens.used).to.equal(12)
      const { body } = await of.call<{ events: Json[] }>('GET', '/api/v1/events?type=intake.message')
      expect(body.events).to.have.length(12)
      await of.call('PATCH', pathOf(of), { lens: { enabled: true, quoted: true } })
      expect(await fill()).to.deep.equal([202, 12])
    })
  })

  describe('the end', () => {
    it('of the retention removes record, copy, event and log, and keeps the message', async () => {
      const of = await owner()
      const { delivery } = await of.set({ delivery: { type: 'webhook', url: receiver.url }, retention: 7 })
      const old = await arrive(of, { subject: 'old secret', text: 'old secret', files: [file] })
      await eventually('the delivery', () => bodiesOf(of).length > 0)
      door.advance(5 * dayMs)
      const young = await arrive(of, { subject: 'young' })
      await sweepIntakes(door.ctx)
      expect((await list(of)).messages).to.have.length(2)
      door.advance(2 * dayMs + secondMs)
      await sweepIntakes(door.ctx)
      expect((await list(of)).messages.map(({ intake_id }) => intake_id)).to.deep.equal([young.intake_id])
      expect((await of.call('GET', `${base}/messages/${old.intake_id}`)).status).to.equal(404)
      expect((await of.call('GET', `${mailboxPath(of.address)}/messages/${old.message_id}`)).status).to.equal(200)
      const event = await of.call<Json>('GET', `/api/v1/events/${intakeEventId(old.intake_id)}`)
      const log = await of.call<Json>('GET', `/api/v1/webhooks/${delivery.webhookId}/deliveries`)
      for (const { status, body } of [event, log]) {
        expect(status).to.equal(200)
        expect(JSON.stringify(body)).not.to.include('old secret')
      }
      // A sweep that examines the message again makes no second record.
      const message = await door.ctx.store.messages.findOne({ _id: old.message_id })
      expect(await deriveMissed(door.ctx, [message!])).to.equal(0)
    })

    it('of the retention comes at once if it is shortened, and never with unlimited retention', async () => {
      const of = await owner()
      await of.set({ retention: 'forever' })
      await arrive(of)
      door.advance(400 * dayMs)
      await sweepIntakes(door.ctx)
      expect((await list(of)).messages).to.have.length(1)
      await of.call('PATCH', pathOf(of), { retention: 90 })
      await sweepIntakes(door.ctx)
      expect((await list(of)).messages).to.have.length(0)
    })

    it('of the configuration or of the mailbox removes the records, their links and its own endpoint', async () => {
      for (const what of ['configuration', 'mailbox'] as const) {
        const of = await owner()
        const { delivery } = await of.set({ delivery: { type: 'webhook', url: receiver.url } })
        const { attachments } = await arrive(of, { files: [file] })
        expect((await of.call('DELETE', what === 'mailbox' ? mailboxPath(of.address) : pathOf(of))).status).to.equal(
          200,
        )
        if (what === 'mailbox') await sweepIntakes(door.ctx)
        expect(await statusOf(attachments[0]!), what).to.equal(404)
        expect((await list(of)).messages, what).to.deep.equal([])
        expect((await of.call('GET', `/api/v1/webhooks/${delivery.webhookId}`)).status, what).to.equal(404)
        expect((await of.call('GET', pathOf(of))).status, what).to.equal(404)
        if (what === 'mailbox') {
          door.advance(2 * 60 * secondMs)
          await sweepIntakes(door.ctx)
          expect(await door.ctx.store.intakes.countDocuments({ _id: of.mailboxId })).to.equal(0)
          continue
        }
        await mail(of, { subject: 'unheard' })
        await of.set()
        await arrive(of, { subject: 'heard' })
        expect((await list(of)).messages.map(({ subject }) => subject)).to.deep.equal(['heard'])
      }
    })
  })

  it('moves with its mailbox into another account', async () => {
    const [from, to] = [await owner(), await owner()]
    await from.set({ retention: 90 })
    const { intake_id: id, attachments } = await arrive(from, { files: [file] })
    await moveMailboxes(door.ctx.store, { from: from.accountId, to: to.accountId })
    // Drops the process's cache of the mailbox, as a move does.
    door.advance(6 * secondMs)
    expect((await list(from)).messages).to.deep.equal([])
    expect((await list(to)).messages.map(({ intake_id }) => intake_id)).to.deep.equal([id])
    expect((await to.call<Configuration>('GET', pathOf(from))).body.retention).to.equal(90)
    expect(await statusOf(attachments[0]!)).to.equal(200)
    await arrive({ ...to, address: from.address }, { subject: 'later' })
    expect((await list(to)).messages.map(({ subject }) => subject)).to.deep.equal(['later', 'Order'])
  })

  it('works in a sandbox too, by the clock of the sandbox', async () => {
    const of = await owner()
    const account = await getAccount(door.ctx, of.accountId)
    const wanted = { kind: 'account', name: 'test', scopes: allScopes, mailboxes: [], expiresAt: null } as const
    const { apiKey, domain } = await issueTestKey(door.ctx, account, wanted)
    const [call, address] = [client(door.http, apiKey), `agent@${domain}`]
    expect((await call('POST', base, { mailbox: address, retention: 7 })).status).to.equal(201)
    const clock = async (advance: number) => (await call('POST', '/api/v1/test/clock', { advance })).status
    expect(await clock(3 * 86_400)).to.equal(200)
    const inbound = { mailbox: address, from: 'a@remote.example', subject: 'in', text: 'in' }
    expect((await call('POST', '/api/v1/test/inbound', inbound)).status).to.equal(201)
    expect(await clock(6 * 86_400)).to.equal(200)
    expect((await list({ ...of, call })).messages.map(({ subject }) => subject)).to.deep.equal(['in'])
    expect(await clock(86_500)).to.equal(200)
    expect((await list({ ...of, call })).messages).to.deep.equal([])
  })

  it('a record that has repeatedly ended its process is made without the parts that may be the cause', async () => {
    const of = await owner()
    await of.set()
    const messageId = await mail(of, { subject: 'lost' })
    const done = { messageId, madeAt: { $exists: true }, dueAt: { $exists: false } }
    const { _id } = await eventually('the record', () => door.ctx.store.intakeRecords.findOne(done))
    // As if its process had died in the middle five times.
    const due = { dueAt: door.ctx.clock.now(), lease: 'dead', tries: 5 }
    await door.ctx.store.intakeRecords.updateOne({ _id }, { $set: due, $unset: { madeAt: '', content: '' } })
    await doDueIntake(door.ctx, of.accountId)
    const record = await read(of, _id)
    expect([record.subject, record.text, record.headers.message_id]).to.deep.equal([
      'lost',
      '',
      '<lost@remote.example>',
    ])
  })

  describe('a process that dies', () => {
    before(() => announcer.stop())

    /** The store of a process that dies at its write number `left`: before the write is sent, or before its answer arrives. */
    function dying(store: Store, left: number, when: 'before' | 'after'): Store {
      const broken = new Error('the process died')
      const call = async (work: () => unknown) => {
        left -= 1
        if (left < 0 && (when === 'before' || left < -1)) throw broken
        const result = await work()
        if (left < 0) throw broken
        return result
      }
      const wrapped = (collection: object) =>
        new Proxy(collection, {
          get(target, name) {
            const value = Reflect.get(target, name) as unknown
            if (typeof value !== 'function') return value
            if (!/^(?:insert|update|delete|bulkWrite|findOneAnd)/.test(String(name))) return value.bind(target)
            return (...given: unknown[]) => call(() => value.apply(target, given))
          },
        })
      const writeTogether: Store['writeTogether'] = (writes) =>
        call(() => store.writeTogether(writes)) as Promise<number | null>
      const parts = Object.entries(store).map(([name, value]) => [
        name,
        Object.hasOwn(collections, name) ? wrapped(value as object) : value,
      ])
      return { ...Object.fromEntries(parts), writeTogether } as Store
    }

    it('cleanly releases the work that it has not started', async () => {
      const of = await owner()
      await of.set()
      const stopping = await door.another()
      const ids = await Promise.all(Array.from({ length: 9 }, (_, n) => mail(of, { subject: `s${n}`, files: [file] })))
      await announceArrivals(stopping.ctx, await toldOf(stopping.ctx, ids), deriveRecords)
      await endRecords(stopping.ctx)
      await stopping.close()
      const left = await door.ctx.store.intakeRecords.find({ messageId: { $in: ids }, tries: 0 }).toArray()
      expect(left.length).to.be.within(5, 9)
      await doDueIntake(door.ctx, of.accountId)
      const { messages } = await list(of)
      expect(messages).to.have.length(9)
      const { attachments } = await read(of, messages[8]!.intake_id)
      expect(attachments[0]?.text?.trim()).to.equal('one')
    })

    for (const when of ['before', 'after'] as const)
      it(`neither loses nor duplicates a record: ${when} each of its writes`, async () => {
        const of = await owner()
        await of.set({
          delivery: { type: 'webhook', url: receiver.url },
          lens: { enabled: true, fields: [orderField] },
        })
        let crashes = 0
        for (let writes = 0; ; writes++) {
          const messageId = await mail(of, { subject: `n${writes}`, files: [file] })
          const ctx = { ...door.ctx, store: dying(door.ctx.store, writes, when) }
          let hasDied = false
          const dies = () => {
            hasDied = true
          }
          const log = { ...door.ctx.log, warn: dies } as unknown as Context['log']
          await announceArrivals({ ...ctx, log }, await toldOf(ctx, [messageId]), deriveRecords).catch(dies)
          await door.ctx.background.done()
          door.advance(40 * secondMs)
          const message = (await door.ctx.store.messages.findOne({ _id: messageId }))!
          await announceMissed(door.ctx, [message])
          await deriveMissed(door.ctx, [message])
          await doDueIntake(door.ctx, of.accountId)
          await door.ctx.background.done()
          const records = await door.ctx.store.intakeRecords.find({ messageId }).toArray()
          expect(records, `${writes} writes`).to.have.length(1)
          const [record] = records
          expect([record?.dueAt, record?.content?.text.trim(), record?.attachments[0]?.text?.trim()]).to.deep.equal([
            undefined,
            'Hello',
            'one',
          ])
          const events = await door.ctx.store.events.countDocuments({
            'data.message_id': messageId,
            type: 'intake.message',
          })
          expect(events, `${writes} writes`).to.equal(1)
          const { body } = await of.call<{ lens: { used: number } }>('GET', '/api/v1/usage')
          expect(body.lens.used, `${writes} writes`).to.equal(writes + 1)
          if (!hasDied) break
          crashes += 1
        }
        expect(crashes).to.be.above(2)
        door.advance(2 * 3_600 * secondMs)
        await attemptDueDeliveries(door.ctx, of.accountId)
        await eventually('each webhook', () => new Set(bodiesOf(of).map(({ event }) => event.id)).size === crashes + 1)
        await sweepBlobs(door.ctx)
        for (const each of (await list(of)).messages)
          expect(await statusOf((await read(of, each.intake_id)).attachments[0]!)).to.equal(200)
      })
  })
})

/** Delivers mail that the service wrote to mailboxes here, as the outbound engine does. */
async function carry(ctx: Context): Promise<void> {
  await ctx.background.done()
  for (const attempt of await claimAttempts(ctx, { owner: 'test', max: 50 })) {
    const outcome = await deliverLocally(ctx, attempt)
    if (outcome !== null) await recordOutcome(ctx, attempt, outcome)
  }
}
