/** Compares the documents of a copy with those that they were copied from. */
import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'bson'
import type { Collection, Document } from 'mongodb'
import { exact } from './database-copy.ts'

export type Compared = {
  readonly documents: number
  /** The sum of the digests of all documents of the source, in any order: 32 hexadecimal digits. */
  readonly checksum: string
  /** The same for the documents that the copy has under the same keys. */
  readonly copiedChecksum: string
  /** Keys of documents that are missing in the copy or differ there; at most `differingMax`. */
  readonly differing: readonly unknown[]
}

const pageDocuments = 500
const pageBytes = 8 * 1024 * 1024
const differingMax = 100_000
const modulus = 1n << 128n

/**
 * Compares all documents of a collection with those of its copy, by key. Documents that only the copy has are not seen: counting shows
 * them. `onPage` receives how many were compared so far.
 */
export async function compareAll(
  source: Collection,
  copy: Collection,
  onPage: (documents: number) => void,
): Promise<Compared> {
  const differing: unknown[] = []
  let documents = 0
  let sum = 0n
  let copiedSum = 0n
  let page: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    const here = digestsOf(page)
    const keys = [...here.values()].map(({ key }) => key)
    const there = digestsOf(await rawOf(copy, keys))
    for (const [name, { key, digest }] of here) {
      const copied = there.get(name)?.digest
      sum = (sum + digest) % modulus
      if (copied !== undefined) copiedSum = (copiedSum + copied) % modulus
      if (copied !== digest && differing.length < differingMax) differing.push(key)
    }
    documents += page.length
    page = []
    bytes = 0
    onPage(documents)
  }
  for await (const raw of source.find({}, { raw: true })) {
    const stored = raw as unknown as Buffer
    page.push(Buffer.from(stored))
    bytes += stored.length
    if (page.length >= pageDocuments || bytes >= pageBytes) await flush()
  }
  if (page.length > 0) await flush()
  return { documents, checksum: hex(sum), copiedChecksum: hex(copiedSum), differing }
}

/** The keys, among these, of documents that differ or that only one of the two collections has. */
export async function differingOf(source: Collection, copy: Collection, keys: readonly unknown[]): Promise<unknown[]> {
  const differing: unknown[] = []
  for (let from = 0; from < keys.length; from += pageDocuments) {
    const page = keys.slice(from, from + pageDocuments)
    const [here, there] = [digestsOf(await rawOf(source, page)), digestsOf(await rawOf(copy, page))]
    for (const name of new Set([...here.keys(), ...there.keys()]))
      if (here.get(name)?.digest !== there.get(name)?.digest) differing.push((here.get(name) ?? there.get(name))?.key)
  }
  return differing
}

/** A string that identifies a key. */
export const nameOfKey = (key: unknown): string => Buffer.from(serialize({ key })).toString('base64')

type Digested = { readonly key: unknown; readonly digest: bigint }

async function rawOf(collection: Collection, keys: readonly unknown[]): Promise<readonly Buffer[]> {
  const found = await collection.find({ _id: { $in: keys } } as Document, { raw: true }).toArray()
  return found as unknown as Buffer[]
}

/** Digests of documents as the driver writes them again, because it puts fields first whose names are whole numbers. */
function digestsOf(page: readonly Buffer[]): ReadonlyMap<string, Digested> {
  return new Map(
    page.map((raw) => {
      const document = deserialize(raw, exact)
      const digest = BigInt(`0x${createHash('sha256').update(serialize(document)).digest('hex').slice(0, 32)}`)
      return [nameOfKey(document._id), { key: document._id, digest }]
    }),
  )
}

const hex = (sum: bigint) => sum.toString(16).padStart(32, '0')
