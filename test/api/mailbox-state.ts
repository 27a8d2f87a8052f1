/** Checks the invariants of a mailbox, and fills folders with many messages. */
import { expect } from 'chai'
import type { Context } from '../../core/process/context.ts'
import { newId } from '../../schemas/ids.ts'
import type { NewMessage } from '../../store/arrivals.ts'
import { packBlob } from '../../store/blobs.ts'
import type { FolderDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findFolders, labelKey } from '../../store/folders.ts'
import { messageDoc } from '../documents.ts'
import type { Tenant } from '../start/door.ts'

/** Checks that counters are exact, no reservation is open, UIDs are below uidNext, and no modseq is above the highest. */
export async function expectExact(ctx: Context, mailboxId: string): Promise<void> {
  await Promise.all([ctx.background.done(), ctx.arrivals.flush()])
  const messages = await ctx.store.messages.find({ mailboxId }).toArray()
  const folders = await findFolders(ctx.store, mailboxId)
  expect(messages.filter(({ folderId }) => !folders.some(({ _id }) => _id === folderId))).to.deep.equal([])
  for (const folder of folders) {
    const own = messages.filter(({ folderId }) => folderId === folder._id)
    expect(countsOf(folder), folder.path).to.deep.equal(countsIn(own))
    expect(folder.open, folder.path).to.deep.equal([])
    for (const { uid, modseq } of own) {
      expect(uid).to.be.below(folder.uidNext)
      expect(modseq).to.be.at.most(folder.highestModseq)
    }
  }
}

const countsOf = ({ total, unread, bytes, labels = {} }: FolderDoc) => ({
  total,
  unread,
  bytes,
  labels: Object.fromEntries(Object.entries(labels).filter(([, count]) => count !== 0)),
})

function countsIn(messages: readonly MessageDoc[]): ReturnType<typeof countsOf> {
  const labels: { [key: string]: number } = {}
  for (const label of messages.flatMap((message) => message.labels ?? []))
    labels[labelKey(label)] = (labels[labelKey(label)] ?? 0) + 1
  return {
    total: messages.length,
    unread: messages.filter(({ seen }) => !seen).length,
    bytes: messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    labels,
  }
}

/** Puts `count` messages with the same blob into a folder of a tenant's mailbox. Returns their ids. */
export async function fill(
  ctx: Context,
  { accountId, mailboxId, address }: Pick<Tenant, 'accountId' | 'mailboxId' | 'address'>,
  { folderId, count, ...fields }: { folderId: string; count: number } & Partial<NewMessage>,
): Promise<readonly string[]> {
  const at = ctx.clock.now()
  const ids = Array.from({ length: count }, () => newId('msg', at))
  const bytes = Buffer.from('From: a@remote.example\r\nSubject: Many\r\n\r\nx\r\n')
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes, users: ids, at })
  const messages = ids.map((_id) =>
    messageDoc({
      _id,
      accountId,
      mailboxId,
      mailbox: address,
      folderId,
      receivedAt: at,
      from: { name: '', address: 'a@remote.example' },
      subject: 'Many',
      snippet: 'x',
      blob: ref,
      ...fields,
    }),
  )
  for (let n = 0; n < messages.length; n += 200)
    await ctx.arrivals.write({ chunks: n === 0 ? chunks : [], messages: messages.slice(n, n + 200) })
  await ctx.arrivals.flush()
  return ids
}

/** The folder with a path, once all changes of its messages are complete. */
export async function folderAt(ctx: Context, mailboxId: string, path: string): Promise<FolderDoc> {
  await Promise.all([ctx.background.done(), ctx.arrivals.flush()])
  const found = (await findFolders(ctx.store, mailboxId)).find((folder) => folder.path === path)
  if (found === undefined) throw new Error(`There is no folder ${path}.`)
  return found
}
