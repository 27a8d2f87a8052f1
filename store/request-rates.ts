/**
 * How many requests of a caller in a minute were leased to processes, which use them up without asking again
 * (core/access/request-rates.ts). Invariant: `given` is the sum of all shares of a document, and no lease raises it above the limit
 * of that lease.
 */
import type { Document } from 'mongodb'
import type { RequestRateDoc } from './documents/accounts.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany } from './reads.ts'
import { updateIn, writeAll } from './writes.ts'

/** A request for a lease. */
export type RequestLease = {
  /** The id of the document: the caller and the minute. */
  readonly id: string
  /** The token of the share that gets the lease: that of one process for this caller and minute. */
  readonly share: string
  readonly limit: number
  /** The number of waiting requests. */
  readonly needed: number
  /** The fraction of the remaining requests to lease, if that is more than `needed`. */
  readonly ahead: number
  readonly expiresAt: Date
}

/**
 * Gives each share as much as it asks for, as far as the limit allows. Returns the resulting documents, in the order of the
 * leases.
 */
export async function leaseRequests(store: Store, leases: readonly RequestLease[]): Promise<RequestRateDoc[]> {
  const [first] = leases
  if (first === undefined) return []
  if (leases.length === 1) return [await leaseOne(store, first)]
  const found = new Map((await leaseAll(store, leases)).map((doc) => [doc._id, doc]))
  return leases.map(({ id }) => found.get(id) ?? missing(id))
}

/** Takes a single lease, the most common case, in one command. */
async function leaseOne(store: Store, lease: RequestLease): Promise<RequestRateDoc> {
  const options = { upsert: true, returnDocument: 'after' } as const
  const make = () => store.requestRates.findOneAndUpdate({ _id: lease.id }, stepsOf(lease), options)
  // When two processes insert the document at once, one insert is refused; the second try then updates.
  const doc = await make().catch((error: unknown) => {
    if (isDuplicate(error)) return make()
    throw error
  })
  return doc ?? missing(lease.id)
}

function missing(id: string): never {
  throw new Error(`The requests of ${id} were leased, but their document does not exist.`)
}

async function leaseAll(store: Store, leases: readonly RequestLease[]): Promise<RequestRateDoc[]> {
  let rest = leases
  for (let tries = 0; tries < 2 && rest.length > 0; tries++) {
    const writes = rest.map((lease) =>
      updateIn(store.requestRates, { _id: lease.id }, stepsOf(lease), { upsert: true }),
    )
    rest = (await writeAll(store, writes)).map((n) => rest[n]!)
  }
  return readMany(store, 'requestRates', { _id: { $in: leases.map(({ id }) => id) } })
}

function stepsOf({ share, limit, needed, ahead, expiresAt }: RequestLease): Document[] {
  const held = `shares.${share}`
  const left = { $subtract: [limit, '$given'] }
  const wanted = { $max: [needed, { $floor: { $multiply: [left, ahead] } }] }
  return [
    {
      $set: {
        given: { $ifNull: ['$given', 0] },
        [held]: { $ifNull: [`$${held}`, 0] },
        expiresAt: { $ifNull: ['$expiresAt', expiresAt] },
      },
    },
    { $set: { lease: { $max: [0, { $min: [left, wanted] }] } } },
    { $set: { given: { $add: ['$given', '$lease'] }, [held]: { $add: [`$${held}`, '$lease'] } } },
    { $unset: 'lease' },
  ]
}

/** Returns unused requests of a share, so that they can be leased again. */
export async function returnRequests(
  store: Store,
  { id, share, count }: Pick<RequestLease, 'id' | 'share'> & { readonly count: number },
): Promise<void> {
  const held = `shares.${share}` as const
  await store.requestRates.updateOne({ _id: id, [held]: { $gte: count } }, { $inc: { given: -count, [held]: -count } })
}
