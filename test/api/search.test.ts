import { expect } from 'chai'
import { administrator, authenticate } from '../../core/access/principal.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { mergeSegments } from '../../core/search/merge.ts'
import { sweepSearch } from '../../core/search/sweep.ts'
import { type Indexer, startIndexer } from '../../jobs/indexer.ts'
import { eventually } from '../eventually.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

type Hit = {
  readonly message_id: string
  readonly mailbox: string
  readonly subject: string | null
  readonly folder: string
  readonly highlights: readonly {
    readonly field: string
    readonly text: string
    readonly marks: readonly { readonly start: number; readonly end: number }[]
  }[]
}
type Hits = { readonly messages: readonly Hit[]; readonly next: string | null }

const mail = {
  invoice: [
    'From: Jürgen Müller <jurgen.muller@billing.example>',
    'To: agent@tenant.example',
    'Cc: Second Reader <second@readers.example>',
    'Subject: Rechnung INV-2024-001',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Die Straße ist gesperrt. Pay at https://pay.shop.example/now or call Łukasz.',
    '--b',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename=contract-draft.pdf',
    '',
    'x',
    '--b--',
    '',
  ].join('\n'),
  japanese: [
    'From: tanaka@mail.example',
    'To: agent@tenant.example',
    'Subject: =?utf-8?B?5p2x5Lqs44Gn44Gu5Lya6K2w?=',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    '来週の会議は東京都庁で行います。',
    '',
  ].join('\n'),
  html: [
    'From: news@xn--bcher-kva.example',
    'To: agent@tenant.example',
    'Subject: Weekly',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Visible <b>words</b> here</p><p style="display:none">concealed</p>',
    '',
  ].join('\n'),
} as const
type Name = keyof typeof mail

describe('search', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let indexer: Indexer
  let ids: { [N in Name]: string }
  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    indexer = startIndexer(door.ctx)
    const found: { [name: string]: string } = {}
    for (const [name, raw] of Object.entries(mail)) found[name] = await deliver(door.ctx, { to: tenant.address, raw })
    ids = found as typeof ids
    await eventually('all are found', async () => (await search('in:inbox')).messages.length === 3)
  })
  after(async () => {
    await indexer?.stop()
    await door?.close()
  })

  const path = (q: string, more = '') => `${mailboxPath(tenant.address)}/search?q=${encodeURIComponent(q)}${more}`
  const search = async (q: string, more = '') => (await call<Hits>('GET', path(q, more))).body

  const finds: readonly (readonly [q: string, ...found: Name[]])[] = [
    ['muller', 'invoice'],
    ['MÜLLER', 'invoice'],
    ['jurgen', 'invoice'],
    ['strasse', 'invoice'],
    ['lukasz', 'invoice'],
    ['INV-2024-001', 'invoice'],
    ['2024', 'invoice'],
    ['"inv 2024"', 'invoice'],
    ['"2024 inv"'],
    ['inv-2024*', 'invoice'],
    ['rechn*', 'invoice'],
    ['rechn'],
    ['pay.shop.example', 'invoice'],
    ['jurgen.muller@billing.example', 'invoice'],
    ['@billing.example', 'invoice'],
    ['contract', 'invoice'],
    ['filename:contract-draft.pdf', 'invoice'],
    ['filename:rechnung'],
    ['from:muller', 'invoice'],
    ['to:muller'],
    ['to:agent', 'html', 'japanese', 'invoice'],
    ['cc:second', 'invoice'],
    ['second', 'invoice'],
    ['subject:(rechnung 2024)', 'invoice'],
    ['subject:weekly OR subject:rechnung', 'html', 'invoice'],
    ['has:attachment', 'invoice'],
    ['-has:attachment', 'html', 'japanese'],
    ['東京', 'japanese'],
    ['都庁', 'japanese'],
    ['庁', 'japanese'],
    ['京会'],
    ['subject:会議', 'japanese'],
    ['visible words', 'html'],
    ['"visible words"', 'html'],
    ['"words visible"'],
    ['concealed'],
    ['visible -words'],
    ['in:inbox -weekly', 'japanese', 'invoice'],
    ['in:Trash'],
    ['is:unread weekly', 'html'],
    ['is:flagged'],
    ['after:2020-01-01 weekly', 'html'],
    ['before:2020-01-01'],
    ['larger:1 weekly', 'html'],
    ['from:bücher.example', 'html'],
    ['from:xn--bcher-kva.example', 'html'],
    ['larger:1G'],
    ['smaller:1KB weekly', 'html'],
    ['(weekly OR rechnung) from:news', 'html'],
  ]
  for (const [q, ...expected] of finds) {
    it(`${q} finds ${expected.join(', ') || 'nothing'}`, async () => {
      const { messages } = await search(q)
      expect(messages.map(({ message_id }) => message_id)).to.deep.equal(expected.map((name) => ids[name]))
    })
  }

  const wrong = [
    '"open',
    '(a',
    'a)',
    'a OR',
    'has:legs',
    'is:nice',
    'before:yesterday',
    'larger:big',
    '!!!',
    'a*',
    'x'.repeat(1_001),
  ]
  for (const q of wrong) {
    it(`${q.slice(0, 20)} is refused`, async () => {
      const { status, body } = await call<ErrorBody>('GET', path(q))
      expect([status, body.code, body.param]).to.deep.equal([400, 'validation_error', 'q'])
    })
  }

  it('an unknown folder is not found', async () => {
    expect((await call<ErrorBody>('GET', path('in:nowhere'))).body.code).to.equal('not_found')
  })

  it('shows the places of the matches as code point offsets in the text', async () => {
    const [hit] = (await search('muller gesperrt inv-2024-001')).messages
    const shown = hit?.highlights.map(({ field, text, marks }) => [
      field,
      ...marks.map(({ start, end }) => [...text].slice(start, end).join('')),
    ])
    expect(shown).to.deep.equal([
      ['subject', 'INV-2024-001'],
      ['from', 'Müller'],
      ['body', 'gesperrt'],
    ])
  })

  it('gives the same results over REST and MCP', async () => {
    const response = await fetch(`${door.http}/api/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_messages', arguments: { mailbox: tenant.address, q: 'weekly' } },
      }),
    })
    expect(await response.text()).to.include(ids.html)
  })

  describe('mail that changes', () => {
    it('is found where it was moved to, with its flags and labels', async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: 'From: a@b.example\nSubject: wanderer\n\nx\n' })
      await eventually('found', async () => (await search('wanderer')).messages.length === 1)
      await call('PATCH', `${mailboxPath(tenant.address)}/messages/${id}`, {
        folder: 'archive',
        flagged: true,
        seen: true,
        addLabels: ['to do'],
      })
      for (const [q, count] of [
        ['wanderer in:archive', 1],
        ['wanderer in:inbox', 0],
        ['wanderer is:flagged', 1],
        ['wanderer is:unread', 0],
        ['label:"to do"', 1],
        ['wanderer -label:"to do"', 0],
      ] as const)
        expect((await search(q)).messages.length, q).to.equal(count)
    })

    it('is not found once it is gone', async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: 'From: a@b.example\n\nephemeral\n' })
      await eventually('found', async () => (await search('ephemeral')).messages.length === 1)
      const { blob } = (await door.ctx.store.messages.findOne({ _id: id }))!
      await call('DELETE', `${mailboxPath(tenant.address)}/messages/${id}?permanent=true`)
      expect((await search('ephemeral')).messages).to.deep.equal([])
      expect(await door.ctx.store.searchTexts.findOne({ _id: blob.id })).to.equal(null)
    })

    it('drafts are found as they are now', async () => {
      const drafts = `${mailboxPath(tenant.address)}/drafts`
      const { body } = await call<{ message_id: string }>('POST', drafts, { subject: 'firstversion', text: 'x' })
      await eventually('found', async () => (await search('firstversion')).messages.length === 1)
      await call('PATCH', `${drafts}/${body.message_id}`, { subject: 'secondversion' })
      expect((await search('firstversion')).messages).to.deep.equal([])
      await eventually('found again', async () => (await search('secondversion')).messages.length === 1)
    })
  })

  it('names the known operators if one is unknown', async () => {
    for (const path of [`${mailboxPath(tenant.address)}/search`, '/api/v1/search']) {
      const { status, body } = await call<ErrorBody & { error: string; fix: string }>(
        'GET',
        `${path}?q=one+Sender:anna`,
      )
      expect([status, body.code, body.param]).to.deep.equal([400, 'validation_error', 'q'])
      expect(body.error).to.match(/^Unknown search operator "Sender:"; known are subject:, from:, .*, smaller:\.$/)
      expect(body.fix).to.equal('Leave "Sender:" out. To look for the word itself, put it in quotes.')
    }
  })

  it('pages stay stable while mail arrives and segments are merged', async () => {
    const sent: string[] = []
    const send = async (n: number) => {
      sent.unshift(await deliver(door.ctx, { to: tenant.address, raw: `From: a@b.example\n\nserial number${n}\n` }))
    }
    for (let n = 0; n < 40; n++) await send(n)
    await eventually('all are found', async () => (await search('serial')).messages.length === 40)
    const expected = [...sent]
    const found: string[] = []
    for (let before = ''; ; ) {
      const { messages, next } = await search('serial', `&limit=7${before}`)
      found.push(...messages.map(({ message_id }) => message_id))
      if (next === null) break
      before = `&before=${next}`
      await send(100)
      await mergeSegments(door.ctx, tenant.mailboxId)
    }
    expect(found).to.deep.equal(expected)
  })

  it('a message whose change note was lost is found after the sweep', async () => {
    await indexer.stop()
    await deliver(door.ctx, { to: tenant.address, raw: 'From: a@b.example\n\nforgotten\n' })
    door.advance(60_000)
    await sweepSearch(door.ctx)
    indexer = startIndexer(door.ctx)
    expect((await search('forgotten')).messages.length).to.equal(1)
  })

  describe('over all mailboxes', () => {
    let other: Tenant
    let second: string
    before(async () => {
      other = await makeTenant(door, { name: 'other' })
      second = 'second@tenant.example'
      const { account } = await authenticate(door.ctx, tenant.key)
      await createMailbox(door.ctx, administrator(account), { address: second })
      for (const to of [tenant.address, second, other.address])
        await deliver(door.ctx, { to, raw: 'From: a@b.example\n\nshared secret\n' })
      await eventually('indexed', async () => (await everywhere(tenant.key)).length === 2)
    })

    const everywhere = async (key: string, q = 'secret') =>
      (await client(door.http, key)<Hits>('GET', `/api/v1/search?q=${q}`)).body.messages

    it('an account key finds messages in any mailbox of its account', async () => {
      expect((await everywhere(tenant.key)).map(({ mailbox }) => mailbox)).to.deep.equal([second, tenant.address])
    })

    it('an agent key finds messages in the mailboxes that it reaches', async () => {
      const own = await door.ctx.store.mailboxes.find({ accountId: tenant.accountId, address: second }).toArray()
      const mailboxIds = own.map(({ _id }) => _id)
      const { apiKey } = await makeKey(door.ctx, {
        accountId: tenant.accountId,
        kind: 'agent',
        scopes: ['mail:read'],
        mailboxIds,
      })
      expect((await everywhere(apiKey)).map(({ mailbox }) => mailbox)).to.deep.equal([second])
    })

    it('no key finds messages of another account', async () => {
      expect((await everywhere(other.key)).map(({ mailbox }) => mailbox)).to.deep.equal([other.address])
      const { status } = await client(door.http, other.key)('GET', path('secret'))
      expect(status).to.equal(404)
    })

    it('messages of a deleted mailbox are not found', async () => {
      await call('DELETE', mailboxPath(second))
      expect((await everywhere(tenant.key)).map(({ mailbox }) => mailbox)).to.deep.equal([tenant.address])
    })

    it("labels are not searched in a person's mailbox", async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'person@tenant.example', kind: 'person' })
      const where = `${mailboxPath('person@tenant.example')}/search?q=label:x`
      expect((await call<ErrorBody>('GET', where)).body.code).to.equal('agent_inbox_only')
    })
  })
})
