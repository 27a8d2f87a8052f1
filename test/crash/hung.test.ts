import { expect } from 'chai'
import { administrator, type Principal } from '../../core/access/principal.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { copyMessages, expungeMessages, moveMessages } from '../../core/imap/copy.ts'
import { changeFlags } from '../../core/imap/flags.ts'
import { emptyTrash, markAllRead, moveAll } from '../../core/mailbox/bulk-changes.ts'
import { getFolder } from '../../core/mailbox/folders.ts'
import type { KnownFolder } from '../../core/mailbox/known-folders.ts'
import type { Context } from '../../core/process/context.ts'
import { arrivalsFirst } from '../../core/upkeep/arrivals.ts'
import { sweepReservations } from '../../core/upkeep/sweep.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { findFolders, labelKey } from '../../store/folders.ts'
import { listEditable } from '../../store/message-edits.ts'
import { messageDoc } from '../documents.ts'
import { hangAt } from '../peers/database-proxy.ts'
import { deliver, type Tenant } from '../start/door.ts'
import { type Nodes, openNodes } from '../start/nodes.ts'

/** Few messages are written together with what others write; many are not. */
const sizes = [3, 60] as const
const writes = new Set(['bulkWrite', 'insert', 'update', 'delete', 'findAndModify'])
/** Collections that a node writes to without its work waiting for it. */
const aside = new Set(['changeNotes', 'keyHolders'])

/** What the hanging node does to all messages of a folder; `to` is another folder. */
type Work = (
  ctx: Context,
  on: { readonly principal: Principal; readonly tenant: Tenant; readonly from: KnownFolder; readonly to: KnownFolder },
  uids: readonly number[],
) => Promise<unknown>

const works: readonly (readonly [string, Work])[] = [
  ['mail that comes in', (ctx, { tenant, to }, { length }) => arrive(ctx, tenant, to, { count: length })],
  [
    'a folder that is marked as read',
    (ctx, { principal, tenant: { address } }) => markAllRead(ctx, principal, { address, folder: 'trash' }),
  ],
  [
    'keywords that are set',
    (ctx, { from }, uids) => changeFlags(ctx, from, uids, { mode: 'add', flags: new Set(['flagged']), labels: ['a'] }),
  ],
  ['a folder that is emptied into another', (ctx, { from, to }) => moveAll(ctx, from, to)],
  ['messages that are moved', (ctx, { from, to }, uids) => moveMessages(ctx, { from, to, uids })],
  [
    'messages that are copied',
    (ctx, { principal, from, to }, uids) => copyMessages(ctx, principal, { from, to, uids }),
  ],
  ['Trash that is emptied', (ctx, { principal, tenant: { address } }) => emptyTrash(ctx, principal, address)],
  [
    'messages that are expunged',
    (ctx, { from }, uids) => expungeMessages(ctx, from, uids, arrivalsFirst(ctx, from.accountId)),
  ],
]

async function arrive(
  ctx: Context,
  { accountId, mailboxId }: Tenant,
  { _id: folderId }: KnownFolder,
  { count, ...fields }: { readonly count: number } & Partial<Pick<MessageDoc, 'blob' | 'deleted'>>,
) {
  const receivedAt = ctx.clock.now()
  const messages = Array.from({ length: count }, () =>
    messageDoc({ accountId, mailboxId, folderId, receivedAt, ...fields }),
  )
  await ctx.arrivals.write({ chunks: [], messages })
}

describe('a node that hangs with many messages in its hands, at each of its writes in turn', () => {
  let nodes: Nodes
  let { door, tenant, proxy, node, later } = {} as Nodes
  let on: Parameters<Work>[1]
  let blob: MessageDoc['blob']

  before(async () => {
    nodes = await openNodes()
    ;({ door, tenant, proxy, node, later } = nodes)
    const [from, to] = await Promise.all(
      ['trash', 'archive'].map((name) => getFolder(node.ctx, tenant.mailboxId, name)),
    )
    const principal = administrator(await getAccount(node.ctx, tenant.accountId))
    on = { principal, tenant, from: from!, to: to! }
    const raw = 'From: a@remote.example\nSubject: blob\n\nHi'
    const id = await deliver(door.ctx, { to: tenant.address, raw })
    blob = (await door.ctx.store.messages.findOne({ mailboxId: tenant.mailboxId, _id: id }))!.blob
  })
  afterEach(() => proxy?.follow(null))
  after(() => nodes?.close())

  async function empty(all: readonly KnownFolder[]) {
    const ids = all.map(({ _id }) => _id)
    const { mailboxId } = tenant
    await door.ctx.store.messages.deleteMany({ mailboxId, folderId: { $in: ids } })
    const nothing = { total: 0, unread: 0, bytes: 0, labels: {}, open: [] }
    await door.ctx.store.folders.updateMany({ mailboxId, _id: { $in: ids } }, { $set: nothing })
  }
  const inMailbox = () => door.ctx.store.messages.find({ mailboxId: tenant.mailboxId }).toArray()
  /** What a client knows that has synchronised the folders. */
  async function look() {
    const folders = await findFolders(door.ctx.store, tenant.mailboxId)
    return {
      folders: new Map(folders.map((folder) => [folder._id, folder])),
      messages: new Map((await inMailbox()).map((message) => [message._id, message])),
    }
  }

  /** A client that synchronised the folders before must see every change by its modseq and every new message by its UID. */
  function expectToBeHeard({ folders, messages }: Awaited<ReturnType<typeof look>>, now: readonly MessageDoc[]) {
    for (const message of now) {
      const before = messages.get(message._id)
      if (before?.modseq === message.modseq) continue
      const known = folders.get(message.folderId)!
      expect(message.modseq, 'modseq').to.be.above(known.highestModseq)
      if (before?.folderId !== message.folderId) expect(message.uid, 'UID').to.be.least(known.uidNext)
    }
  }

  function expectSoundFolders({ folders, messages }: Awaited<ReturnType<typeof look>>) {
    for (const { _id, path, total, unread, bytes, labels = {}, open } of folders.values()) {
      const inside = [...messages.values()].filter(({ folderId }) => folderId === _id)
      const counted: { [key: string]: number } = {}
      for (const label of inside.flatMap((message) => message.labels ?? []))
        counted[labelKey(label)] = (counted[labelKey(label)] ?? 0) + 1
      expect({ path, total, unread, bytes, labels, open: open.length }).to.deep.equal({
        path,
        total: inside.length,
        unread: inside.filter(({ seen }) => !seen).length,
        bytes: inside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        labels: counted,
        open: 0,
      })
      expect(new Set(inside.map(({ uid }) => uid)).size, `UIDs of ${path}`).to.equal(inside.length)
    }
  }

  for (const [what, work] of works)
    for (const size of sizes)
      it(`${what}, ${size} at once: counters are right, and clients see every change`, async () => {
        const { mailboxId } = tenant
        for (let nth = 1; ; nth++) {
          await empty([on.from, on.to])
          await arrive(door.ctx, tenant, on.from, { count: size, blob, deleted: true })
          const place = { mailboxId, folderId: on.from._id, after: 0 }
          const uids = (await listEditable(door.ctx.store, place)).map(({ uid }) => uid)
          let asked = 0
          const { wake, hanging } = hangAt(
            proxy,
            (name, body) => writes.has(name) && !aside.has(body[name]) && ++asked === nth,
          )
          const working = work(node.ctx, on, uids)
            .then(() => node.ctx.background.done(tenant.accountId))
            .then(
              () => null,
              (error: unknown) => error,
            )
          const hung = await Promise.race([hanging.then(() => true), working.then(() => false)])
          if (!hung) {
            expect(await working).to.equal(null)
            expect(nth).to.be.above(2)
            break
          }
          await sweepReservations(later.ctx)
          const known = await look()
          wake()
          await working
          expectToBeHeard(known, await inMailbox())
          await sweepReservations(later.ctx)
          expectSoundFolders(await look())
        }
      })
})
