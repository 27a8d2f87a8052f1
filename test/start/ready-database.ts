/**
 * Databases that are ready for the program: all its collections and indexes are there, and nothing in them. Making and dropping one
 * costs fifty times as much as emptying it, so the files of a worker process use the same one, one after the other.
 */
import { openStore } from '../../store/open.ts'
import { type Database, openDatabase } from './engine.ts'

export type ReadyDatabase = {
  readonly url: string
  /** Leaves it to a later file. Whoever used it must have ended. */
  release(): void
}

const released: Database[] = []

export async function openReadyDatabase(): Promise<ReadyDatabase> {
  const known = released.pop()
  const database = known ?? (await makeReady())
  if (known !== undefined) await empty(known)
  return { url: database.url, release: () => void released.push(database) }
}

async function makeReady(): Promise<Database> {
  const database = await openDatabase()
  const store = await openStore({ url: database.url, role: 'test' })
  await store.close()
  return database
}

/** What `state` contains once a database is ready (store/preparation.ts, store/migrations.ts). */
const ofReadiness = ['preparation', 'schemaVersions']

/** Deletes all documents, and says that the database was made ready just now. */
async function empty({ db }: Database): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  const deletes = collections.map(({ name }) => ({
    namespace: `${db.databaseName}.${name}`,
    name: 'deleteMany' as const,
    filter: name === 'state' ? { _id: { $nin: ofReadiness } } : {},
  }))
  await db.client.bulkWrite<{ [namespace: string]: { readonly _id: string } }>([
    ...deletes,
    {
      namespace: `${db.databaseName}.state`,
      name: 'updateOne',
      filter: { _id: 'preparation' },
      update: { $set: { 'value.readyAt': new Date() } },
    },
  ])
}
