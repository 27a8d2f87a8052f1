/**
 * Makes a database ready for this program: indexes, capped collections, migrations. One process of all nodes does it, under a
 * lock in the database; the others wait until it is done. Invariants: a process that dies leaves the lock, which ends by itself,
 * and at once for who sees on the same machine that it is dead; one that hangs and wakes finds that it has lost the lock before it says that the database is ready; every step is safe to
 * repeat.
 */
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Collection, type Db, MongoServerError } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import { collections, ensureIndexes } from './collections.ts'
import { migrate } from './migrations.ts'
import { duplicateKey } from './writes.ts'

/** Who prepares until when, and which process that is; or for which program the database was made ready, and when. */
type Preparation =
  | { readonly holder: string; readonly until: Date; readonly host?: string; readonly pid?: number }
  | { readonly holder: null; readonly program: string; readonly readyAt: Date }

type PreparationDoc = { readonly _id: 'preparation'; readonly value: Preparation }

/** A lock that is not renewed ends after this time. */
const lockMs = 10_000
const pollMs = 50
/**
 * What was made ready so short a time ago is not looked at again: the processes of a node start together, and nodes after
 * each other. A later start looks again, and so mends what somebody dropped.
 */
const readyForMs = 60_000

/** What is declared of the collections: a program with the same declarations needs nothing more. */
const program = createHash('sha256').update(JSON.stringify(collections)).digest('hex').slice(0, 16)

/** Whether the database was made ready for this program a moment ago. */
export async function isReady(db: Db): Promise<boolean> {
  return isOfNow(await find(stateOf(db)))
}

function isOfNow(found: Preparation | undefined): boolean {
  return found?.holder === null && found.program === program && Date.now() - found.readyAt.getTime() < readyForMs
}

/** Resolves when the database is ready, made so by this process or another. Rejects when this one cannot. */
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

/** Takes the lock, unless another has it, or has had it since `found` was read. */
async function take(
  state: Collection<PreparationDoc>,
  found: Preparation | undefined,
  holder: string,
): Promise<boolean> {
  if (found !== undefined && found.holder !== null && found.until > new Date() && !isDead(found)) return false
  const value = { holder, until: new Date(Date.now() + lockMs), host: hostname(), pid: process.pid }
  try {
    // Where something else stands by then, the insert that the upsert tries is refused.
    const before = found === undefined ? { $exists: false } : found
    await state.updateOne({ _id: 'preparation', value: before }, { $set: { value } }, { upsert: true })
    return true
  } catch (error) {
    if (error instanceof MongoServerError && error.code === duplicateKey) return false
    throw error
  }
}

/** Whether a process was one of this machine and is not there any more: a start after a crash need not wait for its lock. */
function isDead({ host, pid }: { readonly host?: string; readonly pid?: number }): boolean {
  if (host !== hostname() || pid === undefined) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/** Makes the database ready, and says so if the lock still holds. */
async function work(db: Db, state: Collection<PreparationDoc>, holder: string): Promise<void> {
  const own = { _id: 'preparation', 'value.holder': holder } as const
  const renew = () => state.updateOne(own, { $set: { 'value.until': new Date(Date.now() + lockMs) } })
  // What cannot be renewed now is renewed the next time, or is another's by then.
  const renewing = setInterval(() => void renew().catch(() => undefined), lockMs / 3)
  try {
    await ensureIndexes(db)
    await migrate(db)
    await state.updateOne(own, { $set: { value: { holder: null, program, readyAt: new Date() } } })
  } catch (error) {
    // Others need not wait for its end.
    await state.deleteOne(own).catch(() => undefined)
    throw error
  } finally {
    clearInterval(renewing)
  }
}
