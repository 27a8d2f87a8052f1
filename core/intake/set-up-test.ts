/**
 * The set-up test: a mail that the service sends to a watched mailbox through its own mail servers, so that it is handled like any
 * other mail. It is recognised by its Message-ID, part of which is a keyed digest of the mailbox.
 */

import { Failure } from '../../schemas/failures.ts'
import type { Id } from '../../schemas/ids.ts'
import { idAt } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { Principal } from '../access/principal.ts'
import { takeRolling } from '../access/usage.ts'
import { minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { reachIntake, requireSetUp } from './configurations.ts'

const purpose = 'intake test'
/** Most tests of Intake and Lens that an account may make in a window, as many as tests of webhooks (interface.md, Events, rule 9). */
const testsMax = 20
const testsWindowMs = 10 * minuteMs

/**
 * Sends the test mail to a watched mailbox. Returns the id of the send. Fails with `mailbox_not_found`, `not_found`, `plan_required`,
 * `rate_limited`.
 */
export async function sendSetUpTest(
  ctx: Context,
  principal: Principal,
  address: string,
): Promise<{ readonly id: string; readonly mailbox: string }> {
  const { _id: mailboxId, mailbox } = await reachIntake(ctx, principal, address)
  requireSetUp(principal)
  await takeTest(ctx, principal)
  // In the machine's time, which the outbox uses.
  const id = testId(ctx, mailboxId, ctx.machineClock.now())
  const notice = { to: mailbox, subject: 'Intake test', text: testText, accountId: principal.accountId }
  await sendNotice({ ...ctx, clock: ctx.machineClock }, notice, id)
  return { id, mailbox }
}

/** Whether a message is the mail of a set-up test of its mailbox. */
export function isSetUpTest(
  ctx: Context,
  { mailboxId, messageIdHeader }: Pick<MessageDoc, 'mailboxId' | 'messageIdHeader'>,
): boolean {
  const suffix = `@${ctx.settings.sharedDomain}`
  if (!messageIdHeader?.startsWith('em_') || !messageIdHeader.endsWith(suffix)) return false
  const id = messageIdHeader.slice(0, -suffix.length)
  const [time, tag] = [id.slice(0, timeChars), id.slice(timeChars)]
  return tag === tagOf(ctx, mailboxId, time)
}

/** Counts a test against the limit of the account. Fails with `rate_limited`. */
export async function takeTest(ctx: Context, { accountId }: Principal): Promise<void> {
  const rolling = { owner: accountId, counter: 'intakeTests', limit: testsMax, windowMs: testsWindowMs }
  const granted = await takeRolling(ctx, rolling)
  if ('waitSeconds' in granted)
    throw new Failure('rate_limited', `The account has made ${testsMax} tests of Intake in 10 minutes.`, {
      retryAfter: granted.waitSeconds,
    })
}

const testText = `This mail tests the setup of Intake. Its record has "test": true.

The "reply" of the record contains these lines, but not the quotation below:

On Monday, Mailroom wrote:
> This line is not part of the reply.
`

/** Length of the prefix and the time in the id of a send. */
const timeChars = 'em_'.length + 10

function testId(ctx: Context, mailboxId: string, at: Date): Id<'em'> {
  const time = idAt('em', at).slice(0, timeChars) as Id<'em'>
  return `${time}${tagOf(ctx, mailboxId, time)}` as Id<'em'>
}

/** Sixteen hexadecimal digits of a keyed digest: they are all in the alphabet of ids. */
function tagOf({ secrets }: Context, mailboxId: string, time: string): string {
  return secrets.tag(`${mailboxId} ${time}`, purpose).toString('hex').slice(0, 16)
}
