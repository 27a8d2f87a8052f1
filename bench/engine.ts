/**
 * Measures the embedded database through the driver: documents of 10 KB with 5 indexes, once with the machine's own sync and
 * once with 3 ms added to each sync. For comparison it also measures the machine without the engine. See README.md.
 */
import { parseArgs } from 'node:util'
import { type Started, startEngine } from '../test/start/engine.ts'
import { bareWriter, updatesPerSecond } from './engine-baseline.ts'
import { type Big, measureBig } from './engine-large-database.ts'
import { commandsOn, type Loop, loop, prepare, row } from './engine-loads.ts'
import { median, shown, spread, table } from './figures.ts'
import { machineCpuMs } from './processes.ts'

const rounds = { whole: 5, quick: 1 } as const
const loopMs = { whole: 900, quick: 400 } as const
const slowSyncMs = 3
const gigabytesDefault = 0.3
const writersBesideReads = 20

type Sync = 'own' | 'slow'
type Bench = {
  readonly engine: Started
  readonly sync: Sync
  readonly commands: ReturnType<typeof commandsOn>
  readonly bare: ReturnType<typeof bareWriter>
}

/**
 * One row of the table. `demand` is the least rate per second, or the most ms; it is absent for rows without a goal, such as those
 * that measure the machine for comparison.
 */
type Item = {
  readonly name: string
  readonly unit: 'per s' | 'ms'
  readonly demand?: { readonly [sync in Sync]?: number }
  readonly measure: (bench: Bench, ms: number) => Promise<Measured>
}
type Measured = { readonly figure: number; readonly loop?: Loop }

const rate = (name: string, connections: number, command: keyof Bench['commands'], demand?: Item['demand']): Item => ({
  name: `${name}, c=${connections}`,
  unit: 'per s',
  demand,
  async measure({ engine, commands }, ms) {
    const found = await loop(engine, { connections, ms }, commands[command])
    return { figure: found.perSecond, loop: found }
  },
})

const bare = (group: number): Item => ({
  name: `bare SQLite, ${group} to a commit`,
  unit: 'per s',
  measure: async ({ bare: writer }, ms) => ({ figure: writer.perSecond(group, ms) }),
})

const items: readonly Item[] = [
  rate('ping', 1, 'ping'),
  rate('ping', 50, 'ping'),
  bare(1),
  bare(10),
  bare(50),
  rate('durable insert', 1, 'insert', { own: 1_200, slow: 150 }),
  rate('durable insert', 10, 'insert', { own: 3_500, slow: 900 }),
  rate('durable insert', 50, 'insert', { own: 4_500, slow: 2_500 }),
  rate('findOneAndUpdate', 1, 'claim', { own: 800, slow: 150 }),
  rate('findOneAndUpdate', 20, 'claim', { own: 2_000, slow: 1_000 }),
  rate('find by _id', 1, 'find', { own: 3_500 }),
  rate('find by _id', 50, 'find', { own: 7_000 }),
  rate('find 1 KB by an index', 1, 'findSmall'),
  rate('page of 50 x 1 KB', 1, 'page', { own: 600 }),
  { name: 'read p99 beside 20 writers', unit: 'ms', demand: { own: 15, slow: 20 }, measure: readsBesideWriters },
  {
    name: 'write p99, c=10',
    unit: 'ms',
    demand: { own: 15, slow: 60 },
    async measure({ engine, commands }, ms) {
      const found = await loop(engine, { connections: 10, ms }, commands.insert)
      return { figure: found.p99Ms, loop: found }
    },
  },
  {
    name: 'update of 1 KB, no server',
    unit: 'per s',
    demand: { own: 60_000 },
    measure: async (_, ms) => ({ figure: updatesPerSecond(ms) }),
  },
]
/** Items that do not write. They are not measured with a slow sync, which makes no difference to them. */
const readOnly = /^(?:ping|find by|find 1|page|update of)/

/** Runs the bench. Options: --quick, --gb N (size of the large database, 0 for none), --only TEXT, --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      gb: { type: 'string', default: String(gigabytesDefault) },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
    },
  })
  const kind = values.quick ? 'quick' : 'whole'
  if (values.profile !== undefined) process.env.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${values.profile}`
  const benches = [await start('own'), await start('slow')]
  const chosen = items.filter(({ name }) => name.includes(values.only))
  const measured = new Map<string, Measured[]>()
  const cpu = machineCpuMs()
  const began = performance.now()
  try {
    for (let round = 0; round < rounds[kind] + 1; round++) {
      for (const item of chosen) {
        for (const bench of benches) {
          if (bench.sync === 'slow' && readOnly.test(item.name)) continue
          const found = await item.measure(bench, loopMs[kind])
          // The first round is a warm-up.
          if (round > 0) keep(measured, keyOf(item, bench.sync), found)
        }
      }
    }
  } finally {
    for (const { engine, bare: writer } of benches) {
      writer.close()
      await engine.stop()
    }
  }
  const busy = (machineCpuMs() - cpu) / (performance.now() - began)
  console.log(report(chosen, measured))
  console.log(`\nThe machine had ${shown(busy)} cores at work on average, this bench included.\n`)
  const gigabytes = Number(values.gb)
  if (gigabytes > 0 && values.only === '') console.log(reportBig(await measureBig(gigabytes)))
}

async function start(sync: Sync): Promise<Bench> {
  const delay = sync === 'slow' ? slowSyncMs : 0
  const engine = await startEngine({ args: ['--sync-delay-ms', String(delay)], client: { maxPoolSize: 100 } })
  const ids = await prepare(engine, 'large', 'large')
  await prepare(engine, 'small', 'small')
  return { engine, sync, commands: commandsOn(engine, ids), bare: bareWriter(delay) }
}

async function readsBesideWriters({ engine, commands }: Bench, ms: number): Promise<Measured> {
  const large = engine.db.collection<ReturnType<typeof row>>('large')
  let done = false
  const writer = async () => {
    while (!done) await large.insertOne(row())
  }
  const writers = Array.from({ length: writersBesideReads }, writer)
  const found = await loop(engine, { connections: 1, ms }, commands.find)
  done = true
  await Promise.all(writers)
  return { figure: found.p99Ms }
}

const keyOf = ({ name }: Item, sync: Sync) => `${name} ${sync}`

function keep(measured: Map<string, Measured[]>, key: string, found: Measured): void {
  measured.set(key, [...(measured.get(key) ?? []), found])
}

function report(chosen: readonly Item[], measured: ReadonlyMap<string, readonly Measured[]>): string {
  const columns = (item: Item, sync: Sync): string[] => {
    const found = measured.get(keyOf(item, sync)) ?? []
    if (found.length === 0) return ['', '', '']
    const demand = item.demand?.[sync]
    const figure = median(found.map((run) => run.figure))
    const met = demand === undefined ? '' : (item.unit === 'ms' ? figure <= demand : figure >= demand) ? 'yes' : 'no'
    return [demand === undefined ? '' : String(demand), spread(found.map((run) => run.figure)), met]
  }
  const cpu = (item: Item): string => {
    const loops = (measured.get(keyOf(item, 'own')) ?? []).flatMap((run) => run.loop ?? [])
    if (loops.length === 0) return ''
    return `${shown(median(loops.map((l) => l.engineCpuUs)))} / ${shown(median(loops.map((l) => l.clientCpuUs)))}`
  }
  return table(
    ['item', 'unit', 'demand', 'own sync', 'met', 'demand', '+3 ms', 'met', 'CPU us engine / client'],
    chosen.map((item) => [item.name, item.unit, ...columns(item, 'own'), ...columns(item, 'slow'), cpu(item)]),
  )
}

function reportBig({ gigabytes, openMs, firstAnswerMs, rssMb, offeredMb, loadedRssMb }: Big): string {
  const line = (name: string, demand: number, figure: number) => [
    name,
    String(demand),
    shown(figure),
    figure < demand ? 'yes' : 'no',
  ]
  return table(
    ['large database', 'demand', 'measured', 'met'],
    [
      line(`${gigabytes} GB, open after kill -9 (ms)`, 2_000, openMs),
      line('until the first answer (ms)', 2_000, firstAnswerMs),
      line('memory after use (MB)', 400, rssMb),
      line(`most memory with ${offeredMb} MB of requests offered (MB)`, 400, loadedRssMb),
    ],
  )
}
