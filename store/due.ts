/** What is due: documents that are found by a time in them. */
import type { Document, Filter } from 'mongodb'

/** A time up to which something is due: for one account, or for all, of which those in `ahead` have another time. */
export type Due = {
  readonly now: Date
  readonly accountId?: string
  readonly ahead?: readonly { readonly accountId: string; readonly now: Date }[]
}

/** The documents in which the time in `field` has come. */
export function dueBy<Doc extends Document>(
  field: (keyof Doc & string) | `${keyof Doc & string}.${string}`,
  { now, accountId, ahead = [] }: Due,
): Filter<Doc> {
  const by = (time: Date, owner?: string) => ({
    [field]: { $lte: time },
    ...(owner !== undefined && { accountId: owner }),
  })
  const all = by(now, accountId)
  const filter = ahead.length === 0 ? all : { $or: [all, ...ahead.map((each) => by(each.now, each.accountId))] }
  return filter as Filter<Doc>
}
