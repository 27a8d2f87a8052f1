/**
 * Puts load on an SMTP port: with Postfix' `smtp-source`, which needs little CPU, if it is installed; otherwise with our own
 * client.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ClientResult } from './client.ts'

export type Load = {
  readonly port: number
  readonly connections: number
  readonly count: number
  /** The size of the body. */
  readonly sizeBytes: number
  readonly domain: string
  /** How many addresses the messages go to, in turn; if absent, each message goes to its own. */
  readonly among?: number
}

/** The address of message n of a load (n starts at 1): `<n>u@domain`. */
export const addressOf = (n: number, domain: string) => `${n}u@${domain}`

const smtpSource = ['/usr/sbin/smtp-source', '/usr/bin/smtp-source', '/usr/local/sbin/smtp-source'].find((path) =>
  existsSync(path),
)
export const loadTool = smtpSource === undefined ? 'own client' : 'smtp-source'

const clientFile = fileURLToPath(new URL('./client.ts', import.meta.url))

/** Sends `count` messages. Returns the seconds until the last is accepted. Rejects if one is refused. */
export async function sendAll(load: Load, timeoutMs: number): Promise<number> {
  if (smtpSource === undefined) {
    const { refused, reasons, seconds } = await sendTimed(load, timeoutMs)
    if (refused > 0) throw new Error(`${refused} messages were refused: ${JSON.stringify(reasons)}`)
    return seconds
  }
  const { port, connections, count, sizeBytes, domain, among = count } = load
  const began = performance.now()
  for (let left = count; left > 0; left -= among) {
    const numbers = ['-s', connections, '-m', Math.min(left, among), '-l', sizeBytes].map(String)
    const args = ['-N', ...numbers, '-f', 'sender@load.test', '-t', `u@${domain}`, `127.0.0.1:${port}`]
    await ended(spawn(smtpSource, args, { stdio: ['ignore', 'pipe', 'pipe'] }), timeoutMs)
  }
  return (performance.now() - began) / 1000
}

/** Sends `count` messages with our own client. Returns its timings. */
export async function sendTimed(load: Load, timeoutMs: number): Promise<ClientResult> {
  const { port, connections, count, sizeBytes, domain, among = count } = load
  const options = { port, connections, count, size: sizeBytes, first: 1, domain, among }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', clientFile, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return JSON.parse(await ended(child, timeoutMs)) as ClientResult
}

/** Waits for a child process. Returns its output. Rejects if it fails, or is killed because it takes too long. */
export function ended(child: ChildProcess, timeoutMs: number): Promise<string> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (text: Buffer) => {
    out += text.toString()
  })
  child.stderr?.on('data', (text: Buffer) => {
    err += text.toString()
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(out)
      else reject(new Error(`${child.spawnfile} ended with ${signal ?? code}: ${err.slice(-300)}`))
    })
  })
}
