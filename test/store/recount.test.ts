import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { newId, newToken } from '../../schemas/ids.ts'
import { type ArrivalWriter, createArrivalWriter } from '../../store/arrivals.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { editFlags } from '../../store/flag-edits.ts'
import { closeSoon, findFolders, holding, insertStandardFolders, labelKey, reserve } from '../../store/folders.ts'
import { type EditTarget, editMessages, listEditable, removeMessages } from '../../store/message-edits.ts'
import { openStore, type Store } from '../../store/open.ts'
import { recount } from '../../store/recount.ts'
import { insertInto } from '../../store/writes.ts'
import { messageDoc } from '../documents.ts'
import { eventually } from '../eventually.ts'
import { type Started, startEngine } from '../start/engine.ts'

const accountId = newId('acc', new Date())
const rounds = 5
const countedMs = 120_000

describe('store: recount', () => {
  let engine: Started
  let store: Store
  let writer: ArrivalWriter

  before(async () => {
    engine = await startEngine({ args: ['--no-table-scan'] })
    store = await openStore({ url: `mongodb://${encodeURIComponent(engine.socket)}/mailroom`, role: 'test' })
    writer = createArrivalWriter(store, () => new Date())
  })
  after(async () => {
    await writer?.flush()
    await store?.close()
    await engine?.stop()
  })

  it('is exact in a folder that never rests: mail comes, is flagged, labelled, moved and removed', async () => {
    const mailboxId = newId('mbx', new Date())
    await insertStandardFolders(store, { accountId, mailboxId, uidValidity: 1 })
    const [inbox, archive] = await foldersIn(store, mailboxId)
    await arrive(writer, inbox, 1_000)
    let busy = true
    const changes = { made: 0 }
    const writers = [
      forever(
        () => busy,
        () => arrive(writer, inbox, 3),
      ),
      forever(
        () => busy,
        () => flagSome(store, inbox, changes),
      ),
      forever(
        () => busy,
        () => flagTogether(store, inbox, changes),
      ),
      forever(
        () => busy,
        () => labelSome(store, inbox, changes),
      ),
      forever(
        () => busy,
        () => moveSome(store, inbox, archive, changes),
      ),
      forever(
        () => busy,
        () => moveSome(store, archive, inbox, changes),
      ),
      forever(
        () => busy,
        () => removeSome(store, inbox, changes),
      ),
    ]
    for (let round = 0; round < rounds; round++) {
      await abandon(store, inbox)
      const before = new Date(Date.now() - 30_000)
      // Each further try is what the next sweep does when a writer did not finish in time.
      await eventually('it is counted', () => recount(store, inbox, { before, now: () => new Date() }), countedMs)
    }
    const during = changes.made
    busy = false
    await Promise.all(writers)
    await writer.flush()
    expect(during, 'changes meanwhile').to.be.above(5)
    for (const folder of await foldersIn(store, mailboxId))
      expect(stateOf(folder)).to.deep.equal(await countIn(store, folder))
  })

  it('counts right when a writer that hung wakes while it reads: what is void is refused', async () => {
    const mailboxId = newId('mbx', new Date())
    await insertStandardFolders(store, { accountId, mailboxId, uidValidity: 1 })
    const [inbox] = await foldersIn(store, mailboxId)
    await arrive(writer, inbox, 3)
    const claim = { folderId: inbox._id, mailboxId, uids: 1, total: 1, unread: 1, bytes: 100 }
    const token = newToken()
    const at = new Date(Date.now() - 60_000)
    const { uid, modseq } = (await reserve(store, [claim], { token, at })).get(inbox._id)!
    const late = { ...messageDoc({ accountId, mailboxId, folderId: inbox._id, receivedAt: at }), uid, modseq }
    const wake = () => store.writeTogether([holding(store, claim, token), insertInto(store.messages, late)])
    let written: number | null | undefined
    const folders = new Proxy(store.folders, {
      get: (target, name) => {
        const own = Reflect.get(target, name) as unknown
        if (name !== 'updateOne' || typeof own !== 'function') return typeof own === 'function' ? own.bind(target) : own
        // Its last step: all messages are read.
        return async (...given: readonly unknown[]) => {
          written = await wake()
          return own.apply(target, given)
        }
      },
    })
    const before = new Date(Date.now() - 30_000)
    expect(await recount({ ...store, folders }, inbox, { before, now: () => new Date() })).to.equal(true)
    expect(written).to.equal(0)
    const [after] = await foldersIn(store, mailboxId)
    expect(stateOf(after)).to.deep.equal(await countIn(store, after))
  })

  it('leaves the folder without a trace of it', async () => {
    const mailboxId = newId('mbx', new Date())
    await insertStandardFolders(store, { accountId, mailboxId, uidValidity: 1 })
    const [inbox] = await foldersIn(store, mailboxId)
    await abandon(store, inbox)
    await recount(store, inbox, { before: new Date(), now: () => new Date() })
    const [after] = await foldersIn(store, mailboxId)
    expect(after).to.deep.include({ total: 0, unread: 0, bytes: 0, open: [] })
    expect(after).not.to.have.any.keys('recount', 'touched')
  })
})

async function forever(wanted: () => boolean, act: () => Promise<unknown>): Promise<void> {
  while (wanted()) {
    await act()
    await sleep(1)
  }
}

async function foldersIn(store: Store, mailboxId: string): Promise<readonly [inbox: FolderDoc, archive: FolderDoc]> {
  const folders = await findFolders(store, mailboxId)
  const at = (role: string) => folders.find((folder) => folder.role === role) as FolderDoc
  return [at('inbox'), at('archive')]
}

/** Leaves a reservation like that of a writer that died long ago: nothing that it counted was written. */
async function abandon(store: Store, { _id: folderId, mailboxId }: FolderDoc): Promise<void> {
  const claim = { folderId, mailboxId, uids: 7, total: 7, unread: 7, bytes: 700 }
  await reserve(store, [claim], { token: newToken(), at: new Date(Date.now() - 60_000) })
}

async function arrive(writer: ArrivalWriter, { _id: folderId, mailboxId }: FolderDoc, count: number): Promise<void> {
  const receivedAt = new Date()
  const messages = Array.from({ length: count }, () => messageDoc({ accountId, mailboxId, folderId, receivedAt }))
  await writer.write({ chunks: [], messages })
}

type Made = { made: number }

async function changeOf(store: Store, { _id: folderId, mailboxId }: FolderDoc, count: number): Promise<EditTarget> {
  const { uidNext } = (await store.folders.findOne({ _id: folderId })) as FolderDoc
  const after = Math.floor(Math.random() * uidNext)
  const messages = (await listEditable(store, { mailboxId, folderId, after })).slice(0, count)
  return { mailboxId, folderId, messages, at: new Date(), derive: async () => true }
}

async function flagSome(store: Store, folder: FolderDoc, changes: Made): Promise<void> {
  const change = await changeOf(store, folder, 5)
  changes.made += (await editMessages(store, change, { seen: Math.random() < 0.5 })).size
}

/** As STORE does it: messages that are alike together. */
async function flagTogether(store: Store, folder: FolderDoc, changes: Made): Promise<void> {
  const { mailboxId, folderId, messages, at } = await changeOf(store, folder, 20)
  const [seen, labels] = [Math.random() < 0.5, Math.random() < 0.5 ? [] : ['a', 'c']]
  const groups = [...Map.groupBy(messages, (message) => JSON.stringify([message.seen, message.labels])).values()].map(
    (alike) => ({ messages: alike, edit: { labels, ...(alike[0]!.seen !== seen && { seen }) } }),
  )
  const { missed, ends } = await editFlags(store, { mailboxId, folderId, groups, at, notes: [] })
  await closeSoon(store, ends)
  changes.made += messages.length - missed.length
}

async function labelSome(store: Store, folder: FolderDoc, changes: Made): Promise<void> {
  const labels = Math.random() < 0.5 ? [] : ['a', 'b']
  changes.made += (await editMessages(store, await changeOf(store, folder, 5), { labels })).size
}

async function moveSome(store: Store, from: FolderDoc, to: FolderDoc, changes: Made): Promise<void> {
  const change = await changeOf(store, from, 5)
  if (change.messages.length === 0) return
  changes.made += (await editMessages(store, change, { to: { folderId: to._id } })).size
}

async function removeSome(store: Store, folder: FolderDoc, changes: Made): Promise<void> {
  changes.made += (await removeMessages(store, await changeOf(store, folder, 2))).size
}

const stateOf = ({ path, total, unread, bytes, labels = {}, open }: FolderDoc) => ({
  path,
  total,
  unread,
  bytes,
  open,
  labels: Object.fromEntries(Object.entries(labels).filter(([, count]) => count !== 0)),
})

async function countIn(
  store: Store,
  { _id: folderId, mailboxId, path }: FolderDoc,
): Promise<ReturnType<typeof stateOf>> {
  const messages = await store.messages.find({ mailboxId, folderId }).toArray()
  const labels: { [key: string]: number } = {}
  for (const label of messages.flatMap((message) => message.labels ?? []))
    labels[labelKey(label)] = (labels[labelKey(label)] ?? 0) + 1
  const unread = messages.filter(({ seen }) => !seen).length
  const bytes = messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return { path, total: messages.length, unread, bytes, labels, open: [] }
}
