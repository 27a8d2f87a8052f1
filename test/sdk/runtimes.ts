/** The package as it is published, and the program that uses it (program.js) in the runtimes that there are. */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Stage } from './stage.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
/** Less than mocha's limit. */
const patienceMs = 170_000

/** Beside the program: how each kind of module gets the package. */
const starts = {
  'use.mjs':
    "import * as sdk from 'mailroom-sdk'\nimport 'mailroom-sdk/testing'\nimport 'mailroom-sdk/verify-webhook'\n",
  'use.cjs': [
    ...[
      "const sdk = require('mailroom-sdk')",
      "require('mailroom-sdk/testing')",
      "require('mailroom-sdk/verify-webhook')",
    ],
    '',
  ].join('\n'),
} as const
const rest = `const given = JSON.parse(process.env.STAGE)
import('./program.js')
  .then(({ use }) => use(sdk, given))
  .then((seen) => console.log(JSON.stringify(seen)))
`

export const modules = { 'ES modules': 'use.mjs', CommonJS: 'use.cjs' } as const

/** Builds the package into a folder as if it had been installed there, with programs beside it. */
export async function installPackage(folder: string): Promise<void> {
  const sdk = path.join(root, 'sdk')
  const home = path.join(folder, 'node_modules', 'mailroom-sdk')
  await mkdir(home, { recursive: true })
  await run(process.execPath, [path.join(sdk, 'build.js'), path.join(home, 'dist')])
  await cp(path.join(sdk, 'package.json'), path.join(home, 'package.json'))
  await cp(path.join(root, 'test/sdk/program.js'), path.join(folder, 'program.js'))
  await writeFile(path.join(folder, 'package.json'), '{"type": "module", "dependencies": {"mailroom-sdk": "*"}}')
  for (const [file, start] of Object.entries(starts)) await writeFile(path.join(folder, file), start + rest)
}

export type ProgramOptions = {
  readonly folder: string
  readonly file: string
  readonly stage: Stage
  readonly key: string
  readonly domain: string
}

/** Has a runtime run the program. Returns what the program saw; rejects with what it said when it failed. */
export async function runProgram(
  [command = '', ...args]: readonly string[],
  { folder, file, stage, key, domain }: ProgramOptions,
): Promise<unknown> {
  const given = { ...stage, key, domain, hasEnvironment: true }
  const { stdout } = await run(command, [...args, path.join(folder, file)], {
    cwd: folder,
    env: { HOME: folder, MAILROOM_BASE_URL: stage.http, STAGE: JSON.stringify(given) },
    timeout: patienceMs,
  })
  return JSON.parse(stdout)
}

/** The Node that the PATH has outside of this project, if any. */
export function otherNodes(): readonly string[] {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((each) => !each.includes('node_modules'))
    .flatMap((each) => globSync(path.join(each, 'node')))
    .slice(0, 1)
}
