/**
 * Notifies secondaries that a zone has changed (NOTIFY, RFC 1996) when a change note says so. A message that is not answered is sent
 * again a few times. After that, the secondary finds the change itself at its next SOA refresh.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'
import type { Context } from '../core/process/context.ts'
import { wireName } from '../core/zones/names.ts'
import { signMessage, type TsigKey } from '../core/zones/tsig.ts'
import { classes, opcodes, rcodes, types } from './codes.ts'
import { flagBits, plainUdpBytes, writeReply } from './message.ts'
import type { Secondary } from './secondaries.ts'
import type { ZoneIndex } from './zone-index.ts'
import type { ZoneOf } from './zones.ts'

export type NotifySender = { stop(): void }

export type NotifyOptions = {
  readonly zoneOf: ZoneOf
  readonly secondaries: readonly Secondary[]
  /** The key that signs the messages; null if they are not signed. */
  readonly key: TsigKey | null
}

/** Pauses before a message is sent again. A secondary that does not answer after the last one is given up. */
const againMs = [2_000, 4_000, 8_000, 16_000]
/** Messages in progress at once; beyond this, changes are left to the SOA refresh. */
const underWayMax = 1_000

/** Starts to notify. No socket is opened before there is something to send. */
export function startNotify(ctx: Context, options: NotifyOptions): NotifySender {
  const underWay = new Map<string, () => void>()
  const tell = async (domain: string) => {
    const zone = await options.zoneOf(wireName(domain))
    if (zone === null || zone.origin !== wireName(domain)) return
    for (const secondary of options.secondaries) {
      const key = `${secondary.address} ${secondary.port} ${domain}`
      underWay.get(key)?.()
      if (underWay.size >= underWayMax) return
      const end = sendUntilAnswered(ctx, { zone, secondary, key: options.key }, () => underWay.delete(key))
      underWay.set(key, end)
    }
  }
  const stopListening =
    options.secondaries.length === 0
      ? () => undefined
      : ctx.changes.listen((note) => {
          if (note.kind !== 'zones') return
          for (const domain of note.domains)
            tell(domain).catch((error: unknown) =>
              ctx.log.warn({ err: error, domain }, 'secondaries could not be notified of a change'),
            )
        })
  return {
    stop() {
      stopListening()
      for (const end of underWay.values()) end()
    },
  }
}

type Telling = { readonly zone: ZoneIndex; readonly secondary: Secondary; readonly key: TsigKey | null }

/** Returns a function that ends the sending. `onEnd` is called when it is answered, given up or ended. */
function sendUntilAnswered(ctx: Context, { zone, secondary, key }: Telling, onEnd: () => void): () => void {
  const id = randomInt(0x1_0000)
  const question = Buffer.concat([Buffer.from(zone.origin, 'latin1'), Buffer.from([0, types.SOA, 0, classes.IN])])
  const flags = (opcodes.NOTIFY << flagBits.opcodeShift) | flagBits.AA
  const plain = writeReply(
    {
      id,
      flags,
      rcode: rcodes.NOERROR,
      question: { name: zone.origin, bytes: question },
      answers: [zone.soa],
      edns: null,
    },
    plainUdpBytes,
  )
  plain.writeUInt16BE(flags, 2) // clears QR: this is a request, although it was written as a reply
  const socket = createSocket(isIP(secondary.address) === 6 ? 'udp6' : 'udp4')
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    socket.close()
    onEnd()
  }
  const send = (tries: number) => {
    const message = key === null ? plain : signMessage(plain, key, { at: ctx.machineClock.now() }).message
    socket.send(message, secondary.port, secondary.address, () => undefined)
    const pauseMs = againMs[tries]
    timer = setTimeout(() => (pauseMs === undefined ? end() : send(tries + 1)), pauseMs ?? againMs.at(-1))
  }
  socket.on('error', end)
  socket.on('message', (answer, from) => {
    const isTheirs = from.address === secondary.address && from.port === secondary.port
    if (isTheirs && answer.length >= 12 && answer.readUInt16BE(0) === id && (answer[2]! & 0x80) !== 0) end()
  })
  socket.bind(0, () => send(0))
  return end
}
