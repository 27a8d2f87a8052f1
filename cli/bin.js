#!/usr/bin/env node
// Runs on any Node from 20 on: installs what is missing, then runs the program under the Node 24 of node_modules.
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, nodePath } from './install.js'

const installed = ensureInstalled()
// A fresh installation may have replaced the Node that runs this script.
if (!installed && process.execPath === realpathSync(nodePath)) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  await import('./main.ts')
} else runUnderInstalledNode()

// The IPC channel lets the program notice when this process has died.
function runUnderInstalledNode() {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const child = spawn(nodePath, [main, ...process.argv.slice(2)], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
