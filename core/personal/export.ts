/**
 * Everything that the service keeps for an account, as files: the mail of each mailbox as mbox, the files of Drive, and all other
 * documents as JSON. store/personal.ts says what is shown of a collection. Files are made while they are read, a message or a page of
 * documents at a time, so only their names are in memory all at once.
 */

import { mboxEntry } from '../../mail/compose/mbox.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { findSandboxesOf } from '../../store/accounts.ts'
import { readBlob } from '../../store/blobs.ts'
import type { BlobRef } from '../../store/documents/mail.ts'
import { findDriveEntry } from '../../store/drive.ts'
import { countDocuments, documentsOf, messagesOf, sendsWithoutCopy, shownCollections } from '../../store/exports.ts'
import { namedMailboxes } from '../../store/mailboxes.ts'
import { BodyLost } from '../../store/object-store.ts'
import { ownerOf } from '../../store/personal.ts'
import { fileOf } from '../drive/entries.ts'
import { walkEntries } from '../drive/paths.ts'
import type { Context } from '../process/context.ts'
import { withTrace } from '../receive/trace-headers.ts'

export type ExportedFile = {
  /** With `/` between folders, and only characters that every file system accepts. */
  readonly name: string
  readonly content: () => AsyncIterable<Buffer>
}

export type Export = {
  readonly files: readonly ExportedFile[]
  /** The number of documents; `onDocument` is called once for each. */
  readonly total: number
}

const about = `This is all that Mailroom keeps for this account.

mail/ADDRESS.mbox      the mail of a mailbox, oldest first (RFC 4155; lines that begin with "From " are quoted as mboxrd does)
mail/sends.mbox        mail that was sent without a copy in a mailbox
drive/                 the files of Drive
data/NAME.json         everything else, one file for each kind of record; times are UTC, bytes are base64
sandbox/               the same of the sandbox, if there is one

data/messages.json says of each message its mailbox, folder, flags and labels. A message that is in no file of mail/ was deleted
while this was made, or the service has lost its body. Secrets (keys, passwords, signing secrets) are
not part of it: the service keeps of most of them only a digest.
`

/** The files of an export. `onDocument` is called for each document when it is written. */
export async function exportOf(
  ctx: Context,
  accountId: string,
  onDocument: () => void = () => undefined,
): Promise<Export> {
  const [sandboxId] = await findSandboxesOf(ctx.store, accountId)
  const parts = await Promise.all([
    partOf(ctx, accountId, onDocument),
    ...(sandboxId === undefined ? [] : [partOf(ctx, sandboxId, onDocument)]),
  ])
  return {
    files: [
      { name: 'README.txt', content: () => oneOf(about) },
      ...parts.flatMap(({ files }, n) =>
        files.map((file) => (n === 0 ? file : { ...file, name: `sandbox/${file.name}` })),
      ),
    ],
    total: parts.reduce((sum, { total }) => sum + total, 0),
  }
}

/** The files of the account itself, or of its sandbox. */
async function partOf(ctx: Context, accountId: string, onDocument: () => void): Promise<Export> {
  const owner = await ownerOf(ctx.store, accountId)
  const mailboxes = await namedMailboxes(ctx.store, accountId)
  const files: ExportedFile[] = [
    ...mailboxes.map(({ id, address }) => ({
      name: `mail/${fileNameOf(address)}.mbox`,
      content: () => mboxOfMailbox(ctx, id),
    })),
    { name: 'mail/sends.mbox', content: () => mboxOfSends(ctx, accountId) },
    ...(await driveFiles(ctx, accountId)),
    ...shownCollections().map((name) => ({
      name: `data/${name}.json`,
      content: () => jsonOf(documentsOf(ctx.store, name, owner), onDocument),
    })),
  ]
  return { files, total: await countDocuments(ctx.store, owner) }
}

/** The files of Drive, under names that every file system accepts. */
async function driveFiles(ctx: Context, accountId: string): Promise<readonly ExportedFile[]> {
  const files: ExportedFile[] = []
  for await (const { entry, path } of walkEntries(ctx, accountId, null)) {
    if (entry.kind === 'folder') continue
    const name = ['drive', ...path.map((part) => encodeURIComponent(part).replaceAll('*', '%2A'))].join('/')
    files.push({ name, content: () => bytesOfFile(ctx, accountId, entry._id) })
  }
  return files
}

/** The content of a file when it is read; empty when the file was deleted meanwhile. */
async function* bytesOfFile(ctx: Context, accountId: string, entryId: string): AsyncGenerator<Buffer> {
  const entry = await findDriveEntry(ctx.store, { accountId, entryId })
  if (entry === null) return
  const { content } = fileOf(ctx, entry)
  yield* content.read({ first: 0, last: content.sizeBytes - 1 })
}

async function* oneOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** A JSON array with one document on each line. */
async function* jsonOf(documents: AsyncIterable<object>, onDocument: () => void): AsyncGenerator<Buffer> {
  let before = '[\n'
  for await (const document of documents) {
    onDocument()
    yield Buffer.from(`${before}${JSON.stringify(document)}`)
    before = ',\n'
  }
  yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n')
}

async function* mboxOfMailbox(ctx: Context, mailboxId: string): AsyncGenerator<Buffer> {
  for await (const message of messagesOf(ctx.store, mailboxId)) {
    const raw = await bytesOf(ctx, message.blob)
    const sender = /^Return-Path: <([^>]*)>/.exec(message.trace)?.[1] ?? message.from?.address ?? ''
    if (raw !== null) yield mboxEntry({ sender, receivedAt: message.receivedAt, raw: withTrace(message, raw) })
  }
}

async function* mboxOfSends(ctx: Context, accountId: string): AsyncGenerator<Buffer> {
  for await (const { blob, from, createdAt } of sendsWithoutCopy(ctx.store, accountId)) {
    const raw = await bytesOf(ctx, blob)
    if (raw !== null) yield mboxEntry({ sender: from.address, receivedAt: createdAt, raw })
  }
}

/** Null for a message that was deleted meanwhile, or whose body is lost, which the log says. */
async function bytesOf(ctx: Context, blob: BlobRef): Promise<Buffer | null> {
  try {
    return await readBlob(ctx.store, blob)
  } catch (error) {
    if (!(error instanceof BodyLost)) throw error
    ctx.log.error({ err: error, blobId: blob.id }, 'an export leaves out a message whose body is lost')
    return null
  }
}

/** An address as the name of a file: characters that are special to a file system are percent-encoded. */
function fileNameOf(address: string): string {
  const { local, domain } = splitAddress(address)
  return `${encodeURIComponent(local).replaceAll('*', '%2A')}@${domain}`
}
