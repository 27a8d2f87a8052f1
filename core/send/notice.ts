/** Mail that the service itself writes to people, such as the link that verifies an address. */
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
  /** The account that it tells of, with which it is erased. */
  readonly accountId?: string
}

/**
 * Sends a notice from postmaster of the shared domain, through the outbox as any mail, without a copy in Sent. It says
 * that a program wrote it, so that no program answers (RFC 3834 5); an answer by a person reaches the postmaster. Nobody
 * hears of it by events, and it is erased with the person and with the account that it tells of. With an id it is sent once, however often this is repeated. Fails
 * with `validation_error` for an address that is none.
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
 * Sends a message of the service itself that is composed and signed already, as notices are. It is sent once, however often this
 * is repeated with its id.
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
      // Who lets the service write has limits of its own.
      allowance: freeAllowance(),
      sender: async () => from,
      input: { to, subject, ...(text !== undefined && { text }) },
      composed,
    },
  )
}
