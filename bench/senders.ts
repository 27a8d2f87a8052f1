/** Accounts that send mail, each with a mailbox at its own domain. */
import type { Account } from '../core/access/account-record.ts'
import { createKey } from '../core/access/keys.ts'
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { createDomain } from '../core/mailbox/domains.ts'
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
/** Many accounts share the work, because one account may send to only 240 recipients a minute. */
const accountCount = 24

export async function makeSenders(ctx: Context): Promise<readonly Sender[]> {
  const senders: Sender[] = []
  for (let n = 0; n < accountCount; n++) {
    const domain = `bench${n}.example`
    const account = await createAccount(ctx, { name: `bench ${n}`, owner: null })
    await createDomain(ctx, { domain, accountId: account.id, verified: true })
    const address = `agent@${domain}`
    const { id } = await createMailbox(ctx, administrator(account), { address })
    const mailbox = await ctx.store.mailboxes.findOne({ _id: id })
    const scopes = { scopes: allScopes, mailboxIds: [], expiresAt: null }
    const { apiKey: key } = await createKey(ctx, { accountId: account.id, kind: 'account', name: 'bench', ...scopes })
    const { password } = await createAppPassword(ctx, { account, address, name: 'bench' })
    if (mailbox !== null) senders.push({ account, mailbox, key, password })
  }
  return senders
}
