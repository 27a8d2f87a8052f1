// `npm test`: installs what is missing, then runs mocha under the Node 24 of node_modules. Arguments go to mocha: without
// any, all tests run.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, nodePath } from '../cli/install.js'

ensureInstalled()
const root = fileURLToPath(new URL('..', import.meta.url))
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js')
const args = process.argv.slice(2)
// --exit: Agenda leaves timers of jobs to come behind when it stops, and nobody may wait for those.
const { status } = spawnSync(
  nodePath,
  ['--disable-warning=ExperimentalWarning', mocha, '--exit', ...(args.length > 0 ? args : ['test/**/*.test.ts'])],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
process.exit(status ?? 1)
