/**
 * Bounce messages (RFC 3464) for mail submitted by SMTP: mail programs do not receive events, so the sender gets the
 * bounce by mail.
 */

import { bounceMessage } from '../../mail/compose/bounce.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { readBlob } from '../../store/blobs.ts'
import type { EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import type { Context } from '../process/context.ts'
import { receive } from '../receive/receive.ts'
import { findRecipient } from '../receive/recipients.ts'

/**
 * Sends bounce messages for recipients to the mailbox that submitted the mail. The bounce message for a recipient is
 * always the same, so that sending it again stores nothing new. A full or deleted mailbox gets none, and neither does a
 * mail with the null sender (RFC 5321 4.5.5).
 */
export async function reportBounces(
  ctx: Context,
  email: EmailDoc,
  bounced: readonly { readonly recipient: EmailRecipient; readonly n: number }[],
): Promise<void> {
  if (email.origin !== 'submission' || email.nullSender === true || email.mailbox === null || bounced.length === 0)
    return
  const raw = await readBlob(ctx.store, email.blob)
  if (raw === null) return
  const end = raw.indexOf('\r\n\r\n')
  const { domain } = splitAddress(email.mailbox)
  for (const { recipient, n } of bounced) {
    const bounce = bounceMessage({
      to: email.mailbox,
      domain,
      hostname: ctx.hostname,
      messageId: `${email._id}.${n}.bounce@${domain}`,
      at: recipient.at,
      recipient: recipient.email,
      remoteMta: recipient.mx,
      isGivenUp: recipient.reason === 'transient',
      response: recipient.response ?? '550 5.0.0 not delivered',
      originalHeader: raw.subarray(0, end < 0 ? raw.length : end + 2),
    })
    await deliver(ctx, email.mailbox, bounce, `${email._id}#${n}`)
  }
}

/** Reports recipients of a submission that were left out as suppressed: the mail program was told that the mail is accepted. */
export async function reportSuppressed(ctx: Context, email: EmailDoc): Promise<void> {
  const response =
    '550 5.7.1 not sent: the address is on the suppression list, because mail to it bounced or was reported as spam, or somebody added it'
  await reportBounces(
    ctx,
    email,
    email.recipients.flatMap((recipient, n) =>
      recipient.status === 'failed' && recipient.reason === 'suppressed'
        ? [{ recipient: { ...recipient, response }, n }]
        : [],
    ),
  )
}

async function deliver(ctx: Context, mailbox: string, raw: Buffer, transactionId: string): Promise<void> {
  try {
    await receive(ctx, {
      raw,
      reversePath: '',
      recipients: [await findRecipient(ctx, mailbox)],
      transactionId,
      isOurs: true,
      peer: { address: '127.0.0.1', helo: ctx.hostname, protocol: 'local', cipher: null },
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    ctx.log.warn({ err: error, mailbox }, 'a bounce message could not be delivered to the sender')
  }
}
