// Installs the dependencies when they are missing or older than the lock file. Plain JavaScript for any Node from 20 on.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = path.join(root, 'node_modules')

/** The Node 24 that npm installed. */
export const nodePath = path.join(modules, 'node', 'bin', 'node')

/**
 * Returns whether anything had to be installed; ends the process with status 1 if that fails. The program that is started next keeps its
 * compiled code in node_modules, which halves the time of a start.
 */
export function ensureInstalled() {
  process.env.NODE_COMPILE_CACHE ??= path.join(modules, '.cache', 'compile')
  if (isInstalled()) return false
  console.error('Installing what is missing (once) ...')
  // npm install, not npm ci: ci deletes node_modules first, and with it the compiled code and the dashboard inside it.
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    // Standard output belongs to the program that starts next.
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) {
    console.error(
      `npm install failed. Run it in ${root} as a user who may write there, fix what it reports, and start again.`,
    )
    process.exit(1)
  }
  return true
}

function isInstalled() {
  const mark = path.join(modules, '.package-lock.json')
  const lock = path.join(root, 'package-lock.json')
  if (!existsSync(nodePath) || !existsSync(mark)) return false
  return !existsSync(lock) || statSync(mark).mtimeMs >= statSync(lock).mtimeMs
}
