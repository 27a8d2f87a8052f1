/** Stored counts must match the documents: contacts, the month's received messages, the quota slots of an account. */
import type { Context } from '../../core/process/context.ts'
import { countOf } from '../../store/usage.ts'
import type { Remains } from './check.ts'

/** A round deletes nothing, so every count must equal the number of documents. */
export async function checkCounts(ctx: Context, { owner, messages, emails }: Remains): Promise<string[]> {
  const { accountId, mailboxes } = owner
  const { store } = ctx
  const [contacts, months, account] = await Promise.all([
    store.contacts.find({ mailboxId: { $in: mailboxes.map(({ id }) => id) } }).toArray(),
    store.usage.find({ _id: { $gte: `${accountId}:2`, $lt: `${accountId}:3` } }).toArray(),
    store.accounts.findOne({ _id: accountId }),
  ])
  const arrivals = messages.filter(({ fingerprint }) => fingerprint !== undefined)
  const expected = new Map<string, { received: number; sent: number }>()
  const of = (mailboxId: string | null, address: string) => {
    const key = `${mailboxId}:${address}`
    const counts = expected.get(key) ?? { received: 0, sent: 0 }
    expected.set(key, counts)
    return counts
  }
  for (const { mailboxId, from } of arrivals) if (from !== null) of(mailboxId, from.address).received += 1
  for (const { mailboxId, recipients } of emails) for (const { email } of recipients) of(mailboxId, email).sent += 1
  const wrong = [...expected].flatMap(([key, { received, sent }]) => {
    const contact = contacts.find(({ _id }) => _id === key)
    const same = contact?.received === received && contact.sent === sent
    return same ? [] : [`contact ${key} says ${contact?.received} and ${contact?.sent}, it is ${received} and ${sent}`]
  })
  const counted = months.reduce((sum, month) => sum + countOf(month, 'received'), 0)
  if (counted !== arrivals.length) wrong.push(`${counted} received messages are counted, there are ${arrivals.length}`)
  if (account?.inboxes !== mailboxes.length) wrong.push(`${account?.inboxes} inboxes are counted`)
  return wrong
}
