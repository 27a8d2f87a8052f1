/** How full a mailbox is, for mail programs. */
import { allowanceOf } from '../../schemas/plans.ts'
import { storageUsed } from '../../store/folders.ts'
import type { Login } from '../account/login.ts'
import type { Context } from '../process/context.ts'

/** The storage that the mailbox of a login uses, and the storage that it may use. */
export async function quotaOf(
  ctx: Context,
  { principal, mailbox }: Login,
): Promise<{ readonly usedBytes: number; readonly limitBytes: number }> {
  const used = await storageUsed(ctx.store, [mailbox._id])
  return { usedBytes: used.get(mailbox._id) ?? 0, limitBytes: allowanceOf(principal.account).storagePerInboxBytes }
}
