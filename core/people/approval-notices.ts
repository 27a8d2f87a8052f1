/** Notifies the people of an account by mail that sends of its agents wait for their approval, at most once in a while. */
import { findAccount, noteApprovalsTold } from '../../store/accounts.ts'
import * as store from '../../store/approvals.ts'
import { findPerson } from '../../store/people.ts'
import { inTimeOf } from '../process/account-time.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { approvalNotice } from './notices.ts'

/** The time between two mails to an account; requests that come meanwhile are covered by the next mail. */
const pauseMs = hourMs
const groupMax = 500

/** Mails the people who may approve, owners and members, about what waits. Returns how many mails were sent. */
export async function tellOfApprovals(ctx: Context): Promise<number> {
  let told = 0
  for (const accountId of await store.findAccountsToNotify(ctx.store, groupMax))
    told += await tell(inTimeOf(ctx, accountId), accountId)
  return told
}

async function tell(ctx: Context, accountId: string): Promise<number> {
  const account = await findAccount(ctx.store, accountId)
  const at = ctx.clock.now()
  const people = (account?.members ?? []).filter(({ role }) => role !== 'reader')
  if (account === null || people.length === 0 || account.sandbox) {
    await store.noteAccountNotified(ctx.store, accountId, at)
    return 0
  }
  if (!(await noteApprovalsTold(ctx.store, accountId, { at, before: after(at, -pauseMs) }))) return 0
  const found = await Promise.all(people.map(({ personId }) => findPerson(ctx.store, personId)))
  const notices = found.flatMap((person) =>
    person === null ? [] : [approvalNotice(person.email, account.name, ctx.baseUrl)],
  )
  for (const notice of notices) await sendNotice(ctx, { ...notice, accountId })
  // Last, so that people are notified after the pause if this process dies before.
  await store.noteAccountNotified(ctx.store, accountId, at)
  return notices.length
}
