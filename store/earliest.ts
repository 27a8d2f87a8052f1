import type { Collection, Document, Filter, UpdateFilter } from 'mongodb'

/** The earliest time in an indexed field, for an account or for all; null when no document has the field. */
export async function earliest<Doc extends Document>(
  collection: Collection<Doc>,
  field: keyof Doc & string,
  accountId?: string,
): Promise<Date | null> {
  // Excludes documents without the field, which would sort first and are not in the index.
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

/**
 * Takes the document that has been due longest by `field`: reads it, then updates it by its shard key if its due time is still as
 * read. Returns the updated document; null when none is due.
 */
export async function takeDue<D extends { readonly _id: string }>(
  collection: Collection<D>,
  {
    field,
    shardKey,
    now,
  }: { readonly field: keyof D & string; readonly shardKey: keyof D & string; readonly now: Date },
  update: UpdateFilter<D>,
): Promise<D | null> {
  for (;;) {
    const due = await collection
      .find({ [field]: { $lte: now } } as Filter<D>, { projection: { [field]: 1, [shardKey]: 1 } })
      .sort({ [field]: 1 })
      .limit(1)
      .next()
    if (due === null) return null
    const taken = await collection.findOneAndUpdate(due as Filter<D>, update, { returnDocument: 'after' })
    // If null, another process was quicker: look for the next one.
    if (taken !== null) return taken as D
  }
}
