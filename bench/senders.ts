/** Accounts that send mail, each with a mailbox at its own domain. */
import type { Account } from '../core/access/account-record.ts'
import { createKey } from '../core/access/keys.ts'
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { createDomain } from '../core/domains/claims.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import type { Context } from '../core/process/context.ts'
import { allScopes } from '../schemas/scopes.ts'
import type { MailboxDoc } from '../store/documents/mail.ts'

export type Sender = {
  readonly account: Account
  readonly mailbox: MailboxDoc
  readonly key: string
  readonly password: string
}
/** Many accounts share the work, because one account may send to only 240 recipients per minute. */
const accountCount = 24

export async function makeSenders(ctx: Context, count = accountCount): Promise<readonly Sender[]> {
  const senders: Sender[] = []
  for (let n = 0; n < count; n++) {
    const domain = `bench${n}.example`
    const account = await createAccount(ctx, { name: `bench ${n}`, owner: null })
    await createDomain(ctx, { domain, accountId: account.id, verified: true })
    const address = `agent@${domain}`
    const { id } = await createMailbox(ctx, administrator(account), { address })
    const mailbox = await ctx.store.mailboxes.findOne({ _id: id })
    const [key = ''] = await makeKeys(ctx, account.id, 1)
    const { password } = await createAppPassword(ctx, { account, address, name: 'bench' })
    if (mailbox !== null) senders.push({ account, mailbox, key, password })
  }
  return senders
}

/** Makes keys with all scopes, to be used in turn: the requests of one key in a minute are limited. */
export async function makeKeys(ctx: Context, accountId: string, count: number): Promise<readonly string[]> {
  const given = { accountId, kind: 'account', scopes: allScopes, mailboxIds: [], expiresAt: null } as const
  const made = await Promise.all(
    Array.from({ length: count }, (_, n) => createKey(ctx, { ...given, name: `bench ${n}` })),
  )
  return made.map(({ apiKey }) => apiKey)
}

/** Resets the counters that limit the events of an account per hour: a bench causes more with its few accounts. */
export async function forgetEventLimits({ store }: Context): Promise<void> {
  await store.usage.updateMany({}, { $unset: { 'counts.messageEvents': '' } })
}
