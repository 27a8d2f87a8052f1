/** Intake at the door: mail comes in, the announcer derives records, and receivers get them. */
import { expect } from 'chai'
import { type Announcer, startAnnouncer } from '../../jobs/announcer.ts'
import { eventually } from '../eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'

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

/** A mail with a text, and files of their own types. */
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
    // Receivers of these tests are on this machine.
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

  /** An account with a mailbox, and what watches it. */
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

  /** Lets a mail come, and waits for its record. */
  async function arrive(of: Owner, what: Parameters<typeof letter>[0] = {}): Promise<Rec> {
    const messageId = await mail(of, what)
    const found = await eventually('the record', async () =>
      (await list(of)).messages.find((each) => each.message_id === messageId),
    )
    return read(of, found.intake_id)
  }

  /** What the receiver got of a mailbox. */
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
      // Another URL keeps the endpoint and its secret, another kind of delivery ends it.
      const moved = await of.call<Configuration>('PATCH', pathOf(of), {
        delivery: { type: 'webhook', url: `${receiver.url}2` },
      })
      expect([moved.body.delivery.webhookId, moved.body.secret]).to.deep.equal([made.delivery.webhookId, undefined])
      const api = await of.call<Configuration>('PATCH', pathOf(of), { delivery: { type: 'api' } })
      expect(api.body.delivery).to.deep.equal({ type: 'api' })
      expect((await of.call('GET', `/api/v1/webhooks/${made.delivery.webhookId}`)).status).to.equal(404)
    })

    it('uses an endpoint that is there, which hears of it from then on and stays', async () => {
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

    it('makes a mailbox that is not there, if it may', async () => {
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
      ['a URL that is none', { delivery: { type: 'webhook', url: 'nowhere' } }, 'delivery.url'],
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
      [
        'a key that is none',
        { lens: { enabled: true, fields: [{ ...orderField, key: 'a.b' }] } },
        'lens.fields[0].key',
      ],
      ['a word that it does not know', { color: 'red' }, 'color'],
    ]
    it('refuses what is none', async () => {
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
  })

  describe('a mail in a watched mailbox', () => {
    it('becomes one record, which the webhook and the API show alike', async () => {
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
      const { body } = await of.call<{ events: Json[] }>('GET', '/api/v1/events?type=intake.message')
      expect(body.events.map(({ data }) => data)).to.deep.equal([record])
      const usage = await of.call<{ lens: Json }>('GET', '/api/v1/usage')
      expect(usage.body.lens).to.deep.equal({ used: 1, limit: 2_000, extra: 0 })
    })

    it('shows the text of its first three files, and links to all', async () => {
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
})
