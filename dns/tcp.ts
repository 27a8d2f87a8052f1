/**
 * DNS over TCP (RFC 7766): several questions per connection, answered in order. Invariants: one question at most is being answered per
 * connection. A client that does not send a whole question in time, or does not read, is disconnected.
 */
import { createServer, type Socket } from 'node:net'
import { ConnectionCounter } from '../core/access/connections.ts'
import type { Context } from '../core/process/context.ts'
import type { Answering } from './exchange.ts'
import { createTally, type Tally } from './tally.ts'

export type TcpServer = { close(withinMs: number): Promise<void> }

/** No honest question is longer. Its length prefix alone would let a connection hold 64 KiB. */
const questionBytesMax = 4_096
const lengthBytes = 2

/** Starts to listen. Rejects if the port is taken. */
export async function listenTcp(
  ctx: Context,
  answer: Answering,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<TcpServer> {
  const { idleSeconds, ...limits } = ctx.settings.limits.dns
  const counter = new ConnectionCounter(limits)
  const tally = createTally(ctx.metrics)
  const open = new Set<Connection>()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    const address = socket.remoteAddress
    if (address === undefined || !counter.enter(socket, address)) {
      socket.destroy()
      return
    }
    const connection = new Connection(socket, { idleMs: idleSeconds * 1_000, answer, address, tally })
    open.add(connection)
    socket.once('close', () => {
      counter.leave(socket)
      open.delete(connection)
    })
    connection.serve().catch(() => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    async close(withinMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const connection of open) connection.end()
      const late = setTimeout(() => {
        for (const connection of open) connection.abandon()
      }, withinMs)
      await closed
      clearTimeout(late)
    },
  }
}

type Options = { readonly idleMs: number; readonly answer: Answering; readonly address: string; readonly tally: Tally }

class Connection {
  readonly #socket: Socket
  readonly #options: Options
  readonly #timer: NodeJS.Timeout
  #isAnswering = false
  #isEnding = false

  constructor(socket: Socket, options: Options) {
    this.#socket = socket
    this.#options = options
    this.#timer = setTimeout(() => socket.destroy(), options.idleMs)
    socket.once('close', () => clearTimeout(this.#timer))
  }

  /** Answers until the client has no more questions. */
  async serve(): Promise<void> {
    const { answer, address, tally } = this.#options
    let waiting: Buffer = Buffer.alloc(0)
    for await (const chunk of this.#socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      while (waiting.length >= lengthBytes) {
        const end = lengthBytes + waiting.readUInt16BE(0)
        if (end > lengthBytes + questionBytesMax) return this.abandon()
        if (waiting.length < end) break
        const question = waiting.subarray(lengthBytes, end)
        waiting = waiting.subarray(end)
        this.#isAnswering = true
        await this.#write(tally.counted('tcp', await answer(question, { address, over: 'tcp' })))
        this.#isAnswering = false
        if (this.#isEnding) return this.end()
      }
    }
    this.#socket.end()
  }

  /** Closes the connection once the question in progress is answered. */
  end(): void {
    this.#isEnding = true
    if (!this.#isAnswering) this.#socket.end(() => this.#socket.destroy())
  }

  abandon(): void {
    this.#socket.destroy()
  }

  /** Sends messages. If there are none, closes the connection, so that the client does not wait. */
  async #write(messages: Iterable<Buffer>): Promise<void> {
    let isSilent = true
    for (const message of messages) {
      isSilent = false
      const length = Buffer.alloc(lengthBytes)
      length.writeUInt16BE(message.length)
      if (!this.#socket.write(Buffer.concat([length, message]))) await this.#drained()
      this.#timer.refresh()
    }
    if (isSilent) this.abandon()
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const closed = () => reject(new Error('The connection ended.'))
      this.#socket.once('close', closed)
      this.#socket.once('drain', () => {
        this.#socket.off('close', closed)
        resolve()
      })
    })
  }
}
