/**
 * Builds the dashboard from its sources (web/): once for each state of the sources, in a separate process that runs at low priority and
 * ends when it is done. Builds are kept side by side under the hash of their sources, so services and tests share them.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Dashboard } from '../api/dashboard.ts'
import type { Context } from '../core/process/context.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The input of a build; the lock file stands for the libraries. */
const sources = [
  'web/**/*.{ts,svelte,css,html}',
  'sdk/*.ts',
  'sdk/generated/*.ts',
  'package-lock.json',
  'cli/web-build*.ts',
]

/** The script that makes a build in a folder. */
export const buildScript = path.join(root, 'cli', 'web-build-main.ts')

/** The folder for the build of the current sources, whether or not it exists yet. */
export async function buildFolder(): Promise<string> {
  const hash = createHash('sha256')
  const files: string[] = []
  for await (const file of glob(sources, { cwd: root, exclude: ['**/node_modules/**'] })) files.push(file)
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(await readFile(path.join(root, file)))
      .update('\0')
  return path.join(root, 'node_modules', '.cache', 'mailroom-web', hash.digest('hex').slice(0, 32))
}

export type MadeDashboard = Dashboard & {
  /** Starts the build if there is none. Called once the service is ready, because it would slow down the start. */
  begin(): void
  stop(): Promise<void>
}

/** The dashboard of a service. */
export function dashboardOf({ log }: Pick<Context, 'log'>): MadeDashboard {
  let state: ReturnType<Dashboard['state']> = { is: 'being made' }
  let child: ChildProcess | null = null
  let hasBegun = false
  const make = async () => {
    const folder = await buildFolder()
    if (!existsSync(folder)) await run(folder)
    state = { is: 'made', folder }
  }
  const run = (folder: string) =>
    new Promise<void>((resolve, reject) => {
      const startedAt = performance.now()
      child = fork(buildScript, [folder], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...environment(), NODE_ENV: 'production' },
      })
      let said = ''
      child.stderr?.on('data', (piece: Buffer) => {
        said = `${said}${piece}`.slice(-4_000)
      })
      child.once('error', reject)
      child.once('close', (code) => {
        child = null
        if (code === 0) log.info({ ms: Math.round(performance.now() - startedAt) }, 'the dashboard was made')
        if (code === 0) resolve()
        else reject(new Error(said === '' ? 'The build was ended.' : said))
      })
    })
  return {
    state: () => state,
    begin() {
      if (hasBegun) return
      hasBegun = true
      make().catch((error: unknown) => {
        state = { is: 'not made' }
        log.error({ err: error }, 'the dashboard could not be made')
      })
    },
    async stop() {
      child?.kill()
    },
  }
}

/** The environment of the build, which needs no secrets. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE }
}
