import { Long } from 'bson'
import { countField, deadlineOf, flagField } from '../arguments.ts'
import { loginDatabase } from '../auth/peer.ts'
import { mechanism } from '../auth/scram.ts'
import { type Document, documentOf, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { namespace } from '../store/catalog.ts'
import { verifyApart } from '../store/verifier.ts'
import { type Command, collectionName, harmless, implemented, refused } from './command.ts'
import { featureVersion, serverVersion } from './hello.ts'
import { fileBytes } from './lists.ts'

/** A small serverStatus, with the fields that health checks and dashboards of a single process read. */
export const serverStatus: Command = {
  names: ['serverStatus'],
  // mongod lets a client choose sections by name; this engine always shows all that it has.
  fields: Object.fromEntries(
    [
      'repl',
      'metrics',
      'locks',
      'mirroredReads',
      'latchAnalysis',
      'wiredTiger',
      'tcmalloc',
      'opcounters',
      'connections',
    ].map((section) => [section, harmless('all sections are always shown')]),
  ),
  run({ engine }): Document {
    const { counters } = engine
    const { rss } = process.memoryUsage()
    return {
      host: 'embedded',
      version: serverVersion,
      process: 'embedded single-node store',
      pid: new Long(process.pid),
      uptime: (Date.now() - engine.startedAt) / 1000,
      localTime: new Date(),
      connections: documentOf({ current: counters.connections, totalCreated: counters.connectionsMade }),
      opcounters: documentOf(Object.fromEntries(counters.commands)),
      mem: documentOf({ resident: Math.round(rss / 1024 / 1024) }),
      metrics: documentOf({ cursor: documentOf({ open: documentOf({ total: engine.cursors.count }) }) }),
      logicalSessionRecordCache: documentOf({ activeSessionsCount: engine.sessions.count }),
      queue: documentOf({ writes: engine.writer.queued, requestBytes: counters.requestBytes }),
      storageEngine: documentOf({ name: 'sqlite', persistent: true }),
      ok: 1,
    }
  },
}

export const dbStats: Command = {
  names: ['dbStats', 'dbstats'],
  fields: { scale: implemented, freeStorage: harmless('free space is not reported') },
  run({ engine, database, body }): Document {
    const { reader } = engine
    const scale = scaleOf(body)
    return reader.snapshot(() => {
      const own = [...reader.catalog.byName.values()].filter((collection) => collection.database === database)
      const sizes = own.map(({ id }) => reader.records(id).totals())
      const sum = (field: 'documents' | 'bytes') => sizes.reduce((total, size) => total + size[field], 0)
      return {
        db: database,
        collections: own.length,
        views: 0,
        objects: sum('documents'),
        avgObjSize: sum('documents') === 0 ? 0 : sum('bytes') / sum('documents'),
        dataSize: sum('bytes') / scale,
        storageSize: fileBytes(reader.db) / scale,
        indexes: own.reduce((total, collection) => total + collection.indexes.length, 0),
        scaleFactor: scale,
        ok: 1,
      }
    })
  },
}

export const collStats: Command = {
  names: ['collStats', 'collstats'],
  fields: { scale: implemented },
  run(call): Document {
    const { reader } = call.engine
    const name = collectionName(call)
    const scale = scaleOf(call.body)
    return reader.snapshot(() => {
      const collection = reader.collection(call.database, name)
      const { documents: count, bytes } =
        collection === undefined ? { documents: 0, bytes: 0 } : reader.records(collection.id).totals()
      const cap = collection?.capped
      return {
        ns: namespace(call.database, name),
        size: bytes / scale,
        count,
        ...(count > 0 && { avgObjSize: bytes / count }),
        storageSize: bytes / scale,
        nindexes: collection?.indexes.length ?? 0,
        capped: cap !== undefined,
        ...(cap !== undefined && { max: cap.documents, maxSize: cap.sizeBytes / scale }),
        scaleFactor: scale,
        ok: 1,
      }
    })
  },
}

/** Compares every index of a collection with its documents. */
export const validate: Command = {
  names: ['validate'],
  fields: {
    full: harmless('the comparison is always complete'),
    repair: refused('NotImplemented', 'repair is not supported by the embedded engine'),
    metadata: harmless('metadata is always checked'),
    checkBSONConformance: harmless('every document is decoded'),
    background: harmless('reads go on while it runs'),
  },
  async run(call): Promise<Document> {
    const { dir } = call.engine
    const name = collectionName(call)
    const ns = namespace(call.database, name)
    const found = await verifyApart({ dir, database: call.database, name }, deadlineOf(call.body))
    if (found === undefined)
      throw new EngineError('NamespaceNotFound', `Collection '${ns}' does not exist to validate.`)
    return {
      ns,
      nrecords: found.documents,
      nIndexes: found.keysPerIndex.size,
      keysPerIndex: documentOf(Object.fromEntries(found.keysPerIndex)),
      valid: found.errors.length === 0,
      warnings: [],
      errors: [...found.errors],
      ok: 1,
    }
  },
}

const parameters: Readonly<Record<string, Value>> = {
  featureCompatibilityVersion: documentOf({ version: featureVersion }),
  authenticationMechanisms: [mechanism],
  maxBSONDepth: limits.depth,
  cursorTimeoutMillis: limits.cursorIdleMs,
  ttlMonitorSleepSecs: limits.ttlEveryMs / 1000,
}

/** The parameters that tools read; none can be set. */
export const getParameter: Command = {
  names: ['getParameter'],
  fields: {
    ...Object.fromEntries(Object.keys(parameters).map((name) => [name, implemented])),
    notablescan: implemented,
    allParameters: implemented,
  },
  run({ body, engine, message }): Document {
    const all = { ...parameters, notablescan: engine.noTableScan }
    if (body.getParameter === '*' || flagField(body, 'allParameters')) return { ...all, ok: 1 }
    const asked = message.fields.filter((field) => field in all)
    if (asked.length === 0) throw new EngineError('InvalidOptions', 'no option found to get')
    return { ...Object.fromEntries(asked.map((field) => [field, all[field as keyof typeof all]!])), ok: 1 }
  },
}

export const connectionStatus: Command = {
  names: ['connectionStatus'],
  beforeLogin: true,
  fields: { showPrivileges: harmless('every user may do everything') },
  run({ peer }): Document {
    const users = peer.user === undefined ? [] : [documentOf({ user: peer.user, db: loginDatabase })]
    return { authInfo: documentOf({ authenticatedUsers: users, authenticatedUserRoles: [] }), ok: 1 }
  },
}

export const whatsmyuri: Command = {
  names: ['whatsmyuri'],
  fields: {},
  run: ({ peer }): Document => ({ you: `socket:${peer.id}`, ok: 1 }),
}

function scaleOf(body: Document): number {
  const scale = countField(body, 'scale') ?? 1
  if (scale === 0) throw new EngineError('BadValue', 'scale must be greater than 0')
  return scale
}
