/**
 * `npm run crash`: kills processes of a service under load, and then checks that everything it promised holds.
 *
 *   npm run crash -- engine ...      the embedded engine alone: see engine.ts
 *   npm run crash -- move ...        a database that moves while it is written: see move.ts
 *   npm run crash -- outbound ...    outgoing mail alone: 20 sends in each round
 *   npm run crash -- webhooks ...    mostly webhooks: more mail comes in, and their receiver refuses some
 *   npm run crash -- nodes ...       four nodes on one database; `--faults` makes connections to it fail too: see nodes.ts
 *   npm run crash -- [--rounds 50] [--seed N] [--senders 20] [--only engine,smtp]
 *
 * The exit status is 1 when a promise did not hold.
 */
import { parseArgs } from 'node:util'
import { run as runEngine } from './engine.ts'
import { runMoves } from './move.ts'
import { playNodes } from './nodes.ts'
import { canFindProcesses, type Victim, victims } from './parts.ts'
import type { Round } from './round.ts'
import { playRounds, type Reckoning } from './rounds.ts'

const roundsMax = 10_000
const sendersMax = 90

const [what, ...rest] = process.argv.slice(2)
if (what === 'engine') process.exit((await runEngine(rest)) ? 0 : 1)
else if (what === 'move') process.exit((await runMoves(rest)) ? 0 : 1)
else if (what === 'nodes') await mainOfNodes(rest)
else if (what === 'outbound') await main(rest, { rounds: 100, lettersEach: 0 })
else if (what === 'webhooks') await main(rest, { rounds: 50, lettersEach: 10, refusesOneIn: 7 })
else await main(process.argv.slice(2), { rounds: 50, lettersEach: 5 })

type Usual = {
  readonly rounds: number
  readonly lettersEach: number
  /** The webhook receiver refuses the first delivery of one in this many events; without it, none. */
  readonly refusesOneIn?: number
}

async function main(args: readonly string[], usual: Usual): Promise<void> {
  const { rounds, seed, senders, only } = readOptions(args, usual)
  if (!canFindProcesses) throw new Error('The processes of a service can only be found on Linux.')
  console.log(`${rounds} rounds, ${usual.lettersEach === 0 ? 'no' : senders} senders, seed ${seed}`)
  const volume = { senders, lettersEach: usual.lettersEach, clients: 4, sendsEach: 5 }
  await conclude(
    playRounds(
      { rounds, seed, victims: only, volume, untilCaughtUp: true, patience: 1, refusesOneIn: usual.refusesOneIn },
      (round, number) => console.log(lineOf(round, number)),
    ),
  )
}

async function mainOfNodes(args: readonly string[]): Promise<void> {
  const faults = args.includes('--faults')
  const usual = { rounds: 50, lettersEach: 5 }
  const given = args.filter((arg) => arg !== '--faults')
  const { rounds, seed, senders } = readOptions(given, usual)
  if (!canFindProcesses) throw new Error('The processes of a service can only be found on Linux.')
  console.log(`${rounds} rounds over four nodes, ${senders} senders, seed ${seed}${faults ? ', with faults' : ''}`)
  const volume = { senders, lettersEach: usual.lettersEach, clients: 4, sendsEach: 5 }
  await conclude(
    playNodes({ rounds, seed, volume, patience: 2, url: null, faults }, (round, number) =>
      console.log(lineOf(round, number)),
    ),
  )
}

/** Prints the result, and exits with its status. */
async function conclude(playing: Promise<Reckoning>): Promise<never> {
  const startedAt = Date.now()
  const reckoning = await playing
  console.log(summaryOf(reckoning, Date.now() - startedAt))
  const failed = violationsOf(reckoning).length > 0
  if (failed) console.log(`\nThe service's last lines:\n${reckoning.log}`)
  process.exit(failed ? 1 : 0)
}

function readOptions(
  args: readonly string[],
  usual: Usual,
): { rounds: number; seed: number; senders: number; only: Victim[] } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: String(usual.rounds) },
      senders: { type: 'string', default: '20' },
      only: { type: 'string', default: victims.join(',') },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const whole = (text: string, most: number) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`${text} is not between 1 and ${most}.`)
    return value
  }
  const only = values.only.split(',').map((name) => {
    const victim = victims.find((known) => known === name)
    if (victim === undefined) throw new Error(`${name} is none of ${victims.join(', ')}.`)
    return victim
  })
  return {
    only,
    rounds: whole(values.rounds, roundsMax),
    senders: whole(values.senders, sendersMax),
    seed: whole(values.seed, 2 ** 32),
  }
}

function lineOf(
  { victim, kills, letters, sends, repeats, swept, restartMs, tookMs, steps, ...counts }: Round,
  number: number,
): string {
  const { lost, duplicates, ambiguous, violations } = counts
  const columns = [
    `${String(number + 1).padStart(3)} ${`${victim}${kills > 1 ? ` x${kills}` : ''}`.padEnd(13)}`,
    `${letters} letters, ${sends} sends, ${repeats} repeats`,
    `${lost} lost, ${duplicates} double, ${ambiguous} ambiguous`,
    `swept ${swept.arrivals} arrivals, ${swept.folders} folders`,
    `up after ${restartMs} ms, took ${secondsOf(tookMs)} s: ${steps.map(([step, ms]) => `${step} ${secondsOf(ms)}`).join(', ')}`,
    violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`,
  ]
  return [columns.join(' | '), ...violations.map((violation) => `      ${violation}`)].join('\n')
}

function secondsOf(ms: number): string {
  return (ms / 1_000).toFixed(1)
}

function violationsOf({ rounds, violations }: Reckoning): string[] {
  return [...rounds.flatMap((round) => round.violations), ...violations]
}

function summaryOf(reckoning: Reckoning, tookMs: number): string {
  const { rounds, unusedBlobs } = reckoning
  const sum = (figure: (round: Round) => number) => rounds.reduce((total, round) => total + figure(round), 0)
  const spent = (rounds[0]?.steps ?? []).map(([step], n) => `${step} ${secondsOf(sum(({ steps }) => steps[n]![1]))}`)
  const worst = rounds.toSorted((a, b) => b.restartMs - a.restartMs)[0]!
  return [
    '',
    `rounds                 ${rounds.length} in ${(tookMs / 1000).toFixed(0)} s, ${sum(({ kills }) => kills)} kills`,
    `seconds of the rounds  ${spent.join(', ')}`,
    `acknowledged letters   ${sum(({ letters }) => letters)}`,
    `accepted sends         ${sum(({ sends }) => sends)}`,
    `repeated tries         ${sum(({ repeats }) => repeats)}`,
    `lost                   ${sum(({ lost }) => lost)}`,
    `duplicates             ${sum(({ duplicates }) => duplicates)}`,
    `ambiguous duplicates   ${sum(({ ambiguous }) => ambiguous)}`,
    `announced by a sweep   ${sum(({ swept }) => swept.arrivals)}`,
    `folders counted anew   ${sum(({ swept }) => swept.folders)}`,
    `unused blobs           ${unusedBlobs}`,
    `worst restart          ${worst.restartMs} ms (${worst.victim})`,
    `violations             ${violationsOf(reckoning).length}`,
    ...reckoning.violations,
  ].join('\n')
}
