/**
 * Keeps child processes alive. Invariants: a part that dies is started again after a growing pause, until it is stopped; a
 * part counts as ready from its ready message to its end; each child has its own process group and an IPC channel, and
 * exits when that closes, so a killed supervisor leaves nobody behind.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Logger } from 'pino'

export type PartOptions = {
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export type Ready = { readonly ready: true; readonly [field: string]: unknown }

export type Part = {
  readonly name: string
  /** Resolves with the first ready message. Rejects when the part ends before it ever was ready, with what it said in `failed`. */
  readonly started: Promise<Ready>
  isReady(): boolean
  send(message: object): void
  /** Asks the part to stop and waits; past `withinMs` it is killed. */
  stop(withinMs: number): Promise<void>
}

const pauseFirstMs = 200
const pauseMaxMs = 10_000
/** A part that lived this long has recovered: its next pause is the first again. */
const recoveredMs = 30_000

/** Starts a part under the Node that runs this. `onChange` is told whenever it becomes ready or ends. */
export function startPart(
  { name, script, args = [], env = {} }: PartOptions,
  { log, onChange }: { log: Logger; onChange: () => void },
): Part {
  let child: ChildProcess | null = null
  let ready = false
  let stopping = false
  let everReady = false
  let failure: string | null = null
  let pauseMs = pauseFirstMs
  let timer: NodeJS.Timeout | undefined
  const ended: (() => void)[] = []
  const { promise: started, resolve, reject } = Promise.withResolvers<Ready>()
  started.catch(() => undefined)

  function launch(): void {
    const since = Date.now()
    child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
      detached: true,
      stdio: ['ignore', 2, 2, 'ipc'],
      env: { ...process.env, ...env },
    })
    child.on('message', (message: unknown) => {
      const { failed } = message as { readonly failed?: unknown }
      if (typeof failed === 'string') failure = failed
      if ((message as Partial<Ready>).ready !== true) return
      ready = true
      everReady = true
      resolve(message as Ready)
      onChange()
    })
    child.on('error', (error) => log.error({ err: error, part: name }, 'part'))
    child.on('exit', (code, signal) => {
      child = null
      ready = false
      for (const tell of ended.splice(0)) tell()
      onChange()
      if (stopping) return
      if (!everReady)
        reject(new Error(`${name} could not start: ${failure ?? `it ended with ${signal ?? `status ${code}`}`}.`))
      if (!everReady) return
      if (Date.now() - since > recoveredMs) pauseMs = pauseFirstMs
      log.error({ part: name, code, signal, pauseMs }, 'part ended; starting it again')
      timer = setTimeout(launch, pauseMs)
      pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
    })
  }

  launch()
  return {
    name,
    started,
    isReady: () => ready,
    send(message) {
      if (child?.connected === true) child.send(message, () => undefined)
    },
    async stop(withinMs) {
      stopping = true
      clearTimeout(timer)
      const running = child
      if (running === null) return
      const end = new Promise<void>((done) => ended.push(done))
      if (running.connected) running.send({ stop: true }, () => undefined)
      const kill = setTimeout(() => {
        log.error({ part: name }, 'part did not stop in time; killing it')
        running.kill('SIGKILL')
      }, withinMs)
      await end
      clearTimeout(kill)
    },
  }
}
