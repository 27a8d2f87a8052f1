/**
 * The rules of a send: decides about each recipient, rule by rule in the contract's order (decisions.md 3, Order of
 * checks of a send). A real send is refused at the first broken rule; a dry run notes it and continues.
 */
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import type { SuppressionReason } from '../../store/documents/sending.ts'
import { type Account, isUnclaimed } from '../access/account-record.ts'
import type { Principal } from '../access/principal.ts'
import { suppressedAmong } from '../deliver/suppressions.ts'
import { isSharedDomain } from '../mailbox/domains.ts'
import { listRefusals } from '../mailbox/sender-lists.ts'
import type { Context } from '../process/context.ts'
import { claimRefusals } from './claim-rules.ts'
import { requireSandboxRecipients } from './sandbox-rules.ts'

export type Decision =
  | 'send'
  | 'suppressed'
  | 'blocked_by_list'
  | 'claim_required'
  | 'over_limit'
  | 'waits_for_approval'
export type Decided = { readonly email: string; readonly decision: Decision; readonly reason: string | null }

/** The sender: a key, or the key whose send was approved. */
export type Sender = Pick<Principal, 'accountId' | 'account'> & { readonly keyId: string | null }

type RulesInput = {
  readonly mailbox: MailboxDoc | null
  readonly parent: MessageDoc | null
  readonly recipients: readonly Named[]
  readonly sender: () => Promise<Named>
  /** Whether a broken rule refuses the whole send. */
  readonly strict: boolean
}

/**
 * Applies the rules. Returns the sender and the decision about each recipient. With `strict`, fails with
 * `CLAIM_REQUIRED`, `forbidden` or `all_recipients_suppressed`. Always fails with `shared_domain_phone_required`, with what
 * `sender` fails with, and with `forbidden` for recipients that a sandbox may not write to.
 */
export async function decideRecipients(
  ctx: Context,
  principal: Sender,
  { mailbox, parent, recipients, sender, strict }: RulesInput,
): Promise<{ from: Named; decided: readonly Decided[] }> {
  const addresses = recipients.map(({ address }) => address)
  const decided = new Map<string, Decided>()
  const note = (decision: Decision, refusals: ReadonlyMap<string, Failure>) => {
    for (const [email, failure] of refusals) {
      if (strict) throw failure
      if (!decided.has(email)) decided.set(email, { email, decision, reason: failure.message })
    }
  }
  if (principal.account.sandbox) await requireSandboxRecipients(ctx, principal, addresses)
  note('claim_required', await claimRefusals(ctx, principal, { mailbox, recipients: addresses, parent }))
  if (mailbox !== null) requirePhone(ctx, principal.account, mailbox.domain)
  const from = await sender()
  if (mailbox === null) requirePhone(ctx, principal.account, splitAddress(from.address).domain)
  else note('blocked_by_list', listRefusals(mailbox, addresses))
  const { accountId, keyId } = principal
  const suppressed = await suppressedAmong(ctx, { accountId, keyId, mailboxId: mailbox?._id ?? null }, addresses)
  for (const [email, reason] of suppressed)
    if (!decided.has(email)) decided.set(email, { email, decision: 'suppressed', reason })
  if (strict && suppressed.size === addresses.length) throw allSuppressed(suppressed)
  return {
    from,
    decided: addresses.map((email) => decided.get(email) ?? { email, decision: 'send', reason: null }),
  }
}

/** The cause of a suppression, in words. */
const causes: { readonly [R in SuppressionReason]: string } = {
  bounce: 'bounced',
  complaint: 'reported spam',
  unsubscribe: 'unsubscribed',
  manual: 'was added by hand',
}
/** Suppressed addresses named in the failure, at most. */
const namedMax = 5

function allSuppressed(suppressed: ReadonlyMap<string, SuppressionReason>): Failure {
  const named = [...suppressed].slice(0, namedMax).map(([email, reason]) => `${email} ${causes[reason]}`)
  const more = suppressed.size - named.length
  const list = `${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
  return new Failure(
    'all_recipients_suppressed',
    `Nothing was sent: all recipients are on the suppression list (${list}).`,
  )
}

/**
 * Fails with `shared_domain_phone_required` for a sub-domain of the shared domain, when the settings require a verified
 * phone number and the account has none (decisions.md 3, Suspended).
 */
function requirePhone(ctx: Context, account: Account, domain: string): void {
  const asks = ctx.settings.signup.phoneRequired && !isUnclaimed(account) && !account.phoneVerified
  if (asks && isSharedDomain(ctx, domain)) throw new Failure('shared_domain_phone_required')
}
