/**
 * `npm run check -- differential URL [--count 3000] [--seed N]`: compares the embedded engine with the server at URL.
 *
 * Both run the rules of `test/engine/refusals`, then `count` random cases. Each disagreement is counted and printed in its smallest
 * form, with the seed that reproduces it (`--count 1`). The databases on the server have unique names and are dropped afterwards.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { EJSON } from 'bson'
import { type Db, type Document, MongoClient } from 'mongodb'
import { serverOf } from '../engine/differential/answers.ts'
import { caseOf, compareCase, type Disagreement } from '../engine/differential/compare.ts'
import { commandRules } from '../engine/refusals/commands.ts'
import { filterRules } from '../engine/refusals/filters.ts'
import { pipelineRules } from '../engine/refusals/pipelines.ts'
import { codeOf } from '../engine/refusals/rules.ts'
import { writeRules } from '../engine/refusals/writes.ts'
import { startEngine } from '../start/engine.ts'

const usage = 'usage: npm run check -- differential URL [--count 3000] [--seed N]'
const countMax = 10_000_000
const seedMax = 2 ** 31 - 1
const lanesMax = 16

/** @returns whether both gave the same answers throughout */
export async function run(args: readonly string[]): Promise<boolean> {
  const { url, count, seed } = readOptions(args)
  const client = await new MongoClient(url, { serverSelectionTimeoutMS: 10_000 }).connect()
  const engine = await startEngine()
  const name = `engine_differential_${randomBytes(4).toString('hex')}`
  const lanes = Array.from({ length: lanesMax }, (_, lane): readonly [Db, Db] => [
    engine.client.db(`${name}_${lane}`),
    client.db(`${name}_${lane}`),
  ])
  const [ours, theirs] = lanes[0]!
  try {
    console.log(`engine  ${await versionOf(ours)}`)
    console.log(`server  ${await versionOf(theirs)}`)
    const rules = await compareRules(ours, theirs)
    console.log(`rules   ${totals(rules)}`)
    const cases = await compareCases(lanes, count, seed)
    console.log(`cases   ${totals(cases)}, seed ${seed}`)
    return rules.different + cases.different === 0
  } finally {
    for (const [, used] of lanes) await used.dropDatabase()
    await client.close()
    await engine.stop()
  }
}

type Counts = { readonly all: number; readonly different: number }

const totals = ({ all, different }: Counts) => `${all}: ${all - different} the same, ${different} different`

async function compareRules(ours: Db, theirs: Db): Promise<Counts> {
  let all = 0
  let different = 0
  for (const [source, some] of [commandRules, filterRules, pipelineRules, writeRules].flatMap((rules) =>
    Object.entries(rules),
  )) {
    for (const [name, command] of some) {
      all++
      const [engine, server] = await Promise.all([codeOf(ours, command), codeOf(theirs, command)])
      if (engine === server) continue
      different++
      console.log(
        `\nrule: ${name} (${source})\n  ${EJSON.stringify(command)}\n  engine  ${engine}\n  server  ${server}`,
      )
    }
  }
  return { all, different }
}

/** Runs several cases in parallel, each lane in a database of its own, because a case spends most of its time waiting for the disk. */
async function compareCases(lanes: readonly (readonly [Db, Db])[], count: number, seed: number): Promise<Counts> {
  let next = 0
  let different = 0
  const lane = async ([ours, theirs]: readonly [Db, Db]) => {
    while (next < count) {
      const own = (seed + next++) % seedMax
      const disagreement = await compareCase([serverOf(ours), serverOf(theirs)], caseOf(own))
      if (disagreement === undefined) continue
      different++
      console.log(shown(disagreement, own))
    }
  }
  await Promise.all(lanes.map(lane))
  return { all: count, different }
}

function shown({ smallest, command, answers: [engine, server] }: Disagreement, seed: number): string {
  const list = (title: string, items: readonly Document[]) =>
    items.map((item) => `  ${title}  ${EJSON.stringify(item)}`)
  return [
    `\ncase: --seed ${seed} --count 1`,
    ...list('document', smallest.docs),
    ...list('index   ', smallest.indexes),
    ...list('command ', smallest.steps),
    `  differs at  ${EJSON.stringify(command)}`,
    `  engine  ${engine}`,
    `  server  ${server}`,
  ].join('\n')
}

async function versionOf(db: Db): Promise<string> {
  const { version, product } = await db.command({ buildInfo: 1 })
  return product === undefined ? version : `${version}, ${product}`
}

function readOptions(args: readonly string[]): { readonly url: string; readonly count: number; readonly seed: number } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '3000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const [url, ...others] = positionals
  if (url === undefined || others.length > 0) throw new Error(usage)
  return { url, count: whole(values.count, countMax), seed: whole(values.seed, seedMax) }
}

function whole(text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > most) throw new Error(`${text} is not between 0 and ${most}.`)
  return value
}
