/**
 * Makes a database ready for this program: indexes, capped collections, migrations. One process of all nodes does it, under a
 * lock in the database; the others wait until it is done.
 *
 * Invariants: The lock of a process that died expires by itself; a process on the same machine takes it over at once, because it can see
 * that the holder is dead. A process that was suspended records the database as ready only if it still holds the lock. Every step
 * is safe to repeat.
 */
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Collection, type Db, MongoServerError } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import { collections, ensureIndexes } from './collections.ts'
import { migrate } from './migrations.ts'
import { duplicateKey } from './writes.ts'

/** The lock, its end and the process that holds it; or for which program the database was made ready, and when. */
type Preparation =
  | { readonly holder: string; readonly until: Date; readonly host?: string; readonly pid?: number }
  | { readonly holder: null; readonly program: string; readonly readyAt: Date }

type PreparationDoc = { readonly _id: 'preparation'; readonly value: Preparation }

/** A lock that is not renewed expires after this time. */
const lockMs = 10_000
const pollMs = 50
/**
 * A database that was made ready less than this ago is not checked again, because the processes of a node start together, and nodes one
 * after the other. A later start checks again, and so restores an index that somebody dropped.
 */
const readyForMs = 60_000

/** A digest of the declared collections: a database prepared by a program with the same declarations is ready for this one. */
const program = createHash('sha256').update(JSON.stringify(collections)).digest('hex').slice(0, 16)

/** Whether the database was made ready for this program a moment ago. */
export async function isReady(db: Db): Promise<boolean> {
  return isOfNow(await find(stateOf(db)))
}

function isOfNow(found: Preparation | undefined): boolean {
  return found?.holder === null && found.program === program && Date.now() - found.readyAt.getTime() < readyForMs
}

/** Resolves once this process or another has made the database ready. Rejects if this process tries and fails. */
export async function prepare(db: Db): Promise<void> {
  const state = stateOf(db)
  for (let found = await find(state); !isOfNow(found); found = await find(state)) {
    const holder = newToken()
    if (await take(state, found, holder)) await work(db, state, holder)
    else await sleep(pollMs)
  }
}

const stateOf = (db: Db): Collection<PreparationDoc> => db.collection<PreparationDoc>('state')

async function find(state: Collection<PreparationDoc>): Promise<Preparation | undefined> {
  return (await state.findOne({ _id: 'preparation' }))?.value
}

/** Takes the lock. Returns false if another process holds it, or took it after `found` was read. */
async function take(
  state: Collection<PreparationDoc>,
  found: Preparation | undefined,
  holder: string,
): Promise<boolean> {
  if (found !== undefined && found.holder !== null && found.until > new Date() && !isDead(found)) return false
  const value = { holder, until: new Date(Date.now() + lockMs), host: hostname(), pid: process.pid }
  try {
    // If the document has changed since, the filter does not match, and the insert that the upsert tries is refused.
    const before = found === undefined ? { $exists: false } : found
    await state.updateOne({ _id: 'preparation', value: before }, { $set: { value } }, { upsert: true })
    return true
  } catch (error) {
    if (error instanceof MongoServerError && error.code === duplicateKey) return false
    throw error
  }
}

/** Whether the holder ran on this machine and no longer exists, so that a start after a crash need not wait for its lock. */
function isDead({ host, pid }: { readonly host?: string; readonly pid?: number }): boolean {
  if (host !== hostname() || pid === undefined) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Makes the database ready, and records that if the lock is still held. */
async function work(db: Db, state: Collection<PreparationDoc>, holder: string): Promise<void> {
  const own = { _id: 'preparation', 'value.holder': holder } as const
  const renew = () => state.updateOne(own, { $set: { 'value.until': new Date(Date.now() + lockMs) } })
  // If a renewal fails, the next one succeeds, or another process has taken the lock by then.
  const renewing = setInterval(() => void renew().catch(() => undefined), lockMs / 3)
  try {
    await ensureIndexes(db)
    await migrate(db)
    await state.updateOne(own, { $set: { value: { holder: null, program, readyAt: new Date() } } })
  } catch (error) {
    // Releases the lock, so that other processes need not wait until it expires.
    await state.deleteOne(own).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewing)
  }
}
