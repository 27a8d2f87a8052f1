/** Copies an attachment of a message into Drive, where it stays when the message is deleted. */
import { createHash } from 'node:crypto'
import type { Principal } from '../access/principal.ts'
import { folderAt, type PutOutcome, putFile } from '../drive/put.ts'
import type { Context } from '../process/context.ts'
import { readAttachment } from './bodies.ts'

/** Puts the attachment into the folder at `path`, under its own name. Fails as `readAttachment`, `folderAt` and `putFile` do. */
export async function keepAttachment(
  ctx: Context,
  principal: Principal,
  attachment: { readonly address: string; readonly messageId: string; readonly attachmentId: string },
  path: readonly string[],
): Promise<PutOutcome> {
  const { accountId } = principal
  const { name, contentType, content } = await readAttachment(ctx, principal, attachment)
  const parentId = await folderAt(ctx, accountId, path)
  return putFile(
    ctx,
    { accountId, parentId },
    {
      name: name.replaceAll(/[/\p{Cc}]/gu, '_') || 'attachment',
      contentType,
      sizeBytes: content.length,
      modifiedAt: ctx.clock.now(),
      source: createHash('sha256').update(content).digest('base64url'),
      read: async function* (from) {
        yield content.subarray(from)
      },
    },
  )
}
