import { Binary } from 'bson'
import { flagField, onlyFields, optionalDocument } from '../arguments.ts'
import { type Document, documentOf } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { compileFilter } from '../match/compile.ts'
import { parseFilter } from '../match/parse.ts'
import { type Collection, namespace } from '../store/catalog.ts'
import { type Call, type Command, collectionName, harmless, implemented } from './command.ts'
import { listCursor } from './cursors.ts'

const uuidSubtype = 4

/** The collections of a database. */
export const listCollections: Command = {
  names: ['listCollections'],
  fields: {
    filter: implemented,
    nameOnly: implemented,
    cursor: implemented,
    authorizedCollections: harmless('every client may read everything'),
  },
  run(call) {
    checkCursor(call)
    const { reader } = call.engine
    const found = reader.snapshot(() =>
      [...reader.catalog.byName.values()].filter(({ database }) => database === call.database),
    )
    const matches = matching(call.body)
    const nameOnly = flagField(call.body, 'nameOnly')
    const shown = found
      .map((collection) => ({ full: described(collection), collection }))
      .filter(({ full }) => matches(full))
    const documents = shown.map(({ full }) => encode(nameOnly ? { name: full.name!, type: 'collection' } : full))
    return listCursor(call, namespace(call.database, '$cmd.listCollections'), documents)
  },
}

/** The databases that have collections. */
export const listDatabases: Command = {
  names: ['listDatabases'],
  fields: {
    filter: implemented,
    nameOnly: implemented,
    authorizedDatabases: harmless('every client may read everything'),
  },
  run({ engine, body, database }): Document {
    if (database !== 'admin')
      throw new EngineError('Unauthorized', 'listDatabases may only be run against the admin database.')
    const { reader } = engine
    const names = reader.snapshot(() =>
      [...new Set([...reader.catalog.byName.values()].map((collection) => collection.database))].sort(),
    )
    const matches = matching(body)
    const databases = names.map((name): Document => ({ name, sizeOnDisk: 0, empty: false })).filter(matches)
    if (flagField(body, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name: name! })), ok: 1 }
    return {
      databases,
      totalSize: fileBytes(engine.reader.db),
      totalSizeMb: Math.floor(fileBytes(engine.reader.db) / 1024 / 1024),
      ok: 1,
    }
  },
}

/** The indexes of a collection. @throws EngineError NamespaceNotFound, which GridFS relies on */
export const listIndexes: Command = {
  names: ['listIndexes'],
  fields: { cursor: implemented, includeBuildUUIDs: harmless('an index is listed once it is complete') },
  run(call) {
    checkCursor(call)
    const name = collectionName(call)
    const { reader } = call.engine
    const collection = reader.snapshot(() => reader.collection(call.database, name))
    const ns = namespace(call.database, name)
    if (collection === undefined) throw new EngineError('NamespaceNotFound', `ns does not exist: ${ns}`)
    return listCursor(
      call,
      ns,
      collection.indexes.map(({ spec }) => encode(spec)),
    )
  },
}

/** The size in bytes of the database file, without its log. */
export function fileBytes(db: {
  readonly prepare: (sql: string) => { readonly get: () => Record<string, unknown> | undefined }
}): number {
  const pages = Number(db.prepare('PRAGMA page_count').get()?.page_count)
  return pages * Number(db.prepare('PRAGMA page_size').get()?.page_size)
}

function described(collection: Collection): Document {
  return documentOf({
    name: collection.name,
    type: 'collection',
    options: collection.options,
    info: documentOf({ readOnly: false, uuid: new Binary(collection.uuid, uuidSubtype) }),
    idIndex: collection.indexes[0]!.spec,
  })
}

function matching(body: Document): (doc: Document) => boolean {
  const filter = optionalDocument(body, 'filter')
  return filter === undefined ? () => true : compileFilter(parseFilter(filter)).matches
}

function checkCursor({ body, message }: Call): void {
  const cursor = optionalDocument(body, 'cursor')
  if (cursor !== undefined) onlyFields(cursor, `${message.fields[0]}.cursor`, ['batchSize'])
}
