/**
 * Work that is repeated because it is unknown after a crash whether it was done. Each case is a fixed bug, in which the work was
 * done twice or not at all.
 */
import { expect } from 'chai'
import { newId } from '../../schemas/ids.ts'
import { createArrivalWriter, type NewMessage } from '../../store/arrivals.ts'
import { packBlob } from '../../store/blobs.ts'
import type { IdempotencyDoc } from '../../store/documents/accounts.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { createEventAppend } from '../../store/events.ts'
import { closeReservations, findFolders, insertStandardFolders, reserve } from '../../store/folders.ts'
import { openStore, type Store } from '../../store/open.ts'
import { claimLanes, claimRows, findDueRows, finishRow, insertOutbox, postponeLanes } from '../../store/outbox.ts'
import { releaseIdempotencyKey, takeIdempotencyKey } from '../../store/records.ts'
import { recount } from '../../store/recount.ts'
import { eventDoc, messageDoc } from '../documents.ts'
import { type Started, startEngine } from '../start/engine.ts'

const at = new Date('2026-11-20T12:00:00Z')
const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000)
const accountId = newId('acc', at)

describe('what a crash repeats', () => {
  let engine: Started
  let store: Store

  before(async () => {
    engine = await startEngine()
    store = await openStore({ url: `mongodb://${encodeURIComponent(engine.socket)}/mailroom`, role: 'test' })
  })
  after(async () => {
    await store?.close()
    await engine?.stop()
  })

  async function makeFolder(): Promise<FolderDoc> {
    const mailboxId = newId('mbx', at)
    await insertStandardFolders(store, { accountId, mailboxId, uidValidity: 1 })
    return findFolder(mailboxId)
  }
  async function findFolder(mailboxId: string): Promise<FolderDoc> {
    const folder = (await findFolders(store, mailboxId)).find(({ role }) => role === 'inbox')
    if (folder === undefined) throw new Error('There is no inbox.')
    return folder
  }

  it('a copy that two settlings write in one group counts once', async () => {
    const folder = await makeFolder()
    const writer = createArrivalWriter(store, () => at)
    const copy = await messageIn(folder)
    const written = await Promise.all([copy, copy].map((message) => writer.write({ chunks: [], messages: [message] })))
    await writer.flush()
    expect(written.flat().map(({ id }) => id)).to.deep.equal([copy._id, copy._id])
    expect(written.flat().filter(({ repeated }) => repeated)).to.have.length(1)
    expect(await findFolder(folder.mailboxId)).to.include({ total: 1, unread: 1, bytes: copy.sizeBytes })
  })

  it('a reservation that is closed twice is returned once', async () => {
    const folder = await makeFolder()
    const claim = { folderId: folder._id, mailboxId: folder.mailboxId, uids: 2, total: 2, unread: 2, bytes: 20 }
    await reserve(store, [claim], { token: 'one', at })
    const closing = [
      {
        folderId: folder._id,
        mailboxId: folder.mailboxId,
        token: 'one',
        overcounted: { total: 1, unread: 1, bytes: 10 },
      },
    ]
    for (let time = 0; time < 2; time++) await closeReservations(store, closing)
    expect(await findFolder(folder.mailboxId)).to.deep.include({ total: 1, unread: 1, bytes: 10, open: [] })
  })

  it('what a live writer has reserved stays counted when a folder is recounted', async () => {
    const folder = await makeFolder()
    const claim = { folderId: folder._id, mailboxId: folder.mailboxId, uids: 1, total: 1, unread: 1, bytes: 10 }
    await reserve(store, [claim], { token: 'dead', at })
    await reserve(store, [claim], { token: 'living', at: later(60) })
    expect(await recount(store, folder, { before: later(30), now: () => later(61) })).to.equal(true)
    const counted = await findFolder(folder.mailboxId)
    expect(counted).to.deep.include({ total: 1, unread: 1, bytes: 10 })
    expect(counted.open.map(({ token }) => token)).to.deep.equal(['living'])
  })

  it('a lane keeps its turn while a claimed row waits beside a finished one', async () => {
    const account = newId('acc', at)
    const rows = [0, 1].map((n) => rowOf(account, n))
    await insertOutbox(store, rows)
    const lanes = { accountIds: [account], token: 't', until: later(5) }
    expect((await claimLanes(store, { ...lanes, now: at, max: 9 })).accountIds).to.deep.equal([account])
    const dueRows = (now: Date) => findDueRows(store, { accountIds: [account], now, max: 10 })
    await claimRows(store, await dueRows(at), { now: at, until: later(120), owner: 'o', token: 't' })
    await finishRow(store, { accountId: account, id: rows[0]!._id, token: 't', at })
    await postponeLanes(store, lanes)
    const again = { now: later(120), until: later(240), token: 'u' }
    expect((await claimLanes(store, { ...again, max: 9 })).accountIds).to.deep.equal([account])
    const due = await claimRows(store, await dueRows(later(120)), { ...again, owner: 'o' })
    expect(due.map(({ _id }) => _id)).to.deep.equal([rows[1]!._id])
  })

  it('an event that exists already does not keep others from being recorded', async () => {
    const events = ['a', 'b', 'c'].map((name) => eventDoc(accountId, name, at))
    const append = createEventAppend(store)
    await append([events[1]!])
    const appended = await append(events)
    expect(appended.map(({ _id, seq }) => [_id, seq])).to.deep.equal([
      [events[0]!._id, 2],
      [events[2]!._id, 3],
    ])
    expect(await append(events)).to.deep.equal([])
  })

  const tries = [
    ['of the same request goes on with the id of the first', {}, 'req_first'],
    ['of another request begins anew', { fingerprint: 'other' }, 'req_second'],
    ['after the key expired begins anew', { startedAt: later(1_000) }, 'req_second'],
  ] as const
  for (const [name, change, onceId] of tries) {
    it(`a try ${name}`, async () => {
      const first = markOf({ _id: `mark ${name}`, onceId: 'req_first' })
      await takeIdempotencyKey(store, first, later(-60))
      const second = { ...first, owner: 'second', onceId: 'req_second', startedAt: later(70), ...change }
      const taken = await takeIdempotencyKey(store, second, new Date(second.startedAt.getTime() - 60_000))
      expect(taken).to.deep.equal({ taken: true, onceId })
    })
  }

  it('a try that arrives just when the previous one is released continues with its id', async () => {
    const first = markOf({ _id: 'mark between two looks', onceId: 'req_first' })
    await takeIdempotencyKey(store, first, later(-60))
    const { idempotency } = store
    const findOneAndUpdate = async (filter: never, update: never, options: never) => {
      const found = await idempotency.findOneAndUpdate(filter, update, options)
      if (found === null) await releaseIdempotencyKey(store, first)
      return found
    }
    const slow: Store = { ...store, idempotency: Object.assign(Object.create(idempotency), { findOneAndUpdate }) }
    const second = { ...first, owner: 'second', onceId: 'req_second', startedAt: later(1) }
    const taken = await takeIdempotencyKey(slow, second, later(-59))
    expect('onceId' in taken ? taken.onceId : taken.existing.onceId).to.equal('req_first')
  })
})

async function messageIn(folder: FolderDoc): Promise<NewMessage> {
  const bytes = Buffer.from('Subject: copy\r\n\r\n')
  const id = newId('msg', at)
  const { ref } = await packBlob({ objects: null }, { id: newId('blb', at), bytes, users: [id], at })
  const { _id: folderId, mailboxId } = folder
  return messageDoc({ _id: id, accountId, mailboxId, folderId, receivedAt: at, subject: 'copy', blob: ref })
}

function rowOf(account: string, n: number) {
  const emailId = 'em_lane'
  return {
    _id: `${account}#${n}`,
    accountId: account,
    emailId,
    n,
    sender: 'a@b.test',
    recipient: 'c@d.test',
    messageIdHeader: 'm@b.test',
    blob: { id: 'blb_lane', chunks: 1, sizeBytes: 1 },
    notBefore: at,
    createdAt: at,
    lease: null,
    attempts: 0,
    attempting: false,
  }
}

function markOf({ _id, onceId }: { _id: string; onceId: string }): IdempotencyDoc {
  return {
    _id,
    accountId,
    fingerprint: 'same',
    state: 'running',
    owner: 'first',
    onceId,
    startedAt: at,
    expiresAt: later(900),
  }
}
