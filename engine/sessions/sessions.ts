import { createHash } from 'node:crypto'
import { Binary } from 'bson'
import { type Document, documentOf, isDocument } from '../bson/document.ts'
import { limits } from '../limits.ts'

const uuidSubtype = 4
/** The user digest of a client without credentials: the hash of nothing. */
const nobody = createHash('sha256').digest()

/** Logical sessions. On one node they only tie cursors to the client that opened them; ending a session closes its cursors. */
export class Sessions {
  readonly #seen = new Map<string, number>()
  readonly #idleMs: number

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  get count(): number {
    return this.#seen.size
  }

  /** The key of the session that a command names, undefined without one. Using a session keeps it alive. */
  use(lsid: unknown): string | undefined {
    const key = keyOf(lsid)
    if (key === undefined) return undefined
    this.#seen.delete(key)
    this.#seen.set(key, Date.now())
    if (this.#seen.size > limits.sessions) this.#seen.delete(this.#seen.keys().next().value!)
    return key
  }

  /** Every session, as `$listLocalSessions` shows it, with the digest of a client without credentials. */
  *list(): Generator<Document> {
    for (const [key, usedAt] of this.#seen) {
      const id = new Binary(Buffer.from(key, 'hex'), uuidSubtype)
      yield documentOf({ _id: documentOf({ id, uid: new Binary(nobody) }), lastUse: new Date(usedAt) })
    }
  }

  end(lsid: Document): string | undefined {
    const key = keyOf(lsid)
    if (key !== undefined) this.#seen.delete(key)
    return key
  }

  /** Forgets expired sessions and returns their keys. The map is in order of last use. */
  sweep(now: number): readonly string[] {
    const expired: string[] = []
    for (const [key, usedAt] of this.#seen) {
      if (now - usedAt <= this.#idleMs) break
      this.#seen.delete(key)
      expired.push(key)
    }
    return expired
  }
}

function keyOf(lsid: unknown): string | undefined {
  if (!isDocument(lsid as Document)) return undefined
  const id = (lsid as Document).id as Binary | undefined
  return id?.buffer === undefined ? undefined : Buffer.from(id.buffer).toString('hex')
}
