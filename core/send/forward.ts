/** The content of a forwarded message: the sender's own text, the original message below it, and its files. */
import { forwardHtml, forwardText, textAsHtml } from '../../mail/compose/forward.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { attachmentIdOf } from '../parsing/attachment-ids.ts'
import type { Context } from '../process/context.ts'
import { bytesOf, inMemoryRoom } from '../read/bodies.ts'
import type { NewAttachment, SendInput } from './content.ts'

/**
 * The bodies and files of a forwarding send. Inline images that the HTML shows are included even when the other files
 * are not.
 */
export async function forwardedContent(
  ctx: Context,
  message: MessageDoc,
  { text, html, attachments = [], includeAttachments }: SendInput & { readonly includeAttachments: boolean },
): Promise<Required<Pick<SendInput, 'text' | 'attachments'>> & Pick<SendInput, 'html'>> {
  const body = await inMemoryRoom(ctx, message, async () => {
    const raw = await bytesOf(ctx, message)
    return ctx.parsing.run('forwarding', { raw, ownHtml: text === undefined ? (html ?? null) : null })
  })
  const { from, to, cc, subject, date } = message
  const about = { from, to, cc, subject, date }
  const own = html ?? (text === undefined ? undefined : textAsHtml(text))
  const isHtml = body.html !== null || html !== undefined
  const theirs = body.html === null ? textAsHtml(body.text) : body.html
  const files = message.attachments
    .filter(({ inline, contentId }) => includeAttachments || (inline && contentId !== null && body.html !== null))
    .map(({ partId }): NewAttachment => ({ messageId: message._id, attachmentId: attachmentIdOf(message._id, partId) }))
  return {
    text: forwardText(text ?? body.ownText ?? undefined, { ...about, text: body.text }),
    ...(isHtml && { html: forwardHtml(own, { ...about, html: theirs }) }),
    attachments: [...attachments, ...files],
  }
}
