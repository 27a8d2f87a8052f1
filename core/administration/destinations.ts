/** The mail that waits to be delivered, by the domain of its recipients. */
import { splitAddress } from '../../mail/message/address.ts'
import type { OutboxDoc } from '../../store/documents/sending.ts'
import { findEmailsIn } from '../../store/emails.ts'
import { findWaitingRows } from '../../store/outbox.ts'
import type { Context } from '../process/context.ts'

/** Waiting recipients that are read. */
const rowsMax = 10_000
const answersMax = 3

/** The mail that waits for one domain. */
export type Destination = {
  readonly domain: string
  readonly waiting: number
  /** How many of the waiting recipients were attempted before. */
  readonly attempted: number
  readonly oldestAt: Date
  readonly nextAt: Date
  /** The latest answers of the domain, each distinct answer once. */
  readonly answers: readonly { readonly at: Date; readonly answer: string }[]
}

/** The destinations with the most waiting recipients, and whether all waiting recipients were read. */
export async function listDestinations(
  ctx: Context,
  limit: number,
): Promise<{ readonly destinations: readonly Destination[]; readonly waiting: number; readonly isComplete: boolean }> {
  const found = await findWaitingRows(ctx.store, rowsMax + 1)
  const rows = found.slice(0, rowsMax)
  const byDomain = Map.groupBy(rows, ({ recipient }) => splitAddress(recipient).domain)
  const largest = [...byDomain].toSorted(([, a], [, b]) => b.length - a.length).slice(0, limit)
  const tried = largest.flatMap(([, own]) => triedLast(own))
  const sends = await findEmailsIn(ctx.store, {
    accountIds: [...new Set(tried.map(({ accountId }) => accountId))],
    ids: tried.map(({ emailId }) => emailId),
  })
  const byId = new Map(sends.map((send) => [send._id, send]))
  const destinations = largest.map(([domain, own]) => {
    const answers = triedLast(own).flatMap(({ emailId, n }) => {
      const { response, reason, at } = byId.get(emailId)?.recipients[n] ?? {}
      const answer = response ?? reason
      return answer == null || at === undefined ? [] : [{ at, answer }]
    })
    return {
      domain,
      waiting: own.length,
      attempted: own.filter(({ attempts }) => attempts > 0).length,
      oldestAt: earliestOf(own.map(({ createdAt }) => createdAt)),
      nextAt: earliestOf(own.flatMap(({ notBefore }) => notBefore ?? [])),
      answers: [...new Map(answers.map((each) => [each.answer, each])).values()],
    }
  })
  return { destinations, waiting: rows.length, isComplete: found.length <= rowsMax }
}

type Row = Pick<OutboxDoc, 'attempts' | 'createdAt'>

const triedLast = <R extends Row>(rows: readonly R[]): R[] =>
  rows
    .filter(({ attempts }) => attempts > 0)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(0, answersMax)

const earliestOf = (times: readonly Date[]) => new Date(Math.min(...times.map((at) => at.getTime())))
