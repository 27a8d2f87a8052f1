/** `mailroom mailbox` and `mailroom password`. */
import { recordAdministration } from '../core/access/audit.ts'
import type { Page } from '../core/access/paging.ts'
import { administrator } from '../core/access/principal.ts'
import { getAccount } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { createMailbox, listMailboxes, type Mailbox } from '../core/mailbox/mailboxes.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

const pageSize = 200

type CreateOptions = { readonly name?: string; readonly person: boolean }

export const create = withContext(
  async (ctx, io, account: string, address: string, { name, person }: CreateOptions) => {
    const principal = administrator(await getAccount(ctx, account))
    const kind = person ? 'person' : 'agent'
    const mailbox = await createMailbox(ctx, principal, { address, displayName: name ?? null, kind })
    const { accountId, address: target } = mailbox
    await recordAdministration(ctx, { accountId, action: 'mailboxes.create', target })
    print(io, mailbox)
  },
)

export const list = withContext(async (ctx, io, account: string) => {
  const principal = administrator(await getAccount(ctx, account))
  let before: string | null = null
  do {
    const page: Page<Mailbox> = await listMailboxes(ctx, principal, { limit: pageSize, before })
    print(io, ...page.items)
    before = page.next
  } while (before !== null)
})

/** The password is shown only once. */
export const createPassword = withContext(
  async (ctx, io, account: string, address: string, { name }: { readonly name: string }) => {
    const owner = await getAccount(ctx, account)
    const made = await createAppPassword(ctx, { account: owner, address, name })
    await recordAdministration(ctx, { accountId: owner.id, action: 'passwords.create', target: made.keyId })
    print(io, made)
  },
)
