#!/usr/bin/env node
// Runs on any Node from 20 on: installs what is missing, then starts the program under the Node 24 of node_modules.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, nodePath } from './install.js'

ensureInstalled()
const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const child = spawn(nodePath, ['--disable-warning=ExperimentalWarning', main, ...process.argv.slice(2)], {
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
