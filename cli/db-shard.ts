/** `mailroom db shard`. */
import { Failure } from '../schemas/failures.ts'
import { shardDatabase } from '../store/shards.ts'
import { explained } from './database.ts'
import { type Io, print } from './io.ts'

export const shard = explained(async (io: Io, { dryRun }: { readonly dryRun: boolean }) => {
  const { mongodbUrl: url } = io.settings()
  if (url === null)
    throw new Failure('validation_error', 'The embedded database is on one machine and has no shards.', {
      fix: 'Set MONGODB_URL to the mongos processes of a sharded cluster.',
    })
  const counts = { collections: 0, sharded: 0 }
  for await (const step of shardDatabase({ url, dryRun })) {
    print(io, step)
    counts.collections += 1
    if (step.key !== null) counts.sharded += 1
  }
  print(io, { dryRun, ...counts })
})
