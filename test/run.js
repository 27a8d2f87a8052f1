// `npm test`: installs what is missing, then runs the tests under the Node 24 of node_modules. Without arguments all of them,
// with --quick those that start no process (test/suite.ts). Other arguments go to mocha, which runs the files that they name,
// all of them one after the other when they name none.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, nodePath } from '../cli/install.js'

ensureInstalled()
const root = fileURLToPath(new URL('..', import.meta.url))
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const args = process.argv.slice(2)
const namesFiles = args.some((argument) => argument.endsWith('.ts'))
// --exit: Agenda leaves timers of jobs to come behind when it stops, and nobody may wait for those.
const isSuite = args.every((argument) => argument === '--quick')
const command = isSuite
  ? [path.join(root, 'test', 'suite.ts'), ...args]
  : [mocha, '--exit', ...args, ...(namesFiles ? [] : ['test/**/*.test.ts'])]
// What tests leave behind, also when they are interrupted: a folder that they take for the system's, and whoever is still
// there of the processes that they started.
const folder = mkdtempSync(path.join(tmpdir(), 'mailroom-'))
const child = spawn(nodePath, ['--disable-warning=ExperimentalWarning', ...command], {
  cwd: root,
  stdio: 'inherit',
  detached: true,
  env: { ...process.env, TMPDIR: folder },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => tellAll(signal))
child.on('exit', (code) => {
  tellAll('SIGTERM')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  process.exit(code ?? 1)
})

/** Tells the whole process group of the tests. */
function tellAll(signal) {
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
