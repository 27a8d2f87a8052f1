/** Mail that the service itself sends to people, such as the link that verifies an address. */
import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { compose } from '../../mail/compose/compose.ts'
import { type Id, newId } from '../../schemas/ids.ts'
import { findEmail } from '../../store/emails.ts'
import { serviceAccount } from '../account/service-account.ts'
import { signingKeys } from '../mailbox/domains.ts'
import type { Context } from '../process/context.ts'
import { freeAllowance } from './allowance.ts'
import { type AcceptedSend, asValidationError, writeSend } from './commit.ts'

type ComposedNotice = Pick<AcceptedSend, 'from'> &
  Required<Pick<AcceptedSend, 'composed' | 'origin'>> & {
    readonly id: string
    readonly to: string
    readonly subject: string
    readonly text?: string
    readonly accountId?: string
  }

export type Notice = {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The account that the notice is about; the notice is erased with it. */
  readonly accountId?: string
}

/**
 * Sends a notice from postmaster of the shared domain, through the outbox like any mail, without a copy in Sent. Its header
 * says that a program wrote it, so that no program answers (RFC 3834 5); if a person answers, the postmaster gets the
 * answer. No events are announced for it. It is erased with its recipient and with the account that it is about. With `once` it is
 * sent only once, however often this is called. Fails with `validation_error` if the address is not valid.
 */
export async function sendNotice(
  ctx: Context,
  { to: address, subject, text, accountId }: Notice,
  once?: Id<'em'>,
): Promise<void> {
  const at = ctx.clock.now()
  const id = once ?? newId('em', at)
  const domain = ctx.settings.sharedDomain
  const from = { name: 'Mailroom', address: `postmaster@${domain}` }
  const messageIdHeader = `${id}@${domain}`
  const draft = {
    from,
    to: [{ name: '', address }],
    cc: [],
    bcc: [],
    subject,
    text,
    attachments: [],
    messageId: messageIdHeader,
    date: at,
  }
  const { raw } = await compose({ ...draft, autoSubmitted: 'auto-generated' }).catch(asValidationError)
  const signed = await dkimSign(raw, await signingKeys(ctx, domain), at)
  const composed = { raw: signed, messageIdHeader, inReplyTo: null, references: [] }
  await sendComposed(ctx, { id, from, to: address, subject, text, accountId, origin: 'transactional', composed })
}

/**
 * Sends a message of the service itself, such as a notice, that is already composed and signed. It is sent once per id, however often
 * this is called.
 */
export async function sendComposed(
  ctx: Context,
  { id, from, to: address, subject, text, accountId, origin, composed }: ComposedNotice,
): Promise<void> {
  const account = await serviceAccount(ctx)
  if ((await findEmail(ctx.store, { accountId: account.id, emailId: id })) !== null) return
  const to = [{ name: '', address }]
  await writeSend(
    ctx,
    { accountId: account.id, keyId: null, account },
    {
      id,
      mailbox: null,
      parent: null,
      from,
      recipients: to,
      files: [],
      sendAt: null,
      keepsCopy: false,
      origin,
      noticeTo: address,
      ...(accountId !== undefined && { noticeOf: accountId }),
      decided: [{ email: address, decision: 'send', reason: null }],
      // The operation that makes the service write has its own limits.
      allowance: freeAllowance(),
      sender: async () => from,
      input: { to, subject, ...(text !== undefined && { text }) },
      composed,
    },
  )
}
