/**
 * Moves a database under load from one engine to another, which is reached over TCP like a deployment, and kills or stops the
 * mover on the way. The writers keep a ledger of what was acknowledged; in the end the copy must contain exactly that.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Document, MongoBulkWriteError, MongoClient, MongoServerError } from 'mongodb'
import { eventually } from '../eventually.ts'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import type { Said } from './mover.ts'
import { createRandom, type Random } from './random.ts'

export type MoveRound = {
  /** Kills the mover when it reports a step for the nth time (`times`), or with `stopMs` stops it for that long. */
  readonly kills: readonly { readonly at: Said['step']; readonly times: number; readonly stopMs?: number }[]
  readonly documents: number
  readonly writers: number
  readonly random: Random
}

export type MoveReckoning = {
  readonly writes: number
  readonly killed: number
  readonly heldMs: number
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

const mover = fileURLToPath(new URL('mover.ts', import.meta.url))
const databaseName = 'mailroom'
const blockedCode = 371

/** Plays one move to its end. */
export async function playMove(round: MoveRound): Promise<MoveReckoning> {
  const source = await startEngine()
  const place = temporaryFolder()
  const passwordFile = path.join(place, 'password')
  await writeFile(passwordFile, 'secret\n', { mode: 0o600 })
  const target = await startEngine({
    dir: place,
    args: ['--tcp', '127.0.0.1:0', '--user', 'mover', '--password-file', passwordFile],
  })
  const port = await eventually('the port of the target', () => /"port":(\d+)/.exec(target.log().join('\n'))?.[1])
  const to = `mongodb://mover:secret@127.0.0.1:${port}/${databaseName}?authSource=admin`
  const from = `mongodb://${encodeURIComponent(source.socket)}/${databaseName}`
  const elsewhere = await new MongoClient(to).connect()
  try {
    await fill(source, round.documents)
    const load = startWriters(source, round)
    let killed = 0
    // If the mover finishes before its kill, the database has been moved.
    for (const kill of [...round.kills, null]) {
      const { isWhole, reason } = await runMover(from, to, kill, () => load.switchTo(elsewhere))
      if (isWhole) break
      if (reason !== wasKilled) throw new Error(`The move failed: ${reason}`)
      killed += 1
    }
    await sleep(50)
    return { ...(await load.stop()), killed }
  } finally {
    await elsewhere.close()
    await source.stop()
    await target.stop()
  }
}

/** `npm run crash -- move [--rounds 10] [--documents 20000] [--writers 8] [--seed N]`. Returns whether nothing was lost or doubled. */
export async function runMoves(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '10' },
      documents: { type: 'string', default: '20000' },
      writers: { type: 'string', default: '8' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const random = createRandom(Number(values.seed))
  console.log(`${values.rounds} moves of ${values.documents} documents, ${values.writers} writers, seed ${values.seed}`)
  let isFine = true
  for (let n = 1; n <= Number(values.rounds); n++) {
    const kills = Array.from({ length: 6 }, () => {
      const at = steps[random.below(steps.length)]!
      return { at, times: 1 + random.below(timesMax[at]), ...(random.below(4) === 0 && { stopMs: longerThanHold }) }
    })
    const round = { kills, documents: Number(values.documents), writers: Number(values.writers), random }
    const { writes, killed, heldMs, lost, doubled } = await playMove(round)
    isFine &&= lost.length === 0 && doubled.length === 0
    console.log(
      `${n}: ${writes} writes, ${killed} kills, held for ${heldMs} ms at most, ${lost.length} lost, ${doubled.length} doubled`,
    )
  }
  return isFine
}

const steps = ['copying', 'catching up', 'comparing', 'holding'] as const
/** The number of times that a mover of this size reports each step at least. */
const timesMax = { copying: 20, 'catching up': 2, comparing: 20, holding: 1 } as const
const wasKilled = 'it was killed'
/** By then a hold that is not extended has ended. */
const longerThanHold = 6_000

/** Creates what a service has: unique keys that move between documents, expiring documents, a capped collection, files in chunks. */
async function fill({ client }: Started, documents: number): Promise<void> {
  const db = client.db(databaseName)
  await db.createCollection('notes', { capped: true, size: 64 * 1024 })
  await db.collection('seats').createIndex({ seat: 1 }, { unique: true })
  await db.collection('passing').createIndex({ at: 1 }, { expireAfterSeconds: 3600 })
  await db.collection('drive.chunks').createIndex({ files_id: 1, n: 1 }, { unique: true })
  const many = (of: (n: number) => Document) => Array.from({ length: documents }, (_, n) => of(n))
  await db
    .collection('letters')
    .insertMany(many((n) => ({ _id: idOf('old', n) as never, text: 'x'.repeat(n % 400), rev: 0 })))
  await db.collection('passing').insertMany(many((n) => ({ at: new Date(), n })))
  await db
    .collection('drive.chunks')
    .insertMany(many((n) => ({ files_id: `file${n % 7}`, n, data: Buffer.alloc(100, n) })))
  await db.collection('notes').insertMany(many((n) => ({ n })))
  await db.collection('keyed').insertMany(many((n) => ({ _id: { w: 'w', n } as never, n })))
}

const idOf = (writer: number | string, n: number) => `${writer}-${String(n).padStart(8, '0')}`
const seats = 20

/** Starts writers that retry what is refused while the database is held, and that follow it to its new place. */
function startWriters(source: Started, { writers, random }: MoveRound) {
  let client = source.client
  let going = true
  let writes = 0
  let heldSince: number | null = null
  let heldMs = 0
  const ledger = new Map<string, number | null>()

  async function until<Result>(write: (db: ReturnType<MongoClient['db']>) => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await write(client.db(databaseName))
        if (heldSince !== null) heldMs = Math.max(heldMs, performance.now() - heldSince)
        heldSince = null
        writes += 1
        return result
      } catch (error) {
        if (!isBlocked(error)) throw error
        heldSince ??= performance.now()
        await sleep(5)
      }
    }
  }

  async function run(writer: number): Promise<void> {
    for (let n = 0; going; n++) {
      const _id = idOf(writer, n)
      await until((db) =>
        db.collection<Document>('letters').insertOne({ _id: _id as never, rev: 0, text: 'y'.repeat(50) }),
      )
      ledger.set(_id, 0)
      const other = idOf(writer, random.below(n + 1))
      const rev = ledger.get(other)
      if (typeof rev !== 'number') continue
      if (random.below(10) < 3) {
        await until((db) => db.collection<Document>('letters').deleteOne({ _id: other as never }))
        ledger.set(other, null)
      } else {
        await until((db) =>
          db.collection<Document>('letters').updateOne({ _id: other as never }, { $set: { rev: rev + 1 } }),
        )
        ledger.set(other, rev + 1)
      }
      await until((db) => db.collection('notes').insertOne({ writer, n }))
      await until((db) => takeSeat(db, writer, random.below(seats)))
    }
  }

  const running = Promise.all(Array.from({ length: writers }, (_, writer) => run(writer)))
  // `stop` reports an error of the writers; if the move fails, its own error is reported instead.
  running.catch(() => undefined)
  return {
    switchTo(elsewhere: MongoClient) {
      client = elsewhere
    },
    async stop(): Promise<Omit<MoveReckoning, 'killed'>> {
      going = false
      await running
      const found = new Map<string, number>()
      for await (const { _id, rev } of client.db(databaseName).collection('letters').find()) found.set(String(_id), rev)
      const old = (id: string) => id.startsWith('old-')
      const wrong = [...ledger].filter(([id, rev]) => (found.get(id) ?? null) !== rev).map(([id]) => id)
      const doubled = [...found.keys()].filter((id) => !old(id) && !ledger.has(id))
      return { writes, heldMs: Math.round(heldMs), lost: wrong, doubled }
    },
  }
}

/** Moves a unique key from one document to another. */
async function takeSeat(db: ReturnType<MongoClient['db']>, writer: number, seat: number): Promise<void> {
  const taken = db.collection<Document>('seats')
  await taken.deleteOne({ seat })
  await taken
    .updateOne({ _id: `writer${writer}` as never }, { $set: { seat } }, { upsert: true })
    .catch((error: unknown) => {
      if (!(error instanceof MongoServerError) || error.code !== 11000) throw error
    })
}

const isBlocked = (error: unknown) =>
  (error instanceof MongoServerError || error instanceof MongoBulkWriteError) && error.code === blockedCode

/** Runs a mover until it ends or is killed. A stopped mover is continued. */
async function runMover(
  from: string,
  to: string,
  kill: MoveRound['kills'][number] | null,
  onSwitch: () => void,
): Promise<{ readonly isWhole: boolean; readonly reason: string }> {
  const child: ChildProcess = spawn(process.execPath, [mover, from, to], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let times = 0
  let reason = wasKilled
  let isWhole = false
  let waking: NodeJS.Timeout | undefined
  const stop = (forMs: number) => {
    child.kill('SIGSTOP')
    waking = setTimeout(() => child.kill('SIGCONT'), forMs)
  }
  child.on('message', (said: Said) => {
    if (said.step === 'failed') reason = said.reason
    if (said.step === 'switched') {
      isWhole = true
      onSwitch()
    }
    if (said.step !== kill?.at || ++times < kill.times) return
    if (kill.stopMs === undefined) child.kill('SIGKILL')
    else if (times === kill.times) stop(kill.stopMs)
  })
  await once(child, 'exit')
  clearTimeout(waking)
  return { isWhole, reason }
}
