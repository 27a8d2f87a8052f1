/** Tries Lens on a sample or an existing mail, before it is turned on or with other fields. No answer is kept or counted as a run. */
import { compose } from '../../mail/compose/compose.ts'
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { LensField, LensSample } from '../../schemas/intake.ts'
import type { IntakeAnswer } from '../../store/documents/intake.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { Principal } from '../access/principal.ts'
import { reachMessage } from '../mailbox/messages.ts'
import type { Context } from '../process/context.ts'
import { asValidationError } from '../send/commit.ts'
import { reachIntake, requireSetUp, requireUniqueKeys } from './configurations.ts'
import { askLens, withTexts } from './making.ts'
import { type MailReading, readMail, readRaw } from './reading.ts'
import { takeTest } from './set-up-test.ts'

export type LensTrial = LensSample & {
  readonly messageId?: string
  readonly fields?: readonly LensField[]
  readonly quoted?: boolean
}

/**
 * Asks Lens for `fields`, or else for those of the configuration, in a sample or in a mail of the mailbox, whose files are read too.
 * Fails with `mailbox_not_found`, `not_found` (the mailbox is not watched, or there is no such mail), `plan_required`, `rate_limited`,
 * and `validation_error` (no fields, nothing to read).
 */
export async function tryLens(
  ctx: Context,
  principal: Principal,
  { address, messageId, fields, quoted, ...sample }: LensTrial & { readonly address: string },
): Promise<IntakeAnswer> {
  const { lens, mailbox } = await reachIntake(ctx, principal, address)
  requireSetUp(principal)
  const asked = { fields: fields ?? lens.fields, quoted: quoted ?? lens.quoted }
  if (asked.fields.length === 0)
    throw new Failure('validation_error', 'There are no fields to read.', {
      param: 'fields',
      fix: 'Give "fields", such as those of a template (GET /api/v1/intake/templates).',
    })
  requireUniqueKeys(asked.fields, 'fields')
  const isSample = sample.text !== undefined || sample.html !== undefined
  if (isSample === (messageId !== undefined))
    throw new Failure(
      'validation_error',
      'Lens can be tried on either a sample or a mail of the mailbox: give exactly one of them.',
      {
        param: isSample ? 'messageId' : 'text',
        fix: 'Give "text" or "html", or the "messageId" of a mail.',
      },
    )
  await takeTest(ctx, principal)
  if (messageId === undefined) return askLens(ctx, asked, await readSample(ctx, { mailbox, ...sample }), [])
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  return askLens(ctx, asked, await readMail(ctx, readable(message), { isTried: true }), await textsOf(ctx, message))
}

const readable = (message: MessageDoc) => ({ ...message, messageId: message._id })

function textsOf(ctx: Context, message: MessageDoc) {
  const attachments = message.attachments.map((each) => ({ ...each, text: null, hidden: [] }))
  return withTexts(ctx, { ...message, attachments })
}

/** Reads a sample as if it were a mail. */
async function readSample(
  ctx: Context,
  { mailbox, subject = '', text, html, date }: LensSample & { readonly mailbox: string },
): Promise<MailReading> {
  const at = date === undefined ? ctx.clock.now() : new Date(date)
  const from = { name: '', address: mailbox }
  const { raw } = await compose({
    from,
    to: [from],
    cc: [],
    bcc: [],
    subject,
    text,
    html,
    attachments: [],
    messageId: `${newToken()}@sample.invalid`,
    date: at,
    unsent: true,
  }).catch(asValidationError)
  return readRaw(ctx, { messageId: 'sample', mailbox, subject, receivedAt: at }, raw)
}
