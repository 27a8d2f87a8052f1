/** A primary name server for tests that accepts dynamic updates (RFC 2136) over TCP if they are signed with its key. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { decode, encode } from 'dns-packet'
import { recordsOf } from '../../core/zones/messages.ts'
import { parseTsigKey, signMessage, verifyMessage } from '../../core/zones/tsig.ts'

export type UpdateServer = {
  /** `127.0.0.1:port`. */
  readonly address: string
  /** The records of the zone, as `<TYPE> <name> <ttl> <data as JSON>`. */
  readonly records: ReadonlySet<string>
  /** What it answers instead of applying an update: an RCODE, an answer without a signature, or nothing. */
  trouble: number | 'unsigned' | 'silence' | null
  stop(): Promise<void>
}

/** Starts a server for one zone, with a clock for checking signatures. */
export async function startUpdateServer(
  zone: string,
  keyText: string,
  { now }: { readonly now: () => Date },
): Promise<UpdateServer> {
  const key = parseTsigKey(keyText)
  if (key === null) throw new Error(`${keyText} is no key`)
  const records = new Set<string>()
  const server: { trouble: UpdateServer['trouble'] } = { trouble: null }
  /** Applies an update that is signed with the key. Returns the RCODE. */
  function apply(message: Buffer): number {
    const { authorities = [], questions = [] } = decode(message)
    if (questions[0]?.name !== zone) return 9
    const places = (recordsOf(message) ?? []).filter(({ section }) => section === 'authority')
    for (const [n, place] of places.entries()) {
      const {
        type,
        name,
        ttl = 0,
        data,
      } = authorities[n] as unknown as {
        readonly [field in 'type' | 'name']: string
      } & { readonly ttl?: number; readonly data: unknown }
      const texts = Array.isArray(data) ? data.map(String) : data
      const isDeletion = message.readUInt16BE(place.start + 2) === 254
      for (const record of records)
        if (record.startsWith(`${type} ${name} `) && record.endsWith(` ${JSON.stringify(texts)}`))
          records.delete(record)
      if (!isDeletion) records.add(`${type} ${name} ${ttl} ${JSON.stringify(texts)}`)
    }
    return 0
  }
  const tcp = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return
      const message = received.subarray(2)
      const verdict = verifyMessage(message, { at: now(), keys: [key] })
      if (server.trouble === 'silence') return void socket.end()
      const rcode =
        typeof server.trouble === 'number' ? server.trouble : verdict.kind === 'verified' ? apply(verdict.message) : 9
      const { id = 0 } = decode(message)
      const plain = encode({ type: 'response', id, flags: (5 << 11) | rcode })
      const isSigned = verdict.kind === 'verified' && server.trouble !== 'unsigned'
      const reply = isSigned ? signMessage(plain, key, { at: now(), priorMac: verdict.mac }).message : plain
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.end(Buffer.concat([length, reply]))
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as { readonly port: number }
  return Object.assign(server, {
    address: `127.0.0.1:${port}`,
    records,
    stop: () => new Promise<void>((resolve) => tcp.close(() => resolve())),
  })
}
