import type { NewMessage } from '../../store/arrivals.ts'
import { readBlob } from '../../store/blobs.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { findFoldersOf } from '../../store/folders.ts'
import { findMessages } from '../../store/messages.ts'
import { folderIn } from '../mailbox/folders.ts'
import { usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveNewThreads } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'
import { describe } from '../receive/message-document.ts'

/** What is still at hand of a send that was committed just now: its bytes, and the folders of its mailbox. */
export type Fresh = { readonly raw: Buffer; readonly folders: readonly FolderDoc[] }

type Sent = { readonly email: EmailDoc; readonly fresh?: Fresh }
type Keeper = Sent & {
  readonly mailboxId: string
  readonly mailbox: string
  readonly messageId: string
  readonly threadId: string
}

/** Writes the copies in Sent, with the ids the answers of the sends named. Safe to repeat. */
export async function writeSentCopies(ctx: Context, sends: readonly Sent[]): Promise<void> {
  const keepers = await withoutWritten(ctx, sends.flatMap(keeperOf))
  if (keepers.length === 0) return
  const asked = keepers.flatMap(({ fresh, mailboxId }) => (fresh === undefined ? [mailboxId] : []))
  const found = asked.length === 0 ? [] : await findFoldersOf(ctx.store, asked)
  const foldersOf = ({ fresh, mailboxId }: Keeper) =>
    fresh?.folders ?? found.filter((each) => each.mailboxId === mailboxId)
  const made = await Promise.all(keepers.map((keeper) => copyOf(ctx, keeper, foldersOf(keeper))))
  const copies = made.filter((copy) => copy !== null)
  // Together: what is asked for in one turn of the loop is one group.
  await Promise.all(copies.map((copy) => ctx.arrivals.write({ chunks: [], messages: [copy] })))
  ctx.changes.publish({ kind: 'stored', ids: copies.map(({ _id }) => _id) })
  const folders = new Map(keepers.flatMap(foldersOf).map((folder) => [folder._id, folder]))
  const held = usageByMailbox([...folders.values()]).map((each) => ({
    ...each,
    usedBytes: copies.reduce(
      (sum, { mailboxId, sizeBytes }) => sum + (mailboxId === each.mailboxId ? sizeBytes : 0),
      each.usedBytes,
    ),
  }))
  await Promise.all([deriveNewThreads(ctx, copies), warnOfStorage(ctx, held)])
}

function keeperOf(sent: Sent): Keeper[] {
  const { mailboxId, mailbox, messageId, threadId } = sent.email
  if (mailboxId === null || mailbox === null || messageId === null || threadId === null) return []
  return [{ ...sent, mailboxId, mailbox, messageId, threadId }]
}

async function withoutWritten(ctx: Context, keepers: readonly Keeper[]): Promise<readonly Keeper[]> {
  const doubtful = keepers.flatMap(({ fresh, messageId }) => (fresh === undefined ? [messageId] : []))
  if (doubtful.length === 0) return keepers
  const written = new Set((await findMessages(ctx.store, doubtful)).map(({ _id }) => _id))
  return keepers.filter(({ messageId }) => !written.has(messageId))
}

async function copyOf(
  ctx: Context,
  { email, fresh, mailboxId, mailbox, messageId, threadId }: Keeper,
  folders: readonly FolderDoc[],
): Promise<NewMessage | null> {
  const raw = fresh?.raw ?? (await readBlob(ctx.store, email.blob))
  if (raw === null) return null
  return {
    _id: messageId,
    accountId: email.accountId,
    mailboxId,
    mailbox,
    folderId: folderIn(folders, 'sent')._id,
    threadId,
    receivedAt: email.createdAt,
    seen: true,
    flagged: false,
    answered: false,
    ...describe(await ctx.parsing.run('arrival', { raw, prefix: '' }), email.blob),
    bcc: email.bcc,
    trace: '',
    deliveredTo: null,
    emailId: email._id,
  }
}
