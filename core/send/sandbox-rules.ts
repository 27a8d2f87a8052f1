/** What a sandbox may send: nothing leaves the machine, and nothing reaches anybody else on it (decisions.md 4, Sandbox). */
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { Principal } from '../access/principal.ts'
import { isSimulated } from '../deliver/simulator.ts'
import { recentDomain } from '../mailbox/domains.ts'
import type { Context } from '../process/context.ts'
import { findRecipient } from '../receive/recipients.ts'

/** Fails with `forbidden` unless each address is a simulated recipient or one of the sandbox's own mailboxes. */
export async function requireSandboxRecipients(
  ctx: Context,
  { accountId }: Pick<Principal, 'accountId'>,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses)
    if (!isSimulated(address) && !(await isOwn(ctx, accountId, address)))
      throw new Failure('forbidden', `A sandbox may not write to ${address}.`, {
        fix: 'Write to a mailbox of the sandbox or to a simulated recipient, such as delivered@simulator.invalid.',
      })
}

async function isOwn(ctx: Context, accountId: string, address: string): Promise<boolean> {
  const domain = await recentDomain(ctx, splitAddress(address).domain)
  if (domain?.accountId !== accountId) return false
  try {
    const { mailboxes } = await findRecipient(ctx, address)
    return mailboxes.every((mailbox) => mailbox.accountId === accountId)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A full mailbox does exist: mail to it is deferred.
    return error.code === 'unprocessable'
  }
}
