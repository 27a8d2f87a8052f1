/**
 * `npm run check -- mcp-python [URL KEY MAILBOX]`: the Python package `mcp` talks to the service in the newest protocol revision and in
 * the earlier ones: it lists tools, resources and prompts, and reads a message.
 *
 * With a URL the check uses that service and the key. Without one it starts the door itself, delivers a message, and connects once with
 * a key and once by OAuth, where a scripted person consents. The package is installed in a virtual environment outside the source
 * tree; if that fails, the check is skipped with a line that says so.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { allowAll } from '../peers/oauth.ts'
import { deliver, makeTenant, openDoor } from '../start/door.ts'
import { newPerson } from '../start/people.ts'

const usage = 'usage: npm run check -- mcp-python [URL KEY MAILBOX]'
const wanted = 'mcp==2.3.0'
const modes = ['auto', 'legacy'] as const
const installMs = 180_000
const runMs = 120_000

type Task = { readonly url: string; readonly mailbox: string; readonly key?: string }
type Line = { readonly [field: string]: unknown }

/** @returns whether everything was read; also true if the package cannot be installed here */
export async function run(args: readonly string[]): Promise<boolean> {
  const [url, key, mailbox, ...others] = args
  if (others.length > 0 || (url !== undefined && mailbox === undefined)) throw new Error(usage)
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-python-'))
  try {
    const python = await install(folder)
    if (python === null) return true
    if (url !== undefined && key !== undefined && mailbox !== undefined)
      return await useAll(python, { url: new URL('/api/mcp', url).href, key, mailbox })
    return await useOwn(python)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the path of a Python that has the package; null if it cannot be installed. */
async function install(folder: string): Promise<string | null> {
  const execute = promisify(execFile)
  const python = path.join(folder, 'bin', 'python')
  try {
    await execute('python3', ['-m', 'venv', folder], { timeout: installMs })
    await execute(python, ['-m', 'pip', 'install', '--quiet', wanted], { timeout: installMs })
    return python
  } catch (error) {
    console.log(`skipped: ${wanted} cannot be installed here (${String(error).split('\n')[0]})`)
    return null
  }
}

async function useOwn(python: string): Promise<boolean> {
  const door = await openDoor({ isNamed: true })
  try {
    const { accountId, address: mailbox, key } = await makeTenant(door, { name: 'python' })
    const { cookie } = await newPerson(door, { accountId })
    await deliver(door.ctx, { to: mailbox, raw: 'From: ada@remote.example\nSubject: Code\n\nIt is 471104.\n' })
    const url = `${door.ctx.baseUrl}/api/mcp`
    const withKey = await useAll(python, { url, key, mailbox })
    return (await useAll(python, { url, mailbox }, (asked) => allowAll(cookie, asked))) && withKey
  } finally {
    await door.close()
  }
}

async function useAll(python: string, task: Task, decide?: (asked: string) => Promise<URL>): Promise<boolean> {
  let isGood = true
  for (const mode of modes) {
    const how = `${task.key === undefined ? 'OAuth' : 'key'}, ${mode}`
    const { lines, errors } = await use(python, { ...task, mode }, decide)
    const [offered, seen] = lines.filter((line) => !('ask' in line))
    const isRead = seen !== undefined && (seen.read === null || JSON.stringify(seen.read).includes('untrusted-mail'))
    if (offered === undefined || !isRead) {
      console.log(`${how}: failed\n${errors}`)
      isGood = false
      continue
    }
    const counts = ['tools', 'resources', 'templates', 'prompts'].map((name) => `${lengthOf(offered[name])} ${name}`)
    const message = seen.read === null ? 'there is no message' : 'a message was read'
    console.log(`${how}: revision ${String(offered.version)}, ${counts.join(', ')}; ${message}`)
    if (counts.some((count) => count.startsWith('0 '))) isGood = false
  }
  return isGood
}

const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)

/** Runs the client once. Returns its output. */
async function use(
  python: string,
  task: Task & { readonly mode: string },
  decide?: (asked: string) => Promise<URL>,
): Promise<{ readonly lines: readonly Line[]; readonly errors: string }> {
  const script = new URL('../peers/mcp-client.py', import.meta.url).pathname
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'pipe'], timeout: runMs })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdin.write(`${JSON.stringify(task)}\n`)
  const lines: Line[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    const line: Line = JSON.parse(text)
    lines.push(line)
    if (typeof line.ask === 'string' && decide !== undefined) child.stdin.write(`${(await decide(line.ask)).href}\n`)
  }
  return { lines, errors }
}
