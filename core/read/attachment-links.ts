/**
 * Links that open one attachment, or one file of Drive, without a key until they expire (core/access/signed-tokens.ts). A link stops
 * working when its file is deleted.
 */
import { Failure } from '../../schemas/failures.ts'
import { findLinkedRecord } from '../../store/intake.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { findMessage } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { readToken, signToken, type Target } from '../access/signed-tokens.ts'
import { type DriveFile, linkedFile, linkIds, reachFile } from '../drive/entries.ts'
import { reachMessage } from '../mailbox/messages.ts'
import { attachmentIdOf } from '../parsing/attachment-ids.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { type AttachmentContent, attachmentIn } from './bodies.ts'

export type AttachmentLink = { readonly url: string; readonly expiresAt: Date }
export type LinkedFile = Pick<AttachmentContent, 'name' | 'contentType' | 'content' | 'version'> | DriveFile

/** How long a link to an attachment (decisions.md 4, MCP results) or to a file in Drive works. */
const attachmentLinkMs = 15 * minuteMs
const purpose = 'link'

/** Opens the file that a link leads to, by the kind of the link; the ids are those in its token. */
const openers = {
  /** The ids are those of mailbox, message and attachment. */
  attachment: async (ctx: Context, [mailboxId = '', messageId = '', attachmentId = '']: readonly string[]) => {
    const message = await findMessage(ctx.store, { mailboxId, messageId })
    const [mailbox] = message === null ? [] : await findMailboxes(ctx.store, [message])
    return message === null || mailbox === undefined ? null : attachmentIn(ctx, message, attachmentId)
  },
  /** The ids are those of an Intake record, the number of the file in it, and the key of its links. */
  intake: async (ctx: Context, [recordId = '', n = '', linkKey = '']: readonly string[]) => {
    const record = await findLinkedRecord(ctx.store, { recordId, linkKey })
    const file = record?.attachments[Number(n)]
    return record === null || file === undefined
      ? null
      : attachmentIn(ctx, { ...record, _id: record.messageId }, attachmentIdOf(record.messageId, file.partId))
  },
  /** The ids are those of account and Drive file, and the version that the file had. */
  drive: linkedFile,
} as const satisfies {
  readonly [kind: string]: (ctx: Context, ids: readonly string[]) => Promise<LinkedFile | null>
}

/**
 * Makes a link to an attachment of a message that the key may reach, valid for 15 minutes. Fails with
 * `mailbox_not_found`, `not_found`.
 */
export async function linkToAttachment(
  ctx: Context,
  principal: Principal,
  { address, messageId, attachmentId }: { address: string; messageId: string; attachmentId: string },
): Promise<AttachmentLink> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const expiresAt = after(ctx.clock.now(), attachmentLinkMs)
  const ids = [message.mailboxId, message._id, attachmentId]
  return { url: linkTo(ctx, { kind: 'attachment', ids }, expiresAt), expiresAt }
}

/** Makes a link to a file in Drive, valid for 15 minutes (decisions.md 2, Drive). Fails with `not_found`, `conflict` (a folder). */
export async function linkToDriveFile(ctx: Context, accountId: string, entryId: string): Promise<AttachmentLink> {
  const expiresAt = after(ctx.clock.now(), attachmentLinkMs)
  const ids = linkIds(await reachFile(ctx, accountId, entryId))
  return { url: linkTo(ctx, { kind: 'drive', ids }, expiresAt), expiresAt }
}

/**
 * Reads the file that a link's token leads to. Fails with `not_found`, in the same way for an invalid token, an expired
 * one, and one whose file is gone.
 */
export async function openLink(ctx: Context, token: string): Promise<LinkedFile> {
  const target = readToken(ctx, purpose, token)
  const file = target === null || !isKnown(target.kind) ? null : await openers[target.kind](ctx, target.ids)
  if (file === null)
    throw new Failure('not_found', 'The link is invalid or has expired, or its file was deleted.', {
      fix: 'Get a new link from the message, the record or the Drive file.',
    })
  return file
}

type OpenerKind = keyof typeof openers
const isKnown = (kind: string): kind is OpenerKind => Object.hasOwn(openers, kind)

/** The URL that opens a file without a key until `expiresAt`. */
export function linkTo(ctx: Context, target: Target & { readonly kind: OpenerKind }, expiresAt: Date): string {
  return `${ctx.baseUrl}/api/v1/files/${signToken(ctx, purpose, target, expiresAt)}`
}
