/** A proxy to a server whose connections can be cut. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export type CutProxy = {
  readonly http: string
  /** Cuts all open connections at once. */
  cut(): void
  /** Cuts each later connection after as many bytes of answers as `bytes` returns; null: cuts none. */
  cutBehind(bytes: (() => number) | null): void
  close(): Promise<void>
}

export async function startCutProxy(http: string): Promise<CutProxy> {
  const { hostname, port } = new URL(http)
  const open = new Set<Socket>()
  let bytesOf: (() => number) | null = null
  const server = createServer((from) => {
    const to = connect(Number(port), hostname)
    let left = bytesOf?.() ?? Number.POSITIVE_INFINITY
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    from.on('data', (chunk) => to.write(chunk))
    to.on('data', (chunk) => {
      from.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) to.destroySoon()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    cutBehind: (bytes) => {
      bytesOf = bytes
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
