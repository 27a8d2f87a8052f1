/**
 * The list of collections and their indexes.
 *
 * Invariants
 * - The `catalog` and `indexes` tables are authoritative. A `Catalog` is a copy of one committed version of them; on the
 *   writer's connection, of its own open transaction.
 * - Ids are never used twice, so a scan that outlives its collection finds nothing rather than the data of another.
 * - `multikey[i]` is set once a document has an array on component i, and stays set.
 * - An index that is being built is maintained by every write and used by nothing else.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { decode } from '../bson/decode.ts'
import { type Document, documentOf, type Value } from '../bson/document.ts'
import { compileIndex, type IndexEntries, type IndexSpec } from '../bson/entries.ts'
import { compileFilter, type Matcher } from '../match/compile.ts'
import { type FilterNode, parseFilter } from '../match/parse.ts'
import { pathsOf, topLevel } from './paths.ts'

export type PartialFilter = { readonly node: FilterNode; readonly matcher: Matcher }

export type Index = {
  readonly id: number
  readonly name: string
  readonly key: IndexSpec
  /** Returns the keys of a document in this index. */
  readonly keysOf: (doc: Document) => IndexEntries
  /** As listIndexes shows it. */
  readonly spec: Document
  readonly unique: boolean
  readonly sparse: boolean
  readonly hidden: boolean
  readonly partial: PartialFilter | undefined
  /** The top-level fields that its partial filter reads; undefined when it may read any. */
  readonly partialFields: ReadonlySet<string> | undefined
  readonly expireAfterSeconds: number | undefined
  /** The index does not cover all documents yet. */
  readonly building: boolean
  readonly multikey: boolean[]
}

/** The bounds of a capped collection; the oldest documents make room for new ones. */
export type Cap = {
  readonly sizeBytes: number
  /** 0: as many documents as fit. */
  readonly documents: number
}

export type Collection = {
  readonly id: number
  readonly database: string
  readonly name: string
  readonly uuid: Uint8Array
  readonly options: Document
  /** The bytes that `options` was read from. */
  readonly storedOptions: Uint8Array
  readonly capped: Cap | undefined
  /** The indexes that cover all documents; `_id_` first. */
  readonly indexes: readonly Index[]
  /** All indexes, including those that are being built. */
  readonly maintained: readonly Index[]
  /** Top-level fields that the maintained indexes read; undefined when they may read any. */
  readonly indexedFields: ReadonlySet<string> | undefined
}

/** An index, its collection, and the specification that it was read from. */
type IndexRow = { readonly owner: number; readonly spec: Uint8Array; readonly index: Index }

export type Catalog = {
  readonly version: number
  readonly rows: ReadonlyMap<number, IndexRow>
  readonly byName: ReadonlyMap<string, Collection>
  readonly collectionIds: ReadonlySet<number>
  readonly indexIds: ReadonlySet<number>
}

/** `database.collection`, as errors and cursors name it. */
export function namespace(database: string, name: string): string {
  return `${database}.${name}`
}

/**
 * Reads the catalog. Collections and indexes that are unchanged since `before` are taken from there: most changes are of one
 * collection, and compiling an index costs more than reading its row.
 */
export function loadCatalog(db: DatabaseSync, before?: Catalog): Catalog {
  const rows = readRows(db.prepare('SELECT id, collection, spec, multikey FROM indexes ORDER BY id').all(), before)
  const owned = Map.groupBy(rows.values(), ({ owner }) => owner)
  const byName = new Map<string, Collection>()
  for (const row of db.prepare('SELECT id, db, name, uuid, options FROM catalog ORDER BY id').all()) {
    const collection = collectionFrom(row, owned.get(Number(row.id)) ?? [], before)
    byName.set(namespace(collection.database, collection.name), collection)
  }
  return catalogOf(db, byName, rows)
}

/** Reads one collection anew and takes everything else from `before`. The collection must still have its name of before. */
export function reloadCollection(db: DatabaseSync, before: Catalog, id: number): Catalog {
  const row = db.prepare('SELECT id, db, name, uuid, options FROM catalog WHERE id = ?').get(id)
  if (row === undefined) return loadCatalog(db, before)
  const own = db.prepare('SELECT id, collection, spec, multikey FROM indexes WHERE collection = ? ORDER BY id').all(id)
  const rows = readRows(own, before)
  const collection = collectionFrom(row, [...rows.values()], before)
  const byName = new Map(before.byName).set(namespace(collection.database, collection.name), collection)
  const others = [...before.rows].filter(([, { owner }]) => owner !== id)
  return catalogOf(db, byName, new Map([...others, ...rows]))
}

type Row = Readonly<Record<string, SQLOutputValue>>

function catalogOf(db: DatabaseSync, byName: Catalog['byName'], rows: Catalog['rows']): Catalog {
  return {
    version: Number(db.prepare("SELECT value FROM meta WHERE name = 'catalogVersion'").get()?.value),
    byName,
    rows,
    collectionIds: new Set([...byName.values()].map((collection) => collection.id)),
    indexIds: new Set(rows.keys()),
  }
}

function readRows(stored: readonly Row[], before: Catalog | undefined): Map<number, IndexRow> {
  return new Map(
    stored.map((row) => {
      const id = Number(row.id)
      return [id, indexRow(row, before?.rows.get(id))]
    }),
  )
}

function collectionFrom(row: Row, rows: readonly IndexRow[], before: Catalog | undefined): Collection {
  const id = Number(row.id)
  const database = String(row.db)
  const name = String(row.name)
  const storedOptions = row.options as Uint8Array
  const own = rows.map(({ index }) => index)
  const known = before?.byName.get(namespace(database, name))
  if (known?.id === id && isSame(known.maintained, own) && Buffer.compare(known.storedOptions, storedOptions) === 0)
    return known
  const options = decode(storedOptions)
  return {
    id,
    database,
    name,
    uuid: row.uuid as Uint8Array,
    options,
    storedOptions,
    capped: capOf(options),
    indexes: own.filter((index) => !index.building),
    maintained: own,
    indexedFields: fieldsRead(own),
  }
}

/**
 * The index of a row, taken from `known` if it is unchanged. The multikey flags are compared too: the writer sets them in memory
 * before the change is committed, and the commit may fail.
 */
function indexRow(row: Row, known: IndexRow | undefined): IndexRow {
  const spec = row.spec as Uint8Array
  const multikey = String(row.multikey)
  if (
    known !== undefined &&
    Buffer.compare(known.spec, spec) === 0 &&
    JSON.stringify(known.index.multikey) === multikey
  )
    return known
  const index = indexFrom(Number(row.id), decode(spec), JSON.parse(multikey) as boolean[])
  return { owner: Number(row.collection), spec, index }
}

const isSame = (a: readonly Index[], b: readonly Index[]) =>
  a.length === b.length && a.every((index, n) => index === b[n])

/** Compiles an index from its stored specification. */
export function indexFrom(id: number, spec: Document, multikey: boolean[]): Index {
  const partial = spec.partialFilterExpression as Document | undefined
  const node = partial === undefined ? undefined : parseFilter(partial, 'part')
  const key = keyPattern(spec.key as Document)
  return {
    id,
    name: spec.name as string,
    key,
    keysOf: compileIndex(key),
    spec,
    unique: spec.unique === true || spec.name === '_id_',
    sparse: spec.sparse === true,
    hidden: spec.hidden === true,
    partial: node === undefined ? undefined : { node, matcher: compileFilter(node) },
    partialFields: node === undefined ? new Set() : pathsOf(node),
    expireAfterSeconds: spec.expireAfterSeconds === undefined ? undefined : Number(spec.expireAfterSeconds),
    building: spec.building === true,
    multikey,
  }
}

/** `{ a: 1, b: -1 }` as pairs. */
export function keyPattern(key: Document): IndexSpec {
  return Object.entries(key).map(([path, direction]) => [path, Number(direction) < 0 ? -1 : 1] as const)
}

/** The pairs as `{ a: 1, b: -1 }`. */
export function keyDocument(key: IndexSpec): Document {
  return documentOf(Object.fromEntries(key.map(([path, direction]) => [path, direction as Value])))
}

/** The directions of an index, for the key encoder. */
export function directions(key: IndexSpec): (1 | -1)[] {
  return key.map(([, direction]) => direction)
}

function capOf({ capped, size, max }: Document): Cap | undefined {
  return capped === true ? { sizeBytes: Number(size), documents: Number(max ?? 0) } : undefined
}

function fieldsRead(indexes: readonly Index[]): ReadonlySet<string> | undefined {
  const fields = new Set<string>()
  for (const index of indexes) {
    for (const [path] of index.key) fields.add(topLevel(path))
    if (index.partialFields === undefined) return undefined
    for (const field of index.partialFields) fields.add(field)
  }
  return fields
}
