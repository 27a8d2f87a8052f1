/**
 * Haraka as a system under measurement, without any part of Mailroom. It accepts every recipient, appends each message to one file
 * and syncs it to disk before the 250 (keep-mail). No server built on Haraka can store mail at a lower cost.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../test/eventually.ts'
import { freePort } from '../test/peers/free-port.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import type { System } from './system.ts'

const haraka = fileURLToPath(new URL('../node_modules/haraka/bin/haraka', import.meta.url))
const plugin = fileURLToPath(new URL('./keep-mail', import.meta.url))

const startMs = 60_000

export async function startHarakaAlone(): Promise<System> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-bench-haraka-'))
  const port = await freePort()
  await configure(dir, port)
  const child = spawn(process.execPath, [haraka, '-c', dir], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const kept = async () => (await stat(path.join(dir, 'mail'))).size
  const system: System = {
    name: 'Haraka alone',
    port,
    pids: [child.pid ?? 0],
    mark: kept,
    async delivered() {
      const now = performance.now()
      return { readable: now, settled: now }
    },
    async verify(before, { count, sizeBytes }) {
      const bytes = (await kept()) - before
      if (bytes < count * sizeBytes)
        throw new Error(`The file has ${bytes} bytes of ${count} messages of ${sizeBytes}.`)
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
  const greets = async () => {
    const client = await SmtpClient.connect(`127.0.0.1:${port}`)
    const { code } = await client.reply()
    client.destroy()
    return code === 220
  }
  await eventually('Haraka greets', greets, startMs)
  return system
}

/** Writes the configuration. connection.ini needs every section: if one is missing, the first connection ends the process. */
async function configure(dir: string, port: number): Promise<void> {
  const files = {
    'smtp.ini': `listen=127.0.0.1:${port}\nnodes=0\n`,
    'connection.ini':
      '[main]\nspool_after=-1\n[haproxy]\nenabled=false\n[headers]\nadd_received=true\n[max]\nbytes=0\nline_length=512\ndata_line_length=992\nmime_parts=1000\n[message]\n[uuid]\nbanner_chars=0\ndeny_chars=0\n',
    'log.ini': '[main]\nlevel=warn\n',
    me: 'bench.test\n',
    plugins: 'keep-mail\n',
  }
  await mkdir(path.join(dir, 'config'))
  await mkdir(path.join(dir, 'queue'))
  await mkdir(path.join(dir, 'plugins'))
  await symlink(plugin, path.join(dir, 'plugins', 'keep-mail'), 'dir')
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(dir, 'config', name), text)
}
