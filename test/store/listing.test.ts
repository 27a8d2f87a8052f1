import { expect } from 'chai'
import type { Document } from 'mongodb'
import { idAt, newId } from '../../schemas/ids.ts'
import type { MessageDoc, ThreadDoc } from '../../store/documents/mail.ts'
import { standardFolderId, standardFolders } from '../../store/folders.ts'
import { listMessages, type MessageQuery } from '../../store/messages.ts'
import { openStore, type Store } from '../../store/open.ts'
import { listThreads, type ThreadQuery } from '../../store/threads.ts'
import { messageDoc } from '../documents.ts'
import { type Started, startEngine } from '../start/engine.ts'

const count = 2_000
const page = 50
/** How many index entries a page may examine beyond the messages it shows: the first of each folder, read and unread. */
const besides = 2 * standardFolders.length

const start = Date.parse('2026-01-01T00:00:00Z')
const at = (n: number) => new Date(start + n * 60_000)
const mailboxId = newId('mbx', at(0))
const inbox = standardFolderId(mailboxId, 'INBOX')
const archive = standardFolderId(mailboxId, 'Archive')
const everywhere = standardFolders.map(([path]) => standardFolderId(mailboxId, path))

/** Of each 2,000 messages one is unread, one flagged, one has a file, one has a label, and one lies in Archive. */
function messageOf(n: number): MessageDoc {
  const _id = `${idAt('msg', at(n)).slice(0, -16)}${String(n).padStart(16, '0')}`
  const attachment = { partId: '1', name: 'a', contentType: 'a/b', sizeBytes: 1, inline: false, contentId: null }
  const message = messageDoc({
    _id,
    accountId: 'acc',
    mailboxId,
    folderId: n === 5 ? archive : inbox,
    receivedAt: at(n),
    seen: n !== 10,
    flagged: n === 20,
    attachments: n === 30 ? [attachment] : [],
  })
  return { ...message, uid: n + 1, modseq: n + 2, ...(n === 40 && { labels: ['rare'] }) }
}

function threadOf({ _id, threadId, folderId, seen, flagged, attachments, labels, receivedAt }: MessageDoc): ThreadDoc {
  return {
    _id: threadId,
    mailboxId,
    rev: 'r',
    live: true,
    subject: null,
    participants: [],
    recipients: [],
    senders: [seen ? 'often@x.example' : 'rare@x.example'],
    messageCount: 1,
    lastMessageId: _id,
    lastMessageAt: receivedAt,
    awaiting: 'us',
    folderIds: [folderId],
    unread: !seen,
    flagged,
    hasAttachment: attachments.length > 0,
    ...(labels && { labels }),
  }
}

describe('store: listings look at no more than they show', () => {
  let engine: Started
  let store: Store

  before(async () => {
    engine = await startEngine({ args: ['--no-table-scan'] })
    store = await openStore({ url: `mongodb://${encodeURIComponent(engine.socket)}/mailroom`, role: 'test' })
    const messages = Array.from({ length: count }, (_, n) => messageOf(n))
    await store.messages.insertMany(messages)
    await store.threads.insertMany(messages.map(threadOf))
  })
  after(async () => {
    await store?.close()
    await engine?.stop()
  })

  const messageCases: readonly (readonly [string, Omit<MessageQuery, 'mailboxId'>, number])[] = [
    ['a mailbox', {}, page],
    ['a folder', { folderIds: [inbox] }, page],
    ['a folder of one', { folderIds: [archive] }, 1],
    ['unread', { folderIds: everywhere, unread: true }, 1],
    ['unread in a folder', { folderIds: [inbox], unread: true }, 1],
    ['read', { folderIds: everywhere, unread: false }, page],
    ['flagged', { folderIds: everywhere, flagged: true }, 1],
    ['flagged and read in a folder', { folderIds: [inbox], flagged: true, unread: false }, 1],
    ['flagged and unread', { folderIds: everywhere, flagged: true, unread: true }, 0],
    ['with a file', { folderIds: everywhere, hasAttachment: true }, 1],
    ['a label', { label: 'rare' }, 1],
    ['before a time', { until: at(100) }, page],
    ['a short time long ago', { folderIds: [inbox], since: at(50), until: at(60) }, 10],
  ]
  for (const [what, query, expected] of messageCases) {
    it(`messages: ${what}`, async () => {
      const { asked, spied } = spy(store)
      const found = await listMessages(spied, { mailboxId, ...query }, { before: null, limit: page })
      expect(found).to.have.length(expected)
      expectNarrow(await explained(store, asked[0]), expected)
    })
  }

  const threadCases: readonly (readonly [string, Omit<ThreadQuery, 'mailboxId'>, number])[] = [
    ['all', {}, page],
    ['unread', { unread: true }, 1],
    ['flagged', { flagged: true }, 1],
    ['with a file', { hasAttachment: true }, 1],
    ['a label', { label: 'rare' }, 1],
    ['a folder', { folderId: archive }, 1],
    ['a sender', { from: 'rare@x.example' }, 1],
    ['a short time long ago', { since: at(50), until: at(60) }, 10],
  ]
  for (const [what, query, expected] of threadCases) {
    it(`threads: ${what}`, async () => {
      const { asked, spied } = spy(store)
      const found = await listThreads(spied, { mailboxId, ...query }, { before: null, limit: page })
      expect(found).to.have.length(expected)
      expectNarrow(await explained(store, asked[0]), expected)
    })
  }
})

/** The store, with a list of the commands that are sent through it. */
function spy(store: Store): { asked: Document[]; spied: Store } {
  const asked: Document[] = []
  const command: Store['db']['command'] = (body, options) => {
    asked.push(body)
    return store.db.command(body, options)
  }
  return { asked, spied: { ...store, db: Object.create(store.db, { command: { value: command } }) } }
}

async function explained(store: Store, asked: Document | undefined): Promise<Document> {
  if (asked === undefined) throw new Error('Nothing was asked.')
  return store.db.command({ explain: asked, verbosity: 'executionStats' }, { ignoreUndefined: true })
}

function expectNarrow({ executionStats, queryPlanner }: Document, shown: number): void {
  expect(executionStats.totalKeysExamined).to.be.at.most(shown + besides)
  expect(JSON.stringify(queryPlanner)).not.to.match(/COLLSCAN|"SORT"/)
}
