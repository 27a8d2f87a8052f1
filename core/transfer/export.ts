/** The mail of a mailbox as other programs read it, folder by folder, oldest first. */
import { readBlob } from '../../store/blobs.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { messagesIn } from '../../store/exports.ts'
import type { Account } from '../access/account-record.ts'
import { administrator } from '../access/principal.ts'
import { type SystemFlag, systemFlags } from '../imap/flags.ts'
import { foldersIn } from '../mailbox/known-folders.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { withTrace } from '../receive/trace-headers.ts'

export type OwnMessage = {
  readonly id: string
  /** The bytes that mail programs are shown. */
  readonly raw: Buffer
  readonly sender: string
  readonly receivedAt: Date
  readonly flags: readonly SystemFlag[]
  readonly labels: readonly string[]
}

export type OwnFolder = { readonly path: string; readonly messages: AsyncIterable<OwnMessage> }

/** The folders of a mailbox in the order of their paths. Fails with `mailbox_not_found`. */
export async function ownFolders(ctx: Context, account: Account, address: string): Promise<readonly OwnFolder[]> {
  const { _id: mailboxId } = await reachMailbox(ctx, administrator(account), address)
  const folders = await foldersIn(ctx, mailboxId)
  return folders
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ _id: folderId, path }) => ({ path, messages: messagesOf(ctx, { mailboxId, folderId }) }))
}

async function* messagesOf(
  ctx: Context,
  folder: { readonly mailboxId: string; readonly folderId: string },
): AsyncGenerator<OwnMessage> {
  for await (const message of messagesIn(ctx.store, folder)) {
    const bytes = await readBlob(ctx.store, message.blob)
    // Null when the message was deleted meanwhile.
    if (bytes !== null) yield ownMessage(message, bytes)
  }
}

function ownMessage(message: MessageDoc, bytes: Buffer): OwnMessage {
  const { _id: id, trace, from, receivedAt, labels = [] } = message
  return {
    id,
    raw: withTrace(message, bytes),
    sender: /^Return-Path: <([^>]*)>/.exec(trace)?.[1] ?? from?.address ?? '',
    receivedAt,
    flags: systemFlags.filter((flag) => message[flag] === true),
    labels,
  }
}
