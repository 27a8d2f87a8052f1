import type { Collection, Document, Filter, UpdateFilter } from 'mongodb'

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

/**
 * Takes the document that is due longest by `field`: reads it, and changes it while it is still due as read, under its shard key.
 * Returns the changed one; null when none is due.
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
    // Otherwise another process was quicker.
    if (taken !== null) return taken as D
  }
}
