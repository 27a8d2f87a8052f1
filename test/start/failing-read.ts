/** Makes a read of the database fail. */
import { Db, type Document } from 'mongodb'
import type { Store } from '../../store/open.ts'

/** Makes the next read of a collection whose filter `isIt` accepts fail. Resolves when it has failed. */
export function failNextRead(
  { db }: Pick<Store, 'db'>,
  collection: string,
  isIt: (filter: Document) => boolean = () => true,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const command: typeof db.command = (asked: Document, options) => {
    if (asked.find !== collection || !isIt(asked.filter ?? {})) return Db.prototype.command.call(db, asked, options)
    Reflect.deleteProperty(db, 'command')
    resolve()
    return Promise.reject(new Error('interrupted'))
  }
  Object.assign(db, { command })
  return promise
}
