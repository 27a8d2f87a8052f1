/** `mailroom mailbox` and `mailroom password`. */
import { administrator } from '../core/access/principal.ts'
import { getAccount } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { createMailbox, listMailboxes } from '../core/mailbox/mailboxes.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

/** The newest so many are listed. */
const listMax = 200

type CreateOptions = { readonly name?: string; readonly person: boolean }

export const create = withContext(
  async (ctx, io, account: string, address: string, { name, person }: CreateOptions) => {
    const principal = administrator(await getAccount(ctx, account))
    const kind = person ? 'person' : 'agent'
    print(io, await createMailbox(ctx, principal, { address, displayName: name ?? null, kind }))
  },
)

export const list = withContext(async (ctx, io, account: string) => {
  const principal = administrator(await getAccount(ctx, account))
  const { items } = await listMailboxes(ctx, principal, { limit: listMax })
  print(io, ...items)
})

/** The password is shown this once. */
export const createPassword = withContext(
  async (ctx, io, account: string, address: string, { name }: { readonly name: string }) => {
    print(io, await createAppPassword(ctx, { account: await getAccount(ctx, account), address, name }))
  },
)
