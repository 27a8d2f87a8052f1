/** A store on a separate database for a suite, and writes to one of its collections. */
import { openStore, type Store } from '../../store/open.ts'
import { insertInto, type Write } from '../../store/writes.ts'
import { openReadyDatabase, type ReadyDatabase } from './ready-database.ts'

export type Entries = {
  /** Returns an unused id. */
  fresh(): string
  /** The write that stores a value under an id. */
  insert(id: string, value?: unknown): Write
  /** Returns what is stored under an id, or undefined. */
  stored(id: string): Promise<unknown>
}

/** Opens a store before the tests of a suite, passes it on with the URL of its database, and closes it after them. */
export function useStore(take: (store: Store, url: string) => void): Entries {
  let database: ReadyDatabase | undefined
  let store: Store | undefined
  let names = 0
  before(async () => {
    database = await openReadyDatabase()
    store = await openStore({ url: database.url, role: 'test' })
    take(store, database.url)
  })
  after(async () => {
    await store?.close()
    database?.release()
  })
  return {
    fresh: () => `name ${++names}`,
    insert: (_id, value = null) => insertInto(store!.state, { _id, value }),
    stored: async (_id) => (await store!.state.findOne({ _id }))?.value,
  }
}
