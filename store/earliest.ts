import type { Collection, Document, Filter } from 'mongodb'

/** The earliest of the times in an indexed field, of an account or of all; null when no document has it. */
export async function earliest<Doc extends Document>(
  collection: Collection<Doc>,
  field: keyof Doc & string,
  accountId?: string,
): Promise<Date | null> {
  // Documents without the field would sort first, and are not in the index.
  const having = {
    [field]: { $gt: new Date(0) },
    ...(accountId !== undefined && { accountId }),
  } as unknown as Filter<Doc>
  const found = await collection.findOne<{ readonly [name: string]: Date }>(having, {
    sort: { [field]: 1 },
    projection: { _id: 0, [field]: 1 },
  })
  return found?.[field] ?? null
}
