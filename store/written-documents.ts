/**
 * Records which documents of a database are written from some moment on, by the journal of the embedded engine or by the change streams
 * of a MongoDB deployment, which must be a replica set. A position outlives the process, so that another process can resume there.
 */
import type { ChangeStream, ChangeStreamDocument, Db, Document, ResumeToken } from 'mongodb'

/** A document that was inserted, changed or deleted. Its current state has to be read from the database. */
export type DocumentKey = { readonly collection: string; readonly key: unknown }

export type Position = { readonly entry: number } | { readonly token: ResumeToken }

export type WrittenDocuments = {
  /** Begins to record writes, if it has not begun. Returns the current position: everything written later comes after it. */
  begin(): Promise<Position>
  /** The next written documents, at most `readMax`; none if there are no more for now. */
  read(after: Position): Promise<{ readonly written: readonly DocumentKey[]; readonly position: Position }>
  /** Discards the records up to a position. */
  forget(upTo: Position): Promise<void>
  /** Stops recording. */
  end(): Promise<void>
  close(): Promise<void>
}

const readMax = 2_000
const journal = 'system.journal'
/** How long a read waits for further changes, because a deployment may report them late. */
const quietMs = 1_000

export function writtenIn(db: Db, { isEmbedded }: { readonly isEmbedded: boolean }): WrittenDocuments {
  return isEmbedded ? byJournal(db) : byChangeStream(db)
}

type Entry = { readonly _id: number; readonly collection: string; readonly key: unknown }

function byJournal(db: Db): WrittenDocuments {
  const entries = db.collection<Entry>(journal)
  return {
    async begin() {
      await db.command({ embeddedJournal: true })
      const [last] = await entries.find().sort({ _id: -1 }).limit(1).toArray()
      return { entry: last?._id ?? 0 }
    },
    async read(position) {
      const { entry } = position as { readonly entry: number }
      // Keys keep the BSON types of their numbers.
      const found = await entries
        .find({ _id: { $gt: entry } }, { promoteValues: false })
        .sort({ _id: 1 })
        .limit(readMax)
        .toArray()
      const last = found.at(-1)
      return { written: found.map(writtenBy), position: { entry: last === undefined ? entry : Number(last._id) } }
    },
    async forget(upTo) {
      const { entry: trimBefore } = upTo as { readonly entry: number }
      while ((await db.command({ embeddedJournal: true, trimBefore })).trimmed > 0);
    },
    end: async () => void (await db.command({ embeddedJournal: false })),
    close: async () => undefined,
  }
}

const writtenBy = ({ collection, key }: Entry): DocumentKey => ({ collection: String(collection), key })

function byChangeStream(db: Db): WrittenDocuments {
  let open: { readonly stream: ChangeStream; position: ResumeToken } | null = null
  const streamAt = async (token: ResumeToken | null) => {
    if (open !== null && (token === null || open.position === token)) return open
    await open?.stream.close()
    const stream = db.watch([], { maxAwaitTimeMS: quietMs, ...(token !== null && { resumeAfter: token }) })
    open = { stream, position: token }
    return open
  }
  return {
    async begin() {
      const begun = await streamAt(null)
      // The first answer contains the position.
      await begun.stream.tryNext()
      begun.position = begun.stream.resumeToken
      return { token: begun.position }
    },
    async read(position) {
      const at = await streamAt((position as { readonly token: ResumeToken }).token)
      const written: DocumentKey[] = []
      while (written.length < readMax) {
        const change: ChangeStreamDocument<Document> | null = await at.stream.tryNext()
        if (change === null) break
        if ('documentKey' in change) written.push({ collection: change.ns.coll, key: change.documentKey._id })
      }
      at.position = at.stream.resumeToken
      return { written, position: { token: at.position } }
    },
    forget: async () => undefined,
    end: async () => undefined,
    close: async () => void (await open?.stream.close()),
  }
}
