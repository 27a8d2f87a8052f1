/** A proxy in a process of its own that delays all bytes by half a round trip in each direction, and keeps their order. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

export type Delay = { readonly port: number; stop(): void }

const isChild = process.send !== undefined && process.argv[2] === 'delay'

/** Starts the proxy in front of a port of this machine. */
export async function startDelay(port: number, roundTripMs: number): Promise<Delay> {
  const child = fork(fileURLToPath(import.meta.url), ['delay', String(port), String(roundTripMs)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const [ready] = (await once(child, 'message')) as [{ port: number }]
  return { port: ready.port, stop: () => void child.kill('SIGKILL') }
}

function serve(port: number, roundTripMs: number): void {
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port })
    later(near, far, roundTripMs / 2)
    later(far, near, roundTripMs / 2)
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
  process.on('disconnect', () => process.exit(0))
}

function later(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay(true)
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs))
  from.on('close', () => setTimeout(() => to.end(), delayMs))
  from.on('error', () => from.destroy())
}

if (isChild) serve(Number(process.argv[3]), Number(process.argv[4]))
