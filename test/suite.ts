/**
 * Runs all tests, for `npm test`, or with `--quick` those that neither start processes (test/quick.ts) nor measure. First most files
 * run in parallel in a few worker processes, then those that measure, each with a core to itself. At the end mocha's summary covers
 * all of them. A worker runs many files, which share loaded modules and the engine that it has started (test/start/engine.ts).
 */
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import Mocha from 'mocha'
import { isQuick } from './quick.ts'

/** The number of workers: two more than there are cores, because many files wait for processes that they started. */
const besideEachOther = availableParallelism() + 2

/**
 * Files that measure processor time, how it grows with the input, or how long a thread works until another gets its answer. Each has
 * a core of its own, in a fresh process: garbage collection of what other files left would distort the measurement. Those that take
 * long come first.
 */
const oneToACore: readonly string[] = [
  'test/mail/hostile-mime.test.ts',
  'test/mail/hostile-html.test.ts',
  'test/mail/lens/hostile.test.ts',
  'test/mail/body/html-text.test.ts',
  'test/dns/fuzz.test.ts',
  'test/engine/server.rests.test.ts',
  'test/mail/fuzz.test.ts',
  'test/mail/speed.test.ts',
  'test/mail/body/alternatives.test.ts',
  'test/core/process/kept.test.ts',
  'test/plugins/inbound/large-messages.test.ts',
  'test/imap/pace.test.ts',
  'test/imap/fuzz.test.ts',
]

/** Measures too, but waits for nineteen twentieths of its time: it runs beside those, so that no core sits idle. */
const besideThem = 'test/imap/patience.test.ts'

const measuring = [...oneToACore, besideThem]

/** Folders in the order in which their files start: those that take long first, so that no core is idle at the end. */
const order: readonly string[] = [
  'test/e2e/',
  'test/web/',
  'test/crash/',
  'test/api/',
  'test/docs/',
  'test/plugins/',
  'test/engine/',
  'test/core/',
  'test/',
]

/** Files that import one of these share a service or a browser: one worker runs them as if they were one file. */
const sharing = [/start\/shared-service\.ts'/, /start\/(?:browser|dashboard)\.ts'/]

const { Base, Spec } = Mocha.reporters
type Seen = { readonly stats: Mocha.Stats; readonly failures: readonly Mocha.Test[] }

await main()

async function main(): Promise<void> {
  const startedAt = Date.now()
  const quick = process.argv.includes('--quick')
  const files = globSync('test/**/*.test.ts')
    .sort()
    .filter((file) => !quick || (isQuick(file) && !measuring.includes(file)))
  const place = (file: string) => order.findIndex((folder) => file.startsWith(folder))
  const others = files.filter((file) => !measuring.includes(file))
  const importing = (shared: RegExp) => others.filter((file) => shared.test(readFileSync(file, 'utf8')))
  const together = sharing.map(importing)
  const apart = others.filter((file) => !together.flat().includes(file)).toSorted((a, b) => place(a) - place(b))
  const there = (wanted: readonly string[]) => wanted.filter((file) => files.includes(file))
  const hooks = quick ? ['./test/quick.ts'] : []
  const runAny = async (some: readonly string[], jobs: number) =>
    some.length > 0 ? [await run(some, jobs, hooks)] : []
  const seen = [
    ...(await runAny([...together.flatMap(combined), ...apart], besideEachOther)),
    ...(await Promise.all([runAny(there(oneToACore), availableParallelism()), runAny(there([besideThem]), 1)])).flat(),
  ]
  process.exit(summarise(seen, Date.now() - startedAt) === 0 ? 0 : 1)
}

/** Writes a file that imports all of these files. */
function combined(files: readonly string[]): readonly string[] {
  if (files.length === 0) return []
  const made = path.join(mkdtempSync(path.join(tmpdir(), 'suite-')), 'together.test.mjs')
  writeFileSync(made, files.map((file) => `import '${pathToFileURL(file)}'\n`).join(''))
  return [made]
}

/** Runs files, `jobs` at a time, and prints their progress as mocha does, without the summary. */
function run(files: readonly string[], jobs: number, hooks: readonly string[]): Promise<Seen> {
  return new Promise((resolve) => {
    class Progress extends Spec {
      override epilogue(): void {
        resolve(this)
      }
    }
    const options = JSON.parse(readFileSync('.mocharc.json', 'utf8')) as Mocha.MochaOptions
    // No colours without a terminal, so that programs can read the summary (.ci/run).
    const color = process.stdout.isTTY === true
    const mocha = new Mocha({ ...options, color, parallel: true, jobs, require: [...hooks], reporter: Progress })
    for (const file of files) mocha.addFile(file)
    mocha.run()
  })
}

/** Prints mocha's summary over several runs. Returns how many tests failed. */
function summarise(seen: readonly Seen[], tookMs: number): number {
  const sum = (count: (stats: Mocha.Stats) => number) => seen.reduce((total, { stats }) => total + count(stats), 0)
  const stats = {
    passes: sum(({ passes }) => passes),
    pending: sum(({ pending }) => pending),
    failures: sum(({ failures }) => failures),
    duration: tookMs,
  }
  Base.prototype.epilogue.call({ stats, failures: seen.flatMap(({ failures }) => failures) })
  return stats.failures
}
