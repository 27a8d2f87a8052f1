/**
 * `npm run crash -- engine`: kills the embedded engine under load, and simulates power failures.
 *
 *   npm run crash -- engine [--rounds 50] [--images 200] [--writers 20] [--seed N]
 *
 * A round is a kill -9 under load and a start on the same folder. An image is what a disk may hold after a power failure
 * (images.ts), opened the way the engine opens it. After each, three things must hold: nothing that was acknowledged is lost,
 * no statement is half done, and every index agrees with the documents. Otherwise the exit status is 1.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isSound, verifyFolder } from '../../engine/admin/verify.ts'
import { decode } from '../../engine/bson/decode.ts'
import { openWriter } from '../../engine/store/database.ts'
import { Store } from '../../engine/store/store.ts'
import { eventually } from '../eventually.ts'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import { type Image, makeImage, readMoment, type Tail, tails, whileStopped, writeMoment } from './images.ts'
import { byWriter, indexes, type Ledger, openLedger, type Row, reconcile, writeOn } from './ledger.ts'
import { createRandom, type Random } from './random.ts'

export type Outcome = {
  /** How many operations were acknowledged before the crash, in all rounds on this folder. */
  readonly acknowledged: number
  /** How many operations were found that had not been acknowledged. */
  readonly unacknowledged: number
  /** Rounds: from the start of the process until it listens. Images: until SQLite has read the log and the catalog. */
  readonly openMs: number
  readonly violations: readonly string[]
}

export type ImageOutcome = Outcome & Pick<Image, 'tail' | 'tornPages' | 'underWayBytes'>

const database = 'test'
/** Within this time the operations of the writers fail after the engine was killed. */
const selectionMs = 1_500
const loadMs = { least: 120, more: 300 } as const
/** Operations acknowledged in a round, at the least. */
const operationsMin = 100
const betweenImagesMs = { least: 5, more: 40 } as const
const underWayMs = 8
const momentsMax = 100
const hangMs = 30_000
/** How long opening may take. */
const openMsMax = 2_000
/** After this many images the writers rest, because the write-ahead log starts anew only while nothing is written. */
const imagesPerRest = 8
const restMs = 350
/** How many images are taken of one folder. It is copied for each image, so it must not grow too much. */
const imagesPerFolder = 25

/** Kills the engine and starts it again, always on the same folder. `report` is called after each round. */
export async function killRounds(
  { rounds, writers, random }: { rounds: number; writers: number; random: Random },
  report: (outcome: Outcome) => void = () => undefined,
): Promise<readonly Outcome[]> {
  const dir = temporaryFolder()
  const outcomes: Outcome[] = []
  let ledger = openLedger(writers)
  let { engine } = await started(dir)
  try {
    for (let round = 0; round < rounds; round++) {
      const stop = { now: false }
      const writing = load(engine, ledger, stop)
      await sleep(loadMs.least + random.below(loadMs.more))
      // On a busy machine hardly anything may be written in that time.
      await eventually('a load', () => total(ledger) >= operationsMin * (round + 1))
      stop.now = true
      engine.process.kill('SIGKILL')
      // Awaited before the client is closed, because operations in progress at that moment may never settle.
      const violations = await within('the end of the load', failures(writing))
      await within('the end of the engine', engine.kill())
      const acknowledged = total(ledger)
      const again = await within('the next start', started(dir))
      engine = again.engine
      const checked = await within('the check', checkRunning(engine, ledger))
      ledger = checked.standing
      const outcome = {
        acknowledged,
        unacknowledged: checked.unacknowledged,
        openMs: again.openMs,
        violations: [...violations, ...checked.wrong],
      }
      outcomes.push(outcome)
      report(outcome)
    }
    await within('the stop', engine.stop())
    outcomes.push({ acknowledged: total(ledger), unacknowledged: 0, openMs: 0, violations: unsound(dir) })
    return outcomes
  } catch (cause) {
    throw new Error([String(cause), ...engine.log()].join('\n'), { cause })
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Takes images of engines under load and opens each. `report` is called after each image. */
export async function powerCuts(
  { images, writers, random }: { images: number; writers: number; random: Random },
  report: (outcome: ImageOutcome) => void = () => undefined,
): Promise<readonly ImageOutcome[]> {
  const outcomes: ImageOutcome[] = []
  while (outcomes.length < images) {
    const here = Math.min(imagesPerFolder, images - outcomes.length)
    for await (const outcome of cutsOfFolder({ images: here, writers, random })) {
      outcomes.push(outcome)
      report(outcome)
    }
  }
  return outcomes
}

async function* cutsOfFolder({
  images,
  writers,
  random,
}: {
  images: number
  writers: number
  random: Random
}): AsyncGenerator<ImageOutcome> {
  const dir = temporaryFolder()
  const { engine } = await started(dir)
  const pid = engine.process.pid!
  const ledger = openLedger(writers)
  const stop: { now: boolean; pause?: Promise<void> } = { now: false }
  const writing = load(engine, ledger, stop)
  try {
    for (let n = 0; n < images; n++) {
      if (n % imagesPerRest === imagesPerRest - 1) {
        stop.pause = sleep(restMs)
        await stop.pause
      }
      await sleep(betweenImagesMs.least + random.below(betweenImagesMs.more))
      yield await cutPower({ dir, pid, ledger }, tails[n % tails.length]!, random)
    }
    stop.now = true
    const violations = await within('the end of the load', failures(writing))
    if (violations.length > 0) throw new Error(violations.join('\n'))
    await within('the stop', engine.stop())
  } finally {
    stop.now = true
    engine.process.kill('SIGKILL')
    await writing
    await engine.kill()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Takes an image of a moment at which something was being written; tries again until there is one. */
async function cutPower(
  { dir, pid, ledger }: { readonly dir: string; readonly pid: number; readonly ledger: Ledger },
  tail: Tail,
  random: Random,
): Promise<ImageOutcome> {
  const now = () => ({ moment: readMoment(dir), ledger: { acknowledged: [...ledger.acknowledged] } })
  for (let tries = 0; tries < momentsMax; tries++) {
    const at = whileStopped(pid, now)
    await sleep(1 + random.below(underWayMs))
    const later = whileStopped(pid, now)
    const image = makeImage(at.moment, later.moment.log, tail, random)
    if (image !== undefined) return openImage(image, at.ledger, later.ledger)
  }
  throw new Error('nothing was ever under way')
}

/**
 * Opens an image and checks it. `later` counts what was acknowledged when the bytes in progress were read: a disk may have
 * kept some or all of them.
 */
function openImage(image: Image, ledger: Ledger, later: Ledger): ImageOutcome {
  const dir = mkdtempSync(join(tmpdir(), 'engine-image-'))
  try {
    writeMoment(dir, image)
    const began = performance.now()
    const db = openWriter(dir, { fileBytesMax: 0 })
    const store = new Store(db)
    const openMs = performance.now() - began
    const { unacknowledged, wrong } = reconcile(ledger, byWriter(storedRows(store)), later)
    db.close()
    const { tail, tornPages, underWayBytes } = image
    const violations = [...wrong, ...unsound(dir)].map((text) => `${tail}, ${tornPages} torn pages: ${text}`)
    return { acknowledged: total(ledger), unacknowledged, openMs, violations, tail, tornPages, underWayBytes }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function* storedRows(store: Store): Generator<Pick<Row, '_id' | 'version'>> {
  const collection = store.collection(database, 'rows')
  if (collection === undefined) return
  for (let at = 0; ; ) {
    const found = store.records(collection.id).after(at, 1_000, 8 * 1024 * 1024)
    if (found.length === 0) return
    for (const [, bytes] of found) {
      const { _id, version } = decode(bytes)
      yield { _id: String(_id), version: Number(version) }
    }
    at = found.at(-1)![0]
  }
}

async function started(dir: string): Promise<{ engine: Started; openMs: number }> {
  const began = performance.now()
  const engine = await startEngine({ dir, client: { maxPoolSize: 50, serverSelectionTimeoutMS: selectionMs } })
  const openMs = performance.now() - began
  await engine.db.collection<Row>('rows').createIndexes([...indexes])
  return { engine, openMs }
}

/** Rejects with the name of the step when it takes too long. */
async function within<Result>(what: string, work: Promise<Result>): Promise<Result> {
  const late = sleep(hangMs, undefined, { ref: false }).then(() => {
    throw new Error(`${what} did not come within ${hangMs} ms`)
  })
  late.catch(() => undefined)
  return Promise.race([work, late])
}

function load(engine: Started, ledger: Ledger, stop: { now: boolean }): Promise<PromiseSettledResult<void>[]> {
  const rows = engine.db.collection<Row>('rows')
  return Promise.allSettled(ledger.acknowledged.map((_, writer) => writeOn(rows, writer, ledger, stop)))
}

async function failures(writing: Promise<PromiseSettledResult<void>[]>): Promise<string[]> {
  return (await writing).flatMap((result, writer) =>
    result.status === 'rejected' ? [`writer ${writer} failed before the crash: ${String(result.reason)}`] : [],
  )
}

async function checkRunning(engine: Started, ledger: Ledger) {
  const rows = engine.db.collection<Row>('rows')
  const found = await rows.find({}, { projection: { version: 1 } }).toArray()
  const { standing, unacknowledged, wrong } = reconcile(ledger, byWriter(found))
  const { errors } = await engine.db.command({ validate: 'rows' })
  return { standing, unacknowledged, wrong: [...wrong, ...(errors as string[])] }
}

function unsound(dir: string): string[] {
  const findings = verifyFolder(dir)
  if (isSound(findings)) return []
  return [
    ...findings.errors,
    ...findings.collections.flatMap(({ ns, errors }) => errors.map((text) => `${ns}: ${text}`)),
  ]
}

function total({ acknowledged }: Ledger): number {
  return acknowledged.reduce((sum, done) => sum + done, 0)
}

/** The command. @returns whether everything held */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '50' },
      images: { type: 'string', default: '200' },
      writers: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const [rounds, images, writers, seed] = [values.rounds, values.images, values.writers, values.seed].map(Number)
  console.log(`${rounds} kills, ${images} images, ${writers} writers, seed ${seed}`)
  const random = createRandom(seed!)
  const kills = await killRounds({ rounds: rounds!, writers: writers!, random }, progress)
  console.log(summary('kill -9', kills))
  const cuts = await powerCuts({ images: images!, writers: writers!, random }, progress)
  console.log(summary('power cuts', cuts))
  for (const tail of tails)
    console.log(
      summary(
        `  ${tail}`,
        cuts.filter((cut) => cut.tail === tail),
      ),
    )
  const underWay = cuts.map(({ underWayBytes }) => underWayBytes).toSorted((a, b) => a - b)
  console.log(`images with torn database pages: ${cuts.filter(({ tornPages }) => tornPages > 0).length}`)
  console.log(
    `KiB under way: least ${kib(underWay[0])}, median ${kib(underWay[underWay.length >> 1])}, most ${kib(underWay.at(-1))}`,
  )
  const outcomes = [...kills, ...cuts]
  const slow = outcomes.filter(({ openMs }) => openMs > openMsMax)
  if (slow.length > 0) console.log(`VIOLATION ${slow.length} opens took longer than ${openMsMax} ms`)
  return slow.length === 0 && outcomes.every(({ violations }) => violations.length === 0)
}

const kib = (bytes = 0) => (bytes / 1024).toFixed(0)

function progress({ violations }: Outcome): void {
  for (const violation of violations) console.log(`VIOLATION ${violation}`)
}

function summary(what: string, outcomes: readonly Outcome[]): string {
  const opened = outcomes.map(({ openMs }) => openMs).filter((ms) => ms > 0)
  const middle = opened.toSorted((a, b) => a - b)[Math.floor(opened.length / 2)] ?? 0
  const columns = [
    what.padEnd(12),
    `${opened.length} times`,
    `${Math.max(0, ...outcomes.map(({ acknowledged }) => acknowledged))} acknowledged at most`,
    `${outcomes.reduce((sum, { unacknowledged }) => sum + unacknowledged, 0)} found unacknowledged`,
    `${outcomes.flatMap(({ violations }) => violations).length} violations`,
    `open ms: median ${middle.toFixed(1)}, worst ${Math.max(0, ...opened).toFixed(1)}`,
  ]
  return columns.join(' | ')
}
