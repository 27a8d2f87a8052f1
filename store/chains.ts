/**
 * Chains: documents of an account, each with the number after the one before it. The next number is taken by inserting it:
 * n+1 can only appear after n, so a reader never sees a document before every earlier one is visible.
 */
import type { Collection, OptionalUnlessRequiredId } from 'mongodb'
import { duplicatesIn } from './open.ts'

type Item = { readonly _id: string; readonly accountId: string }
type Link = { readonly seq: number }

export type Chain<I extends Item, D extends Item & Link, L extends Link = Link> = {
  readonly collection: Collection<D>
  /** The end of an account's chain. */
  last(accountId: string): Promise<L>
  /** The document that follows `previous`. */
  link(item: I, previous: L): D & L
}

/**
 * Appends items of several accounts, those of each in order; one that is there already (same id) is left as it is. Returns
 * the new ones. Rejects when others append to the same chains all the time.
 */
export type Append<I, D> = (items: readonly I[]) => Promise<readonly D[]>

const triesMax = 50
const endsMax = 10_000

/** Makes the appender of a process. It remembers the ends it has seen: where another process has come further, it looks again. */
export function createAppend<I extends Item, D extends Item & Link, L extends Link>(
  chain: Chain<I, D, L>,
): Append<I, D> {
  const ends = new Map<string, L>()

  async function findEnds(items: readonly I[]): Promise<Map<string, L>> {
    const accountIds = [...new Set(items.map(({ accountId }) => accountId))]
    return new Map(
      await Promise.all(accountIds.map(async (id) => [id, ends.get(id) ?? (await chain.last(id))] as const)),
    )
  }

  function remember(docs: readonly (D & L)[]): void {
    for (const doc of docs) {
      ends.delete(doc.accountId)
      ends.set(doc.accountId, doc)
    }
    for (const id of [...ends.keys()].slice(0, Math.max(0, ends.size - endsMax))) ends.delete(id)
  }

  return async (items) => {
    const appended: D[] = []
    let rest = [...items]
    for (let tries = 0; rest.length > 0; tries++) {
      if (tries === triesMax) throw new Error(`${rest.length} documents found no place in their chains.`)
      const last = await findEnds(rest)
      const linked = rest.map((item) => {
        const doc = chain.link(item, last.get(item.accountId)!)
        last.set(item.accountId, doc)
        return doc
      })
      const count = await insertUntilRefused(chain.collection, linked)
      remember(linked.slice(0, count))
      appended.push(...linked.slice(0, count))
      const [refused] = rest.slice(count)
      if (refused === undefined) break
      // A bulk write does not tell which unique key was in the way: the number, or the id of a document that is there.
      ends.delete(refused.accountId)
      const known = await knownIds(chain.collection, rest.slice(count))
      rest = rest.slice(count).filter(({ _id }) => !known.has(_id))
    }
    return appended
  }
}

/** Ordered: nothing after a refused one is inserted. Returns how many were. */
async function insertUntilRefused<D extends Item>(collection: Collection<D>, docs: readonly D[]): Promise<number> {
  try {
    await collection.insertMany(docs as unknown as OptionalUnlessRequiredId<D>[], { ordered: true })
    return docs.length
  } catch (error) {
    return duplicatesIn(error)[0] ?? 0
  }
}

async function knownIds<D extends Item>(collection: Collection<D>, items: readonly Item[]): Promise<Set<string>> {
  const ids = (collection as unknown as Collection<Item>).find({ _id: { $in: items.map(({ _id }) => _id) } })
  return new Set((await ids.project<Item>({ _id: 1 }).toArray()).map(({ _id }) => _id))
}
