/**
 * `npm run check -- runtimes [NAME]`: the TypeScript package, as published, makes the calls of the README and some difficult ones
 * (test/sdk/program.js) against a real service in Node 18, the installed Node, Bun, Deno and workerd (the runtime of Cloudflare
 * Workers), and its fixtures run in tests of Vitest and Playwright. npm installs the runtimes into a temporary folder; one that cannot
 * be installed is skipped with a line that says so. NAME runs one alone.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inspect, promisify } from 'node:util'
import { expect } from 'chai'
import { sendMail } from '../peers/send-mail.ts'
import { type RunnerOptions, runInRunner } from '../sdk/runners.ts'
import { installPackage, modules, otherNodes, runProgram } from '../sdk/runtimes.ts'
import { expected, openStage } from '../sdk/stage.ts'
import { runInWorker } from '../sdk/worker.ts'
import { makeTenant } from '../start/door.ts'
import { inContext, startService } from '../start/service.ts'

const execute = promisify(execFile)
const installMs = 300_000

/** Runs the program once; `given.runtime` is the folder in which npm installed the runtime. */
type Use = (given: RunnerOptions) => Promise<void>
type Runtime = {
  readonly name: string
  /** The package that npm installs for it, with its major version; null if none is needed. */
  readonly needs: string | null
  /** One run for each way the runtime can load the package, named by its module system. */
  readonly uses: { readonly [modules: string]: Use }
}

/** Runs for a runtime with a command line; `find` returns its command in the folder in which npm installed it. */
const commandLine = (find: (folder: string) => readonly string[]) =>
  Object.fromEntries(
    Object.entries(modules).map(([name, file]): [string, Use] => [
      name,
      async (given) => {
        expect(await runProgram(find(given.runtime), { ...given, file })).to.deep.equal(expected)
      },
    ]),
  )
const binary =
  (name: string, ...args: readonly string[]) =>
  (folder: string) => [path.join(folder, 'node_modules', '.bin', name), ...args]

const runtimes: readonly Runtime[] = [
  { name: 'Node 18', needs: 'node@18', uses: commandLine(binary('node')) },
  { name: 'the Node of the machine', needs: null, uses: commandLine(otherNodes) },
  { name: 'Bun', needs: 'bun@1', uses: commandLine(binary('bun')) },
  {
    name: 'Deno',
    needs: 'deno@2',
    uses: commandLine(binary('deno', 'run', '--quiet', '--allow-net', '--allow-env', '--allow-read')),
  },
  {
    name: 'workerd',
    needs: 'miniflare@4',
    uses: {
      'ES modules': async (given) => {
        expect(await runInWorker(given)).to.deep.equal(expected)
      },
    },
  },
  {
    name: 'Vitest',
    needs: 'vitest@4',
    uses: { fixtures: (given) => runInRunner({ runner: 'vitest', command: ['vitest', 'run'] }, given) },
  },
  {
    name: 'Playwright',
    needs: '@playwright/test@1',
    uses: { fixtures: (given) => runInRunner({ runner: '@playwright/test', command: ['playwright', 'test'] }, given) },
  },
]

export async function run([only]: readonly string[]): Promise<boolean> {
  const chosen = runtimes.filter(({ name }) => only === undefined || name === only)
  if (chosen.length === 0) throw new Error(`There are: ${runtimes.map(({ name }) => name).join(', ')}.`)
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-runtimes-'))
  const service = await startService()
  const { key } = await inContext(service, (ctx) => makeTenant({ ctx, http: service.http }, { name: 'runtimes' }))
  const stage = await openStage(service.http, (to, raw) =>
    sendMail(service.smtp, { from: 'shop@remote.example', to, raw: Buffer.from(raw) }),
  )
  try {
    await installPackage(path.join(folder, 'program'))
    const given = { folder: path.join(folder, 'program'), stage, key, domain: 'runtimes.example' }
    let isRight = true
    for (const { name, needs, uses } of chosen) {
      const runtime = path.join(folder, name.replaceAll(' ', '-'))
      const version = needs === null ? await versionOf(otherNodes()[0]) : await install(runtime, needs)
      if (version === undefined) {
        console.log(
          `${name}: skipped, because ${needs === null ? 'there is none' : `npm could not install ${needs} here`}`,
        )
        continue
      }
      for (const [kind, use] of Object.entries(uses)) {
        const problem = await use({ ...given, runtime }).then(
          () => null,
          (error: unknown) => error,
        )
        console.log(`${name} (${version}), ${kind}: ${problem === null ? 'passed' : inspect(problem)}`)
        isRight &&= problem === null
      }
    }
    return isRight
  } finally {
    await stage.close()
    await service.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Installs a package into a folder of its own. Returns its version, or undefined if it cannot be installed. */
async function install(folder: string, what: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), '{"private": true}')
  const options = { cwd: folder, timeout: installMs }
  try {
    await execute('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', what], options)
    const name = what.replace(/@[^@]*$/, '')
    return JSON.parse(await readFile(path.join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

async function versionOf(node: string | undefined): Promise<string | undefined> {
  return node === undefined ? undefined : (await execute(node, ['--version'])).stdout.trim()
}
