import { Long } from 'bson'
import { arrayField, countField, textField } from '../arguments.ts'
import type { Document, Value } from '../bson/document.ts'
import { limits } from '../limits.ts'
import { namespace } from '../store/catalog.ts'
import { type Body, cursorBody } from '../wire/reply.ts'
import { type Call, type Command, collectionName, implemented, refused } from './command.ts'
import { cursorId } from './find.ts'

/** The next batch of a cursor. */
export const getMore: Command = {
  names: ['getMore'],
  fields: {
    collection: implemented,
    batchSize: implemented,
    term: refused('BadValue', 'term is for members of a replica set only: leave it out'),
    lastKnownCommittedOpTime: refused(
      'BadValue',
      'lastKnownCommittedOpTime is for members of a replica set only: leave it out',
    ),
  },
  async run({ body, engine, database, peer }: Call): Promise<Body> {
    const ns = namespace(database, textField(body, 'collection'))
    const size = countField(body, 'batchSize')
    const count = size === undefined || size === 0 ? Number.MAX_SAFE_INTEGER : size
    const requester = { ns, session: engine.sessions.use(body.lsid), peer }
    const waitMs = countField(body, 'maxTimeMS')
    const batch = await engine.cursors.next(engine.reader, cursorId(body.getMore), requester, { count, waitMs })
    return cursorBody('nextBatch', batch.documents, batch.id, ns)
  },
}

/** Closes cursors over one collection. */
export const killCursors: Command = {
  names: ['killCursors'],
  fields: { cursors: implemented },
  run(call): Document {
    const ns = namespace(call.database, collectionName(call))
    const killed: Value[] = []
    const missing: Value[] = []
    for (const value of arrayField(call.body, 'cursors')) {
      const id = cursorId(value)
      ;(call.engine.cursors.kill(id, ns) ? killed : missing).push(Long.fromBigInt(id))
    }
    return { cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [], ok: 1 }
  },
}

/** A cursor over documents that are made for the reply, such as lists of collections and indexes. */
export function listCursor(call: Call, ns: string, documents: Iterable<Uint8Array>): Promise<Body> {
  const wanted = (call.body.cursor ?? {}) as Document
  return cursorOver(call, ns, documents, countField(wanted, 'batchSize') ?? limits.firstBatch)
}

/** A cursor over documents, with at most `count` in the first batch. `after` are BSON elements that follow the cursor in the reply. */
export async function cursorOver(
  { engine, body }: Call,
  ns: string,
  documents: Iterable<Uint8Array>,
  count: number,
  after?: Uint8Array,
): Promise<Body> {
  const owner = { ns, session: engine.sessions.use(body.lsid), timesOut: true }
  const batch = await engine.cursors.first(engine.reader, owner, documents[Symbol.iterator](), {
    count,
    single: false,
    deadline: undefined,
  })
  return cursorBody('firstBatch', batch.documents, batch.id, ns, after)
}
