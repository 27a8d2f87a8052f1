/**
 * Imports mail from elsewhere into a mailbox: folder by folder, in groups, each message once. A message has a mark that is computed
 * from its identity in the source, and the database holds no two messages of a mailbox with the same mark. An interrupted import can
 * therefore be started again from the beginning, and brings what is missing.
 */
import { createHash } from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'
import { findImported } from '../../store/messages.ts'
import type { Account } from '../access/account-record.ts'
import { administrator } from '../access/principal.ts'
import { type Appended, appendMessages, messageBytesMax } from '../imap/append.ts'
import type { SystemFlag } from '../imap/flags.ts'
import { createFolder } from '../mailbox/folder-changes.ts'
import { canonicalPath, folderNamed } from '../mailbox/folders.ts'
import { foldersIn, type KnownFolder } from '../mailbox/known-folders.ts'
import { isLabel } from '../mailbox/labels.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'

/** A message in the source, which is read only when it is to be imported. */
export type ForeignMessage = {
  /** Identifies the message among all that could be imported. It is the same in every import. */
  readonly identity: string
  readonly sizeBytes: number
  read(): Promise<{
    readonly raw: Buffer
    readonly flags: ReadonlySet<SystemFlag>
    readonly labels: readonly string[]
    readonly receivedAt: Date | null
  } | null>
}

/** A folder in the source, with its messages in order. */
export type ForeignFolder = { readonly path: string; readonly messages: AsyncIterable<ForeignMessage> }

export type ImportCounts = {
  /** All messages of the source so far. */
  seen: number
  imported: number
  /** Messages that an earlier import, or another one at the same time, has brought. */
  known: number
  /** Messages that are larger than a message may be, or were deleted before they could be read. */
  skipped: number
}

/** Most messages looked up together, most bytes looked up or written together (messages of a file are in memory), most messages written. */
const lookAtOnce = 200
const bytesAtOnce = 8 * 1024 * 1024
const messagesAtOnce = 50

export type Import = {
  readonly counts: Readonly<ImportCounts>
  /** Imports the messages of a folder. Fails with `unprocessable` (mailbox full), `validation_error` (name of the folder), `conflict`. */
  folder(from: ForeignFolder): Promise<void>
}

/** Begins an import into a mailbox of an account, by an administrator. Fails with `mailbox_not_found`. */
export async function beginImport(ctx: Context, account: Account, address: string): Promise<Import> {
  const principal = administrator(account)
  const mailbox = await reachMailbox(ctx, principal, address)
  const login = { principal, mailbox, again: async () => login }
  const counts: ImportCounts = { seen: 0, imported: 0, known: 0, skipped: 0 }

  async function folder({ path, messages }: ForeignFolder): Promise<void> {
    const into = await folderFor(ctx, login, path)
    let group: ForeignMessage[] = []
    let bytes = 0
    for await (const message of messages) {
      counts.seen += 1
      group.push(message)
      bytes += message.sizeBytes
      if (group.length < lookAtOnce && bytes < bytesAtOnce) continue
      await bring(into, group)
      group = []
      bytes = 0
    }
    await bring(into, group)
  }

  async function bring(into: KnownFolder, group: readonly ForeignMessage[]): Promise<void> {
    const marked = group.map((message) => ({ message, mark: markOf(message) }))
    const marks = marked.map(({ mark }) => mark)
    const known = await findImported(ctx.store, { mailboxId: mailbox._id, marks })
    let waiting: Appended[] = []
    let bytes = 0
    for (const { message, mark } of marked) {
      if (known.has(mark.toString('base64url'))) counts.known += 1
      else if (message.sizeBytes > messageBytesMax(ctx)) counts.skipped += 1
      else {
        const read = await message.read()
        if (read === null || read.raw.length > messageBytesMax(ctx)) {
          counts.skipped += 1
          continue
        }
        waiting.push({ ...read, labels: read.labels.filter(isLabel), importedFrom: mark })
        bytes += read.raw.length
        if (bytes < bytesAtOnce && waiting.length < messagesAtOnce) continue
        await write(into, waiting)
        waiting = []
        bytes = 0
      }
    }
    await write(into, waiting)
  }

  async function write(into: KnownFolder, messages: readonly Appended[]): Promise<void> {
    if (messages.length === 0) return
    const placed = await appendMessages(ctx, login, into, messages)
    // A message that another import brings at the same time is repeated.
    const uids = new Set(placed.flatMap(({ uid, isRepeated }) => (isRepeated ? [] : [uid])))
    counts.imported += uids.size
    counts.known += messages.length - uids.size
  }

  return { counts, folder }
}

/** The folder at a path, created if it does not exist. */
async function folderFor(
  ctx: Context,
  { principal, mailbox }: { principal: ReturnType<typeof administrator>; mailbox: { _id: string; address: string } },
  path: string,
): Promise<KnownFolder> {
  const wanted = canonicalPath(path)
  const find = async () =>
    folderNamed(await foldersIn(ctx, mailbox._id, (known) => folderNamed(known, wanted) !== undefined), wanted)
  const existing = await find()
  if (existing !== undefined) return existing
  try {
    await createFolder(ctx, principal, { address: mailbox.address, name: wanted })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'conflict' || (await find()) === undefined) throw error
  }
  const made = await find()
  if (made === undefined)
    throw new Failure('conflict', `The folder "${wanted}" was deleted meanwhile.`, { fix: 'Start the import again.' })
  return made
}

const markOf = ({ identity }: ForeignMessage): Buffer =>
  createHash('sha256').update(identity).digest().subarray(0, markBytes)
const markBytes = 16
