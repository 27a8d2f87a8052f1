import { framePolicy, htmlDocument } from '../../mail/body/html-document.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { attachmentsAddress, readMessage } from './bodies.ts'

/**
 * Reads a message, or one attached to it, as a document to show in a frame: its sanitised HTML, or its text when it has no HTML.
 * `policy` is the content security policy to send with the document; `version` identifies the content. Fails with
 * `mailbox_not_found`, `not_found`, `unavailable`.
 */
export async function readDocument(
  ctx: Context,
  principal: Principal,
  which: { readonly address: string; readonly messageId: string; readonly attachmentId?: string },
): Promise<{ readonly content: Buffer; readonly policy: string; readonly version: string }> {
  const { id, mailbox, html = null, text = '' } = await readMessage(ctx, principal, { ...which, view: 'full' })
  const document = htmlDocument({ html, text })
  const policy = framePolicy(attachmentsAddress(ctx, { mailbox, _id: id }))
  return { content: Buffer.from(document), policy, version: document }
}
