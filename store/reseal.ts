/** Walks over everything that is sealed in the database (store/sealed.ts), and replaces it with newly sealed bytes. */
import type { AnyBulkWriteOperation, Collection, Document } from 'mongodb'
import { Binary } from 'mongodb'
import { fromBinary, toBinary } from './bytes.ts'
import { type CollectionName, collections } from './collections.ts'
import type { Store } from './open.ts'
import { type SealedField, sealedFields } from './sealed.ts'

export type SealedCollectionName = keyof typeof sealedFields

export const sealedCollections = Object.keys(sealedFields) as readonly SealedCollectionName[]

/** Returns the replacement for sealed bytes; null to keep them. `isText`: the value was text, and may not be sealed at all. */
export type Renew = (
  sealed: Buffer,
  about: { readonly purpose: string; readonly isText: boolean; readonly id: string },
) => Buffer | null

const pageMax = 200

/**
 * Passes everything sealed in a collection to `renew`, and writes the replacements, except where the value changed meanwhile. Returns
 * how many documents were written.
 */
export async function resealCollection(store: Store, name: SealedCollectionName, renew: Renew): Promise<number> {
  const fields = sealedFields[name] as unknown as readonly SealedField[]
  const collection = store[name] as unknown as Collection<Document>
  const { shardKey } = collections[name satisfies CollectionName]
  const projection = Object.fromEntries(
    [shardKey, ...fields.map(({ path }) => path.split('.')[0]!)].map((field) => [field, 1]),
  )
  let written = 0
  let page: AnyBulkWriteOperation[] = []
  const flush = async () => {
    if (page.length > 0) written += (await collection.bulkWrite(page, { ordered: false })).modifiedCount
    page = []
  }
  for await (const document of collection.find({}, { projection, batchSize: pageMax })) {
    const filter = { _id: document._id, [shardKey]: document[shardKey] }
    for (const { path, purpose } of fields)
      for (const { at, value } of valuesAt(document, path.split('.'))) {
        const bytes = bytesOf(value)
        if (bytes === null) continue
        const isText = typeof value === 'string'
        const renewed = renew(bytes, { purpose: purpose(document), isText, id: String(document._id) })
        if (renewed === null) continue
        const update = { $set: { [at]: isText ? renewed.toString('base64') : toBinary(renewed) } }
        page.push({ updateOne: { filter: { ...filter, [at]: value }, update } })
      }
    if (page.length >= pageMax) await flush()
  }
  await flush()
  return written
}

function bytesOf(value: unknown): Buffer | null {
  if (typeof value === 'string') return Buffer.from(value, 'base64')
  return value instanceof Binary ? fromBinary(value) : null
}

/** The values at a path, in which `*` stands for each element of a list; each with its own path. */
function valuesAt(value: unknown, [step, ...steps]: readonly string[], before = ''): { at: string; value: unknown }[] {
  if (step === undefined) return [{ at: before.slice(1), value }]
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value).filter(([name]) => step === '*' || name === step)
  return entries.flatMap(([name, inner]) => valuesAt(inner, steps, `${before}.${name}`))
}
