/**
 * `npm run test:quick`: the files that start no process, neither themselves nor through their imports. Tests start processes only
 * through test/start. A file that counts as quick and starts a process all the same fails.
 */
import { channel } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import path from 'node:path'

const starters = 'test/start/'
const processes = 'node:child_process'
const imported = /^(?:import|export)\b(?! type)[^'"]*?\bfrom\s*['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]/gm

/** Whether neither a test file nor its imports from test/ import anything that starts a process. */
export function isQuick(file: string, seen = new Set<string>()): boolean {
  seen.add(file)
  return [...readFileSync(file, 'utf8').matchAll(imported)].every(([, from, bare]) => {
    const name = from ?? bare ?? ''
    if (!name.startsWith('.')) return name !== processes
    const target = path.posix.join(path.posix.dirname(file), name)
    if (target.startsWith(starters)) return false
    return !target.startsWith('test/') || seen.has(target) || isQuick(target, seen)
  })
}

const started: string[] = []
const note = (message: unknown) =>
  started.push((message as { readonly process: { readonly spawnfile?: string } }).process.spawnfile ?? '')

/** The mocha hooks of the processes that run quick files. */
export const mochaHooks = {
  beforeAll() {
    channel('child_process').subscribe(note)
  },
  afterAll() {
    channel('child_process').unsubscribe(note)
    if (started.length > 0) throw new Error(`A quick test started a process: ${started.splice(0).join(', ')}`)
  },
}
