/**
 * Chains: documents of an account that are numbered without gaps. A writer takes the next number by inserting the document
 * with that number. Document n+1 can only be inserted after n, so a reader never sees a document before all earlier ones.
 */
import type { Collection } from 'mongodb'
import type { Store } from './open.ts'
import { insertInto } from './writes.ts'

type Item = { readonly _id: string; readonly accountId: string }
type Link = { readonly seq: number }

export type Chain<I extends Item, D extends Item & Link, L extends Link = Link> = {
  readonly store: Pick<Store, 'writeTogether'>
  readonly collection: Collection<D>
  /** The last document of an account's chain, or a placeholder while the chain is empty. */
  last(accountId: string): Promise<L>
  /** The document that follows `previous`. */
  link(item: I, previous: L): D & L
  /** What is kept of a document to link the next one. */
  end(last: D & L): L
}

/**
 * Appends items to the chains of their accounts, in order; an item whose id already exists is left out. Returns the new
 * documents. Rejects if other processes keep appending to the same chains, so that every try fails.
 */
export type Append<I, D> = (items: readonly I[]) => Promise<readonly D[]>

const triesMax = 50
const endsMax = 10_000

/** Creates the append function of a process. */
export function createAppend<I extends Item, D extends Item & Link, L extends Link>(
  chain: Chain<I, D, L>,
): Append<I, D> {
  const ends = createEnds(chain)
  return async (items) => {
    const appended: D[] = []
    let rest = [...items]
    for (let tries = 0; rest.length > 0; tries++) {
      if (tries === triesMax) throw new Error(`${rest.length} documents could not be appended in ${triesMax} tries.`)
      const linked = linkAll(chain, await ends.find(rest), rest)
      const inserted = linked.slice(0, await insertUntilRefused(chain, linked))
      ends.remember(inserted)
      appended.push(...inserted)
      rest = rest.slice(inserted.length)
      const [refused] = rest
      if (refused === undefined) break
      // A bulk write does not tell which unique key was taken: the number, or the id of an existing document.
      ends.forget(refused.accountId)
      const existing = await findExistingIds(chain.collection, rest)
      rest = rest.filter(({ _id }) => !existing.has(_id))
    }
    return appended
  }
}

type Ends<D, L> = {
  /** The ends of the chains to which items are to be appended, by account. */
  find(items: readonly Item[]): Promise<Map<string, L>>
  remember(docs: readonly (D & L)[]): void
  forget(accountId: string): void
}

/** The ends of chains as this process last saw them. If another process has appended since, the insert is refused. */
function createEnds<I extends Item, D extends Item & Link, L extends Link>(chain: Chain<I, D, L>): Ends<D, L> {
  const ends = new Map<string, L>()
  return {
    async find(items) {
      const accountIds = [...new Set(items.map(({ accountId }) => accountId))]
      return new Map(
        await Promise.all(accountIds.map(async (id) => [id, ends.get(id) ?? (await chain.last(id))] as const)),
      )
    },
    remember(docs) {
      for (const doc of docs) {
        ends.delete(doc.accountId)
        ends.set(doc.accountId, chain.end(doc))
      }
      for (const id of [...ends.keys()].slice(0, Math.max(0, ends.size - endsMax))) ends.delete(id)
    },
    forget: (accountId) => void ends.delete(accountId),
  }
}

/** The documents that continue the chains from their ends, item by item. */
function linkAll<I extends Item, D extends Item & Link, L extends Link>(
  chain: Chain<I, D, L>,
  ends: ReadonlyMap<string, L>,
  items: readonly I[],
): (D & L)[] {
  const last = new Map(ends)
  return items.map((item) => {
    const doc = chain.link(item, last.get(item.accountId)!)
    last.set(item.accountId, doc)
    return doc
  })
}

/** Inserts documents in order, up to the first that is refused as a duplicate. Returns how many were inserted. */
async function insertUntilRefused<I extends Item, D extends Item & Link, L extends Link>(
  { store, collection }: Chain<I, D, L>,
  docs: readonly D[],
): Promise<number> {
  return (await store.writeTogether(docs.map((doc) => insertInto(collection, doc)))) ?? docs.length
}

async function findExistingIds<D extends Item>(
  collection: Collection<D>,
  items: readonly Item[],
): Promise<Set<string>> {
  const ids = (collection as unknown as Collection<Item>).find({ _id: { $in: items.map(({ _id }) => _id) } })
  return new Set((await ids.project<Item>({ _id: 1 }).toArray()).map(({ _id }) => _id))
}
