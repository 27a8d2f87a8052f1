/**
 * Runs the conformance suites of the protocol (modelcontextprotocol/conformance) against our endpoint: every scenario that a revision
 * requires must pass, except those listed here as not applicable.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parse } from 'yaml'
import { makeTenant, openDoor } from '../start/door.ts'
import { conformanceOffer } from './offer.ts'

type Suite = {
  readonly name: string
  /** The package that contains the suite. */
  readonly by: string
  readonly arguments: readonly string[]
  /** Its arguments when it runs one scenario. */
  readonly forOne: readonly string[]
  /** Scenarios that need deprecated features, which are not implemented, each with the reason. */
  readonly notApplicable: Readonly<Record<string, string>>
}

const deprecated = 'not applicable: sampling and logging are deprecated since 2026-07-28 and not offered'
const resumable =
  'not applicable: answers are not kept for a client that comes back; the suite itself does not score it'
const ofEarlier = {
  'logging-set-level': deprecated,
  'tools-call-with-logging': deprecated,
  'tools-call-sampling': deprecated,
  'server-sse-polling': resumable,
}

/** The scenarios that the newest suite runs without scoring them, with the reasons from its frozen list for the revision. */
async function notScored(revision: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(path.join(folderOf(newest), 'requirements', `${revision}.yaml`), 'utf8')
  const { not_scored: entries } = parse(text) as { not_scored: readonly { scenario: string; reason: string }[] }
  return Object.fromEntries(entries.map(({ scenario, reason }) => [scenario, `not scored by the suite: ${reason}`]))
}

export const newest = '@modelcontextprotocol/conformance'

const suites: readonly Suite[] = [
  {
    name: '2026-07-28',
    by: newest,
    arguments: ['--requirements', '2026-07-28'],
    forOne: ['--spec-version', '2026-07-28'],
    notApplicable: await notScored('2026-07-28'),
  },
  {
    name: '2025-11-25',
    by: newest,
    arguments: ['--requirements', '2025-11-25'],
    forOne: ['--spec-version', '2025-11-25'],
    notApplicable: { ...(await notScored('2025-11-25')), ...ofEarlier },
  },
  {
    name: '2025-11-25, by the suite of its time',
    by: 'conformance-2025',
    arguments: ['--suite', 'all'],
    forOne: [],
    notApplicable: ofEarlier,
  },
]

type Check = { readonly status: string; readonly name: string; readonly errorMessage?: string }
type Scenario = { readonly name: string; readonly failures: readonly Check[]; readonly passed: number }

/** Runs all suites, or one scenario of each. Returns 0 if every required scenario passed. */
export async function run([scenario]: readonly string[]): Promise<number> {
  const door = await openDoor({ isNamed: true, offers: [conformanceOffer] })
  const { key } = await makeTenant(door, { name: 'conformance' })
  const url = `${door.ctx.baseUrl}/api/mcp/${key}`
  let failed = 0
  try {
    for (const suite of suites) failed += await runSuite(suite, url, scenario)
  } finally {
    await door.close()
  }
  return failed === 0 ? 0 : 1
}

async function runSuite(suite: Suite, url: string, only: string | undefined): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'conformance-'))
  try {
    const chosen = only === undefined ? suite.arguments : [...suite.forOne, '--scenario', only]
    const output = await runPackage(suite.by, ['server', '--url', url, '--output-dir', folder, ...chosen])
    const scenarios = await scenariosIn(folder)
    if (scenarios.length === 0 && only === undefined) throw new Error(`Nothing was run: ${output}`)
    return report(suite, scenarios)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the program of a package in a process of its own and passes its output to `tell`. Its exit status adds nothing to the results.
 */
export async function runPackage(
  name: string,
  args: readonly string[],
  tell: (text: string) => void = () => undefined,
): Promise<string> {
  const program = path.join(folderOf(name), 'dist', 'index.js')
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => {
    lines.push(chunk)
    tell(chunk.toString())
  })
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk))
  await once(child, 'close')
  return Buffer.concat(lines).toString()
}

function folderOf(name: string): string {
  return path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
}

/** Reads the scenarios in a result folder: each leaves a folder `server-NAME-TIME` with its checks. */
export async function scenariosIn(folder: string): Promise<readonly Scenario[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'))
  return Promise.all(
    files.sort().map(async (file) => {
      const checks: readonly Check[] = JSON.parse(await readFile(path.join(folder, file), 'utf8'))
      const name = path
        .basename(path.dirname(file))
        .replace(/^server-/, '')
        .replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      const failures = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      return { name, failures, passed: checks.filter(({ status }) => status === 'SUCCESS').length }
    }),
  )
}

export function report(
  { name, notApplicable }: Pick<Suite, 'name' | 'notApplicable'>,
  scenarios: readonly Scenario[],
): number {
  let failed = 0
  console.log(`\n${name}: ${scenarios.length} scenarios`)
  for (const { name: scenario, failures, passed } of scenarios) {
    const reason = notApplicable[scenario]
    if (failures.length === 0) console.log(`  ok   ${scenario}: ${passed} checks`)
    else if (reason !== undefined) console.log(`  -    ${scenario}: ${reason}`)
    else {
      failed += 1
      console.log(`  BAD  ${scenario}: ${passed} checks passed`)
      for (const check of failures) console.log(`         ${check.status} ${check.name}: ${check.errorMessage ?? ''}`)
    }
  }
  return failed
}
