/**
 * Distributes the collections over the shards of a cluster. Each is distributed by a hash of its declared key, because ids begin with the
 * time: ranges of ids would put all new documents on one shard. The commands are those of `sh.shardCollection`. If they are interrupted,
 * another run completes them.
 */
import type { Db, MongoClient } from 'mongodb'
import { collections, ensureIndexes } from './collections.ts'
import { clientOf } from './connection.ts'
import { databaseOf } from './open.ts'

/** A collection, by its name in the database, and its shard key; null if it is not sharded. */
export type Sharding = { readonly collection: string; readonly key: { readonly [field: string]: 'hashed' } | null }

/** What was done, or is to be done, with a collection. */
export type ShardStep = Sharding & {
  readonly state: 'to be sharded' | 'sharded' | 'was sharded before' | 'stays on one shard'
}

/** All collections, in the order of their declaration. */
export const shardings: readonly Sharding[] = Object.entries(collections).map(([key, row]) => ({
  collection: 'name' in row ? row.name : key,
  key: row.shardKey === null ? null : { [row.shardKey]: 'hashed' },
}))

/** The database is not a sharded cluster, or a collection is sharded by another key; `message` says what to change. */
export class ShardingError extends Error {
  override readonly name = 'ShardingError'
}

/**
 * Shards every collection by its declared key, and yields a step for each. With `dryRun` nothing is written. `url` must lead to a mongos
 * and name a user who may shard (the role clusterManager). Throws ShardingError.
 */
export async function* shardDatabase({ url, dryRun }: { url: string; dryRun: boolean }): AsyncGenerator<ShardStep> {
  const client = clientOf(url, { appName: 'mailroom-shard', isPatient: true })
  try {
    await client.connect()
    const db = client.db(databaseOf(url))
    await requireRouter(db)
    const keys = await keysOf(client, db)
    if (!dryRun) await ensureIndexes(db)
    for (const sharding of shardings) {
      const { collection, key } = sharding
      const before = keys.get(collection)
      if (key === null) yield { ...sharding, state: 'stays on one shard' }
      else if (before !== undefined) yield { ...sharding, state: requireSame(collection, before, key) }
      else if (dryRun) yield { ...sharding, state: 'to be sharded' }
      else {
        await shard(client, db, collection, key)
        yield { ...sharding, state: 'sharded' }
      }
    }
  } finally {
    await client.close()
  }
}

async function requireRouter(db: Db): Promise<void> {
  const { msg } = await db.command({ hello: 1 })
  if (msg === 'isdbgrid') return
  throw new ShardingError(
    'The database is not a sharded cluster: set MONGODB_URL to its mongos processes. A replica set needs no sharding.',
  )
}

/** The shard keys of the collections that have one, by their names. */
async function keysOf(client: MongoClient, { databaseName }: Db): Promise<ReadonlyMap<string, object>> {
  const prefix = `${databaseName}.`
  const found = await client
    .db('config')
    .collection<{ readonly _id: string; readonly key: object; readonly unsplittable?: boolean }>('collections')
    .find({ _id: { $in: shardings.map(({ collection }) => `${prefix}${collection}`) }, unsplittable: { $ne: true } })
    .toArray()
  return new Map(found.map(({ _id, key }) => [_id.slice(prefix.length), key]))
}

function requireSame(collection: string, before: object, key: object): 'was sharded before' {
  if (JSON.stringify(before) === JSON.stringify(key)) return 'was sharded before'
  throw new ShardingError(
    `The collection ${collection} is sharded by ${JSON.stringify(before)}, not by ${JSON.stringify(key)}: change it with reshardCollection first.`,
  )
}

async function shard(client: MongoClient, db: Db, collection: string, key: object): Promise<void> {
  // A collection that contains documents must already have the index of its shard key.
  await db.command({ createIndexes: collection, indexes: [{ key, name: `${Object.keys(key)[0]}_hashed` }] })
  await client.db('admin').command({ shardCollection: `${db.databaseName}.${collection}`, key })
}
