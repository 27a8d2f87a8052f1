/** Stored counts must match the documents: contacts, the month's messages and days, figures, the quota slots of an account. */
import type { Context } from '../../core/process/context.ts'
import type { UsageDoc } from '../../store/documents/accounts.ts'
import { countOf } from '../../store/usage.ts'
import type { Remains } from './check.ts'

/** A round deletes nothing, so every count must equal the number of documents. */
export async function checkCounts(ctx: Context, { owner, messages, emails }: Remains): Promise<string[]> {
  const { accountId, mailboxes } = owner
  const { store } = ctx
  const [contacts, months, figures, account] = await Promise.all([
    store.contacts.find({ mailboxId: { $in: mailboxes.map(({ id }) => id) } }).toArray(),
    store.usage.find({ _id: { $gte: `${accountId}:2`, $lt: `${accountId}:3` } }).toArray(),
    store.usage.find({ _id: { $gte: `${accountId}:daily:`, $lt: `${accountId}:daily;` } }).toArray(),
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
  // The allowance of a try that was not committed stays open until a sweep returns it.
  const takenBy = new Map(emails.map(({ _id, takenBy: token }) => [_id, token]))
  const went = emails.reduce((sum, { recipients }) => sum + recipients.length, 0)
  const sentIn = (documents: readonly UsageDoc[], counters: readonly string[]) =>
    documents.reduce((sum, usage) => {
      const lost = (usage.open ?? []).filter(
        ({ purpose, token, counter }) => counters.includes(counter) && takenBy.get(purpose) !== token,
      )
      const counted = counters.reduce((all, counter) => all + countOf(usage, counter), 0)
      return sum + counted - lost.reduce((all, { by }) => all + by, 0)
    }, 0)
  const days = Array.from({ length: 31 }, (_, n) => `d${String(n + 1).padStart(2, '0')}.sent`)
  const isOfMonth = ({ _id }: UsageDoc) => /:\d{4}-\d{2}$/.test(_id)
  const sent = {
    'of the months': sentIn(months.filter(isOfMonth), ['sent']),
    'of the days': sentIn(months.filter(isOfMonth), days),
    'of the figures': sentIn(figures, ['sent']),
  }
  for (const [what, count] of Object.entries(sent))
    if (count !== went) wrong.push(`${count} sends ${what} are counted, there are ${went}`)
  if (account?.inboxes !== mailboxes.length) wrong.push(`${account?.inboxes} inboxes are counted`)
  return wrong
}
