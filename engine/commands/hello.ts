import { randomBytes } from 'node:crypto'
import { Binary } from 'bson'
import { noUsers } from '../auth/peer.ts'
import { type Document, documentOf, isDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Call, type Command, harmless, implemented, refused } from './command.ts'
import { loginFields } from './login.ts'

/**
 * MongoDB 8.0's wire version. The Node driver (7.8) uses these features from these versions on: 6 OP_MSG; 9 the oldest server
 * that it supports, and labels on errors of change streams; 13 sessions with snapshot reads (refused), and `$out` and `$merge`
 * on secondaries; 17 elections of replica sets; 21 encrypted collections (refused). It requires no version for
 * `client.bulkWrite` and the `sort` of updates, for which other drivers require 25. From 27 on (8.2) it would send `rawData`.
 */
export const wireVersion = { min: 0, max: 25 } as const
export const featureVersion = '8.0'
export const serverVersion = `${featureVersion}.0`

/**
 * Describes the server: it is standalone (no `setName`), so that drivers switch off retryable writes by themselves.
 * It sends no `topologyVersion`, so that drivers poll instead of keeping a streaming monitor.
 */
export const hello: Command = {
  names: ['hello', 'ismaster', 'isMaster'],
  beforeLogin: true,
  fields: {
    helloOk: implemented,
    client: harmless('it is for logs'),
    compression: harmless('the reply offers no compression'),
    backpressure: harmless('the server sends no overload errors'),
    topologyVersion: refused('IllegalOperation', 'streaming hello is not offered'),
    maxAwaitTimeMS: refused('IllegalOperation', 'streaming hello is not offered'),
    loadBalanced: refused('IllegalOperation', 'there is no load balancer mode'),
    saslSupportedMechs: implemented,
    speculativeAuthenticate: implemented,
    $query: harmless('obsolete'),
  },
  run({ message, body, peer }): Document {
    if (peer.local && body.speculativeAuthenticate !== undefined) throw noUsers()
    const legacy = message.fields[0] !== 'hello'
    return {
      helloOk: true,
      ...(legacy ? { ismaster: true } : { isWritablePrimary: true }),
      maxBsonObjectSize: limits.documentBytes,
      maxMessageSizeBytes: limits.messageBytes,
      maxWriteBatchSize: limits.writeBatch,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: limits.sessionIdleMs / 60_000,
      connectionId: peer.id,
      minWireVersion: wireVersion.min,
      maxWireVersion: wireVersion.max,
      readOnly: false,
      ...loginFields(peer, body),
      ok: 1,
    }
  },
}

export const ping: Command = { names: ['ping'], beforeLogin: true, fields: {}, run: () => ({ ok: 1 }) }

/** The version; `embedded` distinguishes this engine from a MongoDB server. */
export const buildInfo: Command = {
  names: ['buildInfo', 'buildinfo'],
  fields: {},
  run: (): Document => ({
    version: serverVersion,
    versionArray: serverVersion.split('.').map(Number).concat(0),
    embedded: true,
    product: 'embedded single-node store: no replication, no failover',
    gitVersion: '',
    modules: [],
    bits: 64,
    debug: false,
    maxBsonObjectSize: limits.documentBytes,
    storageEngines: ['sqlite'],
    javascriptEngine: 'none',
    sysInfo: '',
    ok: 1,
  }),
}

/** Returns a new session id; drivers usually generate their own. */
export const startSession: Command = {
  names: ['startSession'],
  fields: {},
  run({ engine }): Document {
    const id = documentOf({ id: new Binary(randomBytes(16), 4) })
    engine.sessions.use(id)
    return { id, timeoutMinutes: limits.sessionIdleMs / 60_000, ok: 1 }
  },
}

export const endSessions: Command = { names: ['endSessions', 'killSessions'], fields: {}, run: (call) => endAll(call) }

export const refreshSessions: Command = {
  names: ['refreshSessions'],
  fields: {},
  run(call): Document {
    for (const lsid of sessionsOf(call)) call.engine.sessions.use(lsid)
    return { ok: 1 }
  },
}

function endAll(call: Call): Document {
  for (const lsid of sessionsOf(call)) {
    const key = call.engine.sessions.end(lsid)
    if (key !== undefined) call.engine.cursors.killSession(key)
  }
  return { ok: 1 }
}

function sessionsOf({ body, message }: Call): readonly Document[] {
  const list = body[message.fields[0]!]
  if (!Array.isArray(list)) throw new EngineError('TypeMismatch', `${message.fields[0]} must be an array of sessions`)
  return list.filter((value: Value): value is Document => isDocument(value))
}
