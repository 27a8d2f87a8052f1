/** Asks DNS questions as resolvers do, over UDP and TCP; bytes in, bytes out. */
import { createSocket } from 'node:dgram'
import { on, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { DecodedPacket } from 'dns-packet'

export type QuestionOptions = {
  readonly id?: number
  readonly flags?: number
  readonly class?: number
  /** Without it, no OPT record. */
  readonly edns?: {
    readonly udpBytes?: number
    readonly version?: number
    readonly flags?: number
    readonly options?: readonly (readonly [code: number, data: Buffer])[]
  }
}

/** Encodes a question; the name keeps its upper and lower case. */
export function question(name: string, type: number, options: QuestionOptions = {}): Buffer {
  const { id = 1, flags = 0, class: klass = 1, edns } = options
  const head = Buffer.alloc(12)
  head.writeUInt16BE(id, 0)
  head.writeUInt16BE(flags, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(edns === undefined ? 0 : 1, 10)
  return Buffer.concat([head, nameBytes(name), numbers(type, klass), edns === undefined ? Buffer.alloc(0) : opt(edns)])
}

export function nameBytes(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.')
  return Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.alloc(1),
  ])
}

export function opt({
  udpBytes = 1_232,
  version = 0,
  flags = 0,
  options = [],
}: NonNullable<QuestionOptions['edns']>): Buffer {
  const data = Buffer.concat(options.map(([code, bytes]) => Buffer.concat([numbers(code, bytes.length), bytes])))
  return Buffer.concat([Buffer.alloc(1), numbers(41, udpBytes, version, flags, data.length), data])
}

export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [n, value] of values.entries()) bytes.writeUInt16BE(value, 2 * n)
  return bytes
}

export const rcodeOf = (packet: Pick<DecodedPacket, 'flags'>) => (packet.flags ?? 0) & 0xf

/** Opens a UDP socket as a resolver does. */
export async function openUdp(port: number) {
  const socket = createSocket('udp4')
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return {
    send: (packet: Buffer) => socket.send(packet),
    /** The next answers, in the order in which they arrive. */
    async answers(count: number): Promise<Buffer[]> {
      const found: Buffer[] = []
      for await (const [bytes] of on(socket, 'message')) {
        found.push(bytes as Buffer)
        if (found.length === count) break
      }
      return found
    },
    async ask(packet: Buffer): Promise<Buffer> {
      const answered = once(socket, 'message')
      socket.send(packet)
      const [bytes] = (await answered) as [Buffer]
      return bytes
    },
    close: () => socket.close(),
  }
}

/** Opens a TCP connection for questions. */
export async function openTcp(port: number) {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  const reader = messagesOf(socket)
  return {
    socket,
    write: (...packets: readonly Buffer[]) =>
      socket.write(Buffer.concat(packets.map((packet) => Buffer.concat([numbers(packet.length), packet])))),
    /** The next message; null: the connection has ended. */
    next: async (): Promise<Buffer | null> => (await reader.next()).value ?? null,
    close: () => socket.destroy(),
  }
}

async function* messagesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let waiting: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      waiting = Buffer.concat([waiting, chunk])
      while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE(0)) {
        const end = 2 + waiting.readUInt16BE(0)
        yield waiting.subarray(2, end)
        waiting = waiting.subarray(end)
      }
    }
  } catch {
    return undefined // a reset also ends the connection
  }
  return undefined
}
