import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { authenticate, type Principal } from '../../../core/access/principal.ts'
import { deleteMessage } from '../../../core/mailbox/message-changes.ts'
import { indexArrivals, indexedAmong, indexMissing } from '../../../core/search/indexing.ts'
import { listByIndex } from '../../../core/search/listing.ts'
import { mergeSegments } from '../../../core/search/merge.ts'
import { searchAll, searchMailbox } from '../../../core/search/search.ts'
import { tidySearch } from '../../../core/search/sweep.ts'
import { type ParsedQuery, parseQuery, printQuery } from '../../../mail/search/query.ts'
import { tokensOf, type WantedToken } from '../../../mail/search/tokens.ts'
import { idAt, timeOfId } from '../../../schemas/ids.ts'
import { findFolders } from '../../../store/folders.ts'
import { listMessages, type MessageQuery } from '../../../store/messages.ts'
import { writeState } from '../../../store/records.ts'
import { insertBlocks, pageId } from '../../../store/search.ts'
import { packPage, pageRows, versionOf } from '../../../store/segment-table.ts'
import { toldOf } from '../../documents.ts'
import { type Door, deliver, makeTenant, openDoor } from '../../start/door.ts'

/** A message of the reference model, field by field; each value is searched separately. */
type Letter = {
  readonly id: string
  readonly fields: { readonly [field: string]: readonly string[] }
  readonly sizeBytes: number
  readonly hasAttachment: boolean
}

const vocabulary = [
  'alpha',
  'beta',
  'gamma',
  'Müller',
  'muller',
  'alphabet',
  '東京都',
  '京',
  'INV-2024-001',
  '2024',
  'x',
]
const word = fc.constantFrom(...vocabulary)
const text = fc.array(word, { minLength: 0, maxLength: 12 }).map((words) => words.join(' '))
const letter = fc.record({
  subject: text,
  body: text,
  name: word,
  from: fc.constantFrom('ada@one.example', 'bob.muller@two.example', 'alpha@beta.example'),
  attachment: fc.option(fc.constantFrom('gamma.pdf', 'INV-2024-001.pdf', '東京.txt')),
})

type Draft = typeof letter extends fc.Arbitrary<infer T> ? T : never

const leaf = fc.oneof(
  word,
  text.filter((words) => words !== '').map((words) => `"${words}"`),
  fc
    .tuple(fc.constantFrom('subject', 'from', 'to', 'filename', 'cc'), word)
    .map(([field, value]) => `${field}:${value}`),
  fc.constantFrom(
    'alph*',
    '"beta gam*"',
    'from:muller',
    'from:two.example',
    'has:attachment',
    'smaller:700',
    'larger:650',
  ),
  fc.constantFrom('in:inbox', '-in:Trash', 'is:unread', 'before:2100-01-01', 'after:2100-01-01', 'filename:pdf'),
)
const { query } = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} ${b})`),
    fc.tuple(tie('query'), tie('query')).map(([a, b]) => `(${a} OR ${b})`),
    tie('query').map((inner) => `-(${inner})`),
  ),
}))

describe('search', () => {
  let door: Door
  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  it('finds the same as reading every message', async () => {
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(letter, { minLength: 1, maxLength: 60 }),
        fc.array(query, { minLength: 30, maxLength: 30 }),
        fc.array(fc.nat(59), { maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (letters, queries, deleted, batch) => {
          const tenant = await makeTenant(door, { name: `tenant${round++}` })
          const principal = await authenticate(door.ctx, tenant.key)
          const stored: Letter[] = []
          for (const [n, each] of letters.entries()) stored.push(await store(tenant.address, each, n))
          for (let from = 0; from < stored.length; from += batch) {
            const ids = stored.slice(from, from + batch).map(({ id }) => id)
            await indexArrivals(door.ctx, await toldOf(door.ctx, ids))
            // Indexing twice has the same effect as once, and late messages are in newer segments.
            if (from % 4 === 0) await indexArrivals(door.ctx, await toldOf(door.ctx, ids.slice(0, 1)))
            if (from % 7 === 0) await mergeSegments(door.ctx, tenant.mailboxId)
          }
          await mergeSegments(door.ctx, tenant.mailboxId)
          const gone = new Set(deleted.flatMap((n) => stored[n]?.id ?? []))
          for (const messageId of gone)
            await deleteMessage(door.ctx, principal, { address: tenant.address, messageId, permanent: true })
          const living = stored.filter(({ id }) => !gone.has(id)).reverse()
          for (const q of queries) {
            const read = parseQuery(q)
            if ('problem' in read) throw new Error(`${q}: ${read.problem}`)
            const expected = living.filter((each) => isTrue(read.query, each)).map(({ id }) => id)
            expect(await allOf(principal, tenant.address, q), q).to.deep.equal(expected)
          }
        },
      ),
      { numRuns: 12, seed: 7 },
    )
  })

  async function store(to: string, { subject, body, name, from, attachment }: Draft, n: number): Promise<Letter> {
    const lines = [
      `From: =?utf-8?B?${Buffer.from(name).toString('base64')}?= <${from}>`,
      `To: ${to}`,
      `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
      `Message-ID: <${n}@test.example>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      body,
      ...(attachment === null
        ? []
        : [
            '--b',
            'Content-Type: application/pdf',
            `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(attachment)}`,
            '',
            'x',
          ]),
      '--b--',
      '',
    ]
    const raw = lines.join('\r\n')
    const id = await deliver(door.ctx, { to, raw, from })
    const fields = {
      subject: [subject],
      from: [name, from],
      to: [to],
      cc: [],
      filename: attachment === null ? [] : [attachment],
      body: [body],
    }
    return { id, fields, sizeBytes: Buffer.byteLength(raw), hasAttachment: attachment !== null }
  }

  /** All pages of a search in the mailbox and in all mailboxes, which must give the same results. */
  async function allOf(principal: Principal, address: string, q: string): Promise<readonly string[]> {
    const pages = async (
      read: (before: string | undefined) => Promise<{ items: readonly { id: string }[]; next: string | null }>,
    ) => {
      const ids: string[] = []
      for (let before: string | undefined; ; ) {
        const page = await read(before)
        ids.push(...page.items.map(({ id }) => id))
        if (page.next === null) return ids
        before = page.next
      }
    }
    const own = await pages((before) => searchMailbox(door.ctx, principal, { address, q, limit: 7, before }))
    const everywhere = await pages((before) => searchAll(door.ctx, principal, { q, limit: 200, before }))
    expect(everywhere, q).to.deep.equal(own)
    return own
  }

  it('lists by sender, recipient and subject as reading through the mailbox does', async () => {
    const tenant = await makeTenant(door, { name: 'lister' })
    const senders = ['ada@one.example', 'bob.muller@two.example', 'ada@one.example.other']
    const ids: string[] = []
    for (let n = 0; n < 60; n++) {
      const raw = `From: <${senders[n % 3]}>\nTo: ${n % 4 === 0 ? 'x@y.example' : tenant.address}\nSubject: Note ${n} for Erika${n % 9 === 0 ? `${' long'.repeat(220)} tail` : ''}\n\nx\n`
      ids.push(await deliver(door.ctx, { to: tenant.address, raw }))
      await sleep(2)
    }
    // The newest messages are not indexed, as the index position shows.
    for (let n = 0; n < 45; n += 15) await indexArrivals(door.ctx, await toldOf(door.ctx, ids.slice(n, n + 15)))
    await writeState(door.ctx.store, 'searchableMessages', ids[45])
    const folders = (await findFolders(door.ctx.store, tenant.mailboxId)).map((each) => ({ ...each, total: 1_000_000 }))
    const inbox = folders.find(({ role }) => role === 'inbox')!._id
    const filters: readonly Partial<MessageQuery>[] = [
      { from: 'ada@one.example' },
      { from: 'nobody@one.example' },
      { to: 'x@y.example' },
      { from: 'bob.muller@two.example', to: tenant.address },
      { from: 'ada@one.example', folderIds: [inbox], unread: true },
      { from: 'ada@one.example', folderIds: [inbox], flagged: true },
      { from: 'ada@one.example', since: timeOfId(ids[20]!) },
      { from: 'ada@one.example', until: timeOfId(ids[40]!) },
      { from: 'ada@one.example', since: timeOfId(ids[50]!) },
      { subject: 'FOR erik' },
      { subject: 'ote 1' },
      { subject: 'e 3' },
      { subject: '1' },
      { subject: 'g tail' },
      { subject: 'nowhere', from: 'ada@one.example' },
      { subject: '4 FOR', from: 'ada@one.example' },
    ]
    for (const filter of filters) {
      const query = { mailboxId: tenant.mailboxId, ...filter }
      for (const before of [null, ids[55]!, ids[45]!, ids[30]!, ids[0]!]) {
        for (const limit of [1, 5, 100]) {
          const expected = await listMessages(door.ctx.store, query, { before, limit })
          const found = await listByIndex(door.ctx, query, { before, limit, folders })
          expect(found, JSON.stringify({ filter, before, limit })).to.deep.equal(expected)
        }
      }
    }
  })

  it('removes the words of deleted messages', async () => {
    const tenant = await makeTenant(door, { name: 'tidy' })
    const principal = await authenticate(door.ctx, tenant.key)
    const { address, mailboxId } = tenant
    const ids: string[] = []
    for (const word of ['stays', 'leaves'])
      ids.push(await deliver(door.ctx, { to: address, raw: `From: a@b.example\n\n${word}\n` }))
    await indexArrivals(door.ctx, await toldOf(door.ctx, ids))
    await deleteMessage(door.ctx, principal, { address, messageId: ids[1]!, permanent: true })
    await door.ctx.store.searchSegments.updateMany({ mailboxId }, { $set: { tidyAt: new Date(0) } })
    await tidySearch(door.ctx)
    const segments = await door.ctx.store.searchSegments.find({ mailboxId }).toArray()
    expect(segments.map(({ count }) => count)).to.deep.equal([1])
    expect(await door.ctx.store.searchBlocks.countDocuments({ _id: { $regex: `^${segments[0]!._id}` } })).to.equal(2)
    expect(await allOf(principal, address, 'stays')).to.deep.equal([ids[0]])
    await tidySearch(door.ctx)
    expect(await door.ctx.store.searchSegments.find({ mailboxId }).toArray()).to.deep.equal(segments)
  })

  it('indexes missed messages and nothing else', async () => {
    const tenant = await makeTenant(door, { name: 'missed' })
    const principal = await authenticate(door.ctx, tenant.key)
    const ids = []
    for (const n of [1, 2, 3])
      ids.push(await deliver(door.ctx, { to: tenant.address, raw: `From: a@b.example\n\nmissed ${n}\n` }))
    await indexArrivals(door.ctx, await toldOf(door.ctx, ids.slice(0, 1)))
    const messages = await door.ctx.store.messages.find({ mailboxId: tenant.mailboxId }).toArray()
    await indexMissing(door.ctx, messages)
    await indexMissing(door.ctx, messages)
    const counts = await door.ctx.store.searchSegments.find({ mailboxId: tenant.mailboxId }).toArray()
    expect(counts.map(({ count }) => count).sort()).to.deep.equal([1, 2])
    expect(await allOf(principal, tenant.address, 'missed')).to.deep.equal(ids.toReversed())
  })

  it('reports exactly the messages of a segment of several pages', async () => {
    const { store } = door.ctx
    const began = Date.parse('2026-01-01T00:00:00Z')
    const message = (n: number, blobId = `blob${n}`) => ({
      _id: idAt('msg', new Date(began + n)),
      mailboxId: 'mbx_pages',
      blob: { id: blobId, chunks: 1, sizeBytes: 1 },
    })
    // One message every two milliseconds, newest first.
    const numbers = Array.from({ length: 2 * pageRows + 5 }, (_, n) => 2 * (2 * pageRows + 5 - n))
    const rows = numbers
      .map((n) => message(n))
      .map(({ _id: id, blob }) => ({ id, version: versionOf(blob.id), receivedAt: began, sizeBytes: 1 }))
    const pages = [0, 1, 2].map((n) => rows.slice(n * pageRows, (n + 1) * pageRows))
    await insertBlocks(
      store,
      pages.map((page, n) => ({ id: pageId('seg_pages', n), bytes: packPage(page) })),
    )
    await store.searchSegments.insertOne({
      _id: 'seg_pages',
      accountId: 'acc_pages',
      mailboxId: 'mbx_pages',
      newest: rows[0]!.id,
      oldest: rows.at(-1)!.id,
      count: rows.length,
      words: [],
      pages: pages.map(([first]) => first!.id),
      tidyAt: new Date(began),
    })
    const edges = [0, 1, pageRows - 1, pageRows, 2 * pageRows - 1, 2 * pageRows, rows.length - 1].map(
      (n) => numbers[n]!,
    )
    const beside = edges.flatMap((n) => [n - 1, n + 1])
    const asked = async (messages: ReturnType<typeof message>[]) => [...(await indexedAmong(door.ctx, messages))].sort()
    for (const n of edges) {
      expect(await asked([message(n)]), `${n}`).to.deep.equal([message(n)._id])
      expect(await asked([message(n, 'changed')]), `${n} as it was before`).to.deep.equal([])
    }
    for (const n of beside) expect(await asked([message(n)]), `${n}`).to.deep.equal([])
    const ids = edges.map((n) => message(n)._id)
    expect(await asked([...beside, ...edges].map((n) => message(n)))).to.deep.equal(ids.toSorted())
  })
})

/** The reference implementation of a query: reads every message. */
function isTrue(query: ParsedQuery, letter: Letter): boolean {
  switch (query.kind) {
    case 'and':
      return query.parts.every((part) => isTrue(part, letter))
    case 'or':
      return query.parts.some((part) => isTrue(part, letter))
    case 'not':
      return !isTrue(query.part, letter)
    case 'words': {
      const texts = query.field === null ? Object.values(letter.fields).flat() : (letter.fields[query.field] ?? [])
      return texts.some((text) => hasPhrase(text, query.tokens))
    }
    case 'attachment':
      return letter.hasAttachment
    case 'in':
      return query.name.toLowerCase() === 'inbox'
    case 'is':
      return query.flag === 'unread'
    case 'before':
      return query.at.getTime() > Date.now()
    case 'after':
      return query.at.getTime() <= Date.now()
    case 'larger':
      return letter.sizeBytes > query.bytes
    case 'smaller':
      return letter.sizeBytes < query.bytes
    case 'label':
      throw new Error(printQuery(query))
  }
}

function hasPhrase(text: string, wanted: readonly WantedToken[]): boolean {
  const tokens = tokensOf(text)
  return tokens.some(({ at: begin }) =>
    wanted.every(({ text: word, at, prefix }) =>
      tokens.some(
        (token) =>
          token.at === begin + at - wanted[0]!.at && (prefix ? token.text.startsWith(word) : token.text === word),
      ),
    ),
  )
}
