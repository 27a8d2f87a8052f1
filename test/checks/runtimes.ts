/**
 * `npm run check -- runtimes`: the TypeScript package, as it is published, makes the calls of the README and the awkward ones
 * (test/sdk/program.js) against a real service in Node 18, the Node of the machine, Bun, Deno and workerd, the runtime of Cloudflare
 * Workers. npm installs them into a folder that goes away; one that cannot be had is skipped with a line.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { sendMail } from '../peers/send-mail.ts'
import { installPackage, modules, otherNodes, type ProgramOptions, runProgram } from '../sdk/runtimes.ts'
import { expected, openStage } from '../sdk/stage.ts'
import { runInWorker } from '../sdk/worker.ts'
import { makeTenant } from '../start/door.ts'
import { inContext, startService } from '../start/service.ts'

const execute = promisify(execFile)
const installMs = 300_000

/** `runtime` is the folder in which npm installed it. */
type Use = (given: Omit<ProgramOptions, 'file'> & { readonly runtime: string }) => Promise<unknown>
type Runtime = {
  readonly name: string
  /** What npm installs for it, with the major version. */
  readonly needs: string | null
  /** Runs the program in each way that the runtime can load the package, named by its kind of modules. */
  readonly uses: { readonly [modules: string]: Use }
}

/** A command that runs files, as `find` finds it in the folder in which npm installed. */
const commandLine = (find: (folder: string) => readonly string[]) =>
  Object.fromEntries(
    Object.entries(modules).map(([name, file]): [string, Use] => [
      name,
      (given) => runProgram(find(given.runtime), { ...given, file }),
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
  { name: 'workerd', needs: 'miniflare@4', uses: { 'ES modules': runInWorker } },
]

export async function run(): Promise<boolean> {
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
    for (const { name, needs, uses } of runtimes) {
      const runtime = path.join(folder, name.replaceAll(' ', '-'))
      const version = needs === null ? await versionOf(otherNodes()[0]) : await install(runtime, needs)
      if (version === undefined) {
        console.log(
          `${name}: skipped, because ${needs === null ? 'there is none' : `npm could not install ${needs} here`}`,
        )
        continue
      }
      for (const [kind, use] of Object.entries(uses)) {
        const seen = await use({ ...given, runtime }).catch((error: unknown) => String(error))
        const problem = differenceOf(seen)
        console.log(`${name} (${version}), ${kind}: ${problem ?? 'passed'}`)
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

/** Installs a package into a folder of its own. Returns its version; undefined when that cannot be had. */
async function install(folder: string, what: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'package.json'), '{"private": true}')
  const options = { cwd: folder, timeout: installMs }
  try {
    await execute('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', what], options)
    const [name = ''] = what.split('@')
    return JSON.parse(await readFile(path.join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

async function versionOf(node: string | undefined): Promise<string | undefined> {
  return node === undefined ? undefined : (await execute(node, ['--version'])).stdout.trim()
}

/** What is wrong with what a program saw; null when nothing is. */
function differenceOf(seen: unknown): string | null {
  try {
    expect(seen).to.deep.equal(expected)
    return null
  } catch {
    return `failed, with ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`
  }
}
