/** Filters for due documents, by a time that they contain. */
import type { Document, Filter } from 'mongodb'

/** The time up to which documents are due: for one account, or for all. The accounts in `ahead` have a time of their own. */
export type Due = {
  readonly now: Date
  readonly accountId?: string
  readonly ahead?: readonly { readonly accountId: string; readonly now: Date }[]
}

/** The filter for documents whose time in `field` has come. */
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
