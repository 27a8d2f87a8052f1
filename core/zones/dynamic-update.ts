/** Dynamic updates (RFC 2136) of a zone on another server, signed with a shared key (TSIG), over TCP. */
import { randomInt } from 'node:crypto'
import { connect } from 'node:net'
import { type Answer, decode, encode } from 'dns-packet'
import { Failure } from '../../schemas/failures.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { DnsBackend } from '../../store/documents/domains.ts'
import { sealedFor } from '../../store/sealed.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { recordsOf } from './messages.ts'
import { wireName } from './names.ts'
import type { ZoneRecord } from './record-types.ts'
import { signMessage, type TsigKey, verifyMessage } from './tsig.ts'

export type UpdateServer = Extract<DnsBackend, { readonly kind: 'dynamic-update' }>
/** Records to delete from a zone, and then records to add to it. */
export type ZoneUpdate = { readonly removed: readonly ZoneRecord[]; readonly added: readonly ZoneRecord[] }

const timeoutMs = 8 * secondMs
const opcodeUpdate = 5 << 11
const classNone = 254
/** The largest message that the length prefix over TCP allows (RFC 7766 8). */
const messageBytesMax = 65_535
const portUsual = 53

/** The response codes of RFC 2136 2.2, in words for the person who set up the update. */
const rcodes: { readonly [rcode: number]: string } = {
  1: 'it could not read the update (FORMERR)',
  2: 'it failed (SERVFAIL)',
  4: 'it takes no updates (NOTIMP)',
  5: 'it does not let this key update the zone (REFUSED)',
  9: 'it does not have the zone, or does not know the key (NOTAUTH)',
  10: 'a name is not within the zone (NOTZONE)',
}

/**
 * Has the primary server of a domain's zone delete and add records, all or none. Fails with `conflict` if the server refuses or the
 * change does not fit one update, and with `unavailable` if the server cannot be reached.
 */
export async function sendUpdate(
  ctx: Context,
  { domain, server }: { readonly domain: string; readonly server: UpdateServer },
  update: ZoneUpdate,
): Promise<void> {
  if (update.removed.length + update.added.length === 0) return
  const key: TsigKey = {
    name: wireName(server.keyName),
    algorithm: server.algorithm,
    secret: Buffer.from(ctx.secrets.open(fromBinary(server.secret), sealedFor.tsig), 'base64'),
  }
  const at = ctx.machineClock.now()
  const { message, mac } = signMessage(updateMessage(server.zone ?? domain, update), key, { at })
  if (message.length > messageBytesMax)
    throw new Failure(
      'conflict',
      `The change of ${domain} takes ${message.length} bytes, and one update of the name server ${server.server} can have ${messageBytesMax} at most.`,
      {
        fix: 'Change less at once. A new "ttl" changes all records of that name and type, and moving a zone to another server sends all its records.',
      },
    )
  const reply = await exchange(ctx, server.server, message).catch((error: Error) => {
    throw new Failure(
      'unavailable',
      `The name server ${server.server} of ${domain} could not be reached: ${error.message}.`,
      {
        fix: 'Try again; if it keeps failing, let the administrator check the server ("mailroom domain dns").',
      },
    )
  })
  const refusal = refusalIn(reply, key, { at: ctx.machineClock.now(), mac })
  if (refusal !== null)
    throw new Failure('conflict', `The name server ${server.server} refused the change of ${domain}: ${refusal}.`, {
      fix: 'Let the administrator compare the zone, the key and its permissions with those on the server ("mailroom domain dns").',
    })
}

/** The message without its signature: the zone, then the records to delete, then those to add (RFC 2136 2.5). */
function updateMessage(zone: string, { removed, added }: ZoneUpdate): Buffer {
  const answerOf = ({ ttlSeconds, ...record }: ZoneRecord, ttl: number) => ({ ...record, class: 'IN', ttl }) as Answer
  const message = encode({
    id: randomInt(0x1_0000),
    flags: opcodeUpdate,
    questions: [{ type: 'SOA', name: zone, class: 'IN' }],
    authorities: [
      ...removed.map((record) => answerOf(record, 0)),
      ...added.map((record) => answerOf(record, record.ttlSeconds)),
    ],
  })
  // RFC 2136 2.5.4: a deleted record has the class NONE, which dns-packet does not know.
  for (const { start } of (recordsOf(message) ?? []).slice(0, removed.length))
    message.writeUInt16BE(classNone, start + 2)
  return message
}

/** Why a reply is a refusal, as the end of a sentence; null if it is none. */
function refusalIn(
  reply: Buffer,
  key: TsigKey,
  { at, mac }: { readonly at: Date; readonly mac: Buffer },
): string | null {
  const verdict = verifyMessage(reply, { at, keys: [key], priorMac: mac })
  if (verdict.kind === 'complaint')
    return `it does not accept our signature (TSIG error ${verdict.code}): key, secret or clock differ`
  const { flags = 0 } = decode(reply)
  const rcode = flags & 0xf
  if (rcode !== 0) return rcodes[rcode] ?? `it answered with the code ${rcode}`
  return verdict.kind === 'verified' ? null : 'its answer is not signed with the key, and may come from somebody else'
}

/** Sends a message and reads the reply (RFC 7766). Rejects if there is none in time. */
async function exchange(ctx: Context, server: string, message: Buffer): Promise<Buffer> {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  const host = bracketed ?? plain ?? server
  const [address] = await ctx.resolver.addresses(host)
  if (address === undefined) throw new Error(`${host} has no address`)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.address, port: Number(port ?? portUsual) })
    let received = Buffer.alloc(0)
    const end = (error: Error | null, reply = received) => {
      clearTimeout(timer)
      socket.destroy()
      if (error === null) resolve(reply)
      else reject(error)
    }
    const timer = setTimeout(() => end(new Error('it did not answer in time')), timeoutMs)
    socket.on('error', (error) => end(error))
    socket.on('close', () => end(new Error('it hung up')))
    socket.on('connect', () => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(message.length)
      socket.write(Buffer.concat([length, message]))
    })
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      const wanted = received.length < 2 ? messageBytesMax : received.readUInt16BE(0)
      if (received.length < wanted + 2) return
      const reply = received.subarray(2, wanted + 2)
      if (reply.length < 12 || reply.readUInt16BE(0) !== message.readUInt16BE(0))
        end(new Error('it answered something else'))
      else end(null, reply)
    })
  })
}
