/**
 * A message in, the messages of its answer out: everything between the sockets and the zones. Invariants: whoever may not be the
 * owner of the address is never sent more than there was room for, and only so often; no answer answers an answer; whole zones go
 * to named secondaries alone.
 */
import { isWithin, parentOf } from '../core/zones/names.ts'
import { type Answer, answerFrom } from './answer.ts'
import { classes, rcodes, types } from './codes.ts'
import { type Client, type Exchange, exchangeOf, type Messages, replyTo, type Serving, written } from './exchange.ts'
import { flagBits, plainUdpBytes, type Reply, writeReply } from './message.ts'
import { type Misread, type Query, type QueryQuestion, readQuery } from './query.ts'
import { transfer } from './transfer.ts'
import type { ZoneIndex } from './zone-index.ts'

const silence: Messages = []

/** Answers at once when the zone is in memory. Rejects when the zone cannot be read. */
export function respond(serving: Serving, packet: Buffer, client: Client): Messages | Promise<Messages> {
  const query = readQuery(packet)
  if (query === 'silence') return silence
  if ('rcode' in query) return misread(serving, query, client)
  const exchange = exchangeOf(serving, packet, query, client)
  const rcode = decided(exchange, query)
  const { question } = query
  if (rcode !== null || question === null)
    return withinRate(exchange, 'no zone', replyTo(exchange, rcode ?? rcodes.NOERROR))
  const zone = zoneFor(serving, question)
  return zone instanceof Promise
    ? zone.then((found) => fromZone(exchange, question, found))
    : fromZone(exchange, question, zone)
}

/** The answer when a zone could not be read. */
export function failed(packet: Buffer): Messages {
  const query = readQuery(packet)
  if (query === 'silence' || 'rcode' in query) return silence
  const { id, repeatedFlags, question } = query
  return [writeReply({ id, flags: repeatedFlags, rcode: rcodes.SERVFAIL, question, edns: null }, plainUdpBytes)]
}

function misread({ rateLimit }: Serving, { id, opcode, repeatedFlags, rcode }: Misread, client: Client): Messages {
  if (client.over === 'udp' && rateLimit.take(client.address, 'misread') !== 'no') return silence
  const flags = (opcode << flagBits.opcodeShift) | repeatedFlags
  return [writeReply({ id, flags, rcode, question: null, edns: null }, plainUdpBytes)]
}

/** The code of what is answered without a look at any zone; null: ask one. */
function decided({ signature, client }: Exchange, { question, edns }: Query): number | null {
  if (signature?.kind === 'malformed') return rcodes.FORMERR
  if (signature?.kind === 'refused') return rcodes.NOTAUTH
  if (edns !== null && edns.version > 0) return rcodes.BADVERS
  if (question === null) return rcodes.NOERROR
  const { type } = question
  if (question.class !== classes.IN) return rcodes.REFUSED
  if (type === types.OPT || (type >= types.NXNAME && type <= types.TSIG)) return rcodes.FORMERR // RFC 9824 3.5
  if (type === types.AXFR && client.over === 'udp') return rcodes.FORMERR // RFC 5936 4.2
  if (type > types.AXFR && type < types.ANY) return rcodes.NOTIMP // MAILB and MAILA
  return null
}

/** The DS records of a zone belong to the one above it (RFC 4035 3.1.4.1), where that is ours too. */
function zoneFor(serving: Serving, { name, type }: QueryQuestion): ZoneIndex | null | Promise<ZoneIndex | null> {
  const zone = serving.zoneOf(name)
  if (type !== types.DS) return zone
  const above = async (): Promise<ZoneIndex | null> => {
    const own = await zone
    return own?.origin === name ? ((await serving.zoneOf(parentOf(name))) ?? own) : own
  }
  return above()
}

function fromZone(exchange: Exchange, question: QueryQuestion, zone: ZoneIndex | null): Messages {
  const { type } = question
  if (zone === null || !isWithin(question.name, zone.origin))
    return withinRate(exchange, 'no zone', replyTo(exchange, rcodes.REFUSED))
  if (type === types.AXFR || type === types.IXFR) return transfer(exchange, question, zone)
  const answer = answerFrom(zone, question)
  const { rcode, isAuthoritative, answers, authorities, additionals, kind } = answer
  const flags = exchange.query.repeatedFlags | (isAuthoritative ? flagBits.AA : 0)
  const needsAdditionals = kind === 'referral'
  const records = { flags, answers, authorities, additionals, needsAdditionals }
  return withinRate(exchange, subjectOf(answer, type), replyTo(exchange, rcode, records))
}

/** What is as good as the same answer: all names that a wildcard answers for, all that are not there. */
function subjectOf({ kind, source }: Answer, type: number): string {
  return kind === 'records' ? `${type} ${source}` : `${kind} ${source}`
}

/**
 * The reply as long as its network has not been told the same too often. Past that, now and then, a reply that makes honest clients
 * come back: by a cookie (RFC 7873 5.2.3), or by TCP.
 */
function withinRate(exchange: Exchange, subject: string, reply: Reply): Messages {
  const { serving, client, isSure, query } = exchange
  const limited = isSure ? 'no' : serving.rateLimit.take(client.address, subject)
  if (limited === 'no') return [written(exchange, reply)]
  if (limited === 'drop') return silence
  if (query.edns?.cookie != null) return [written(exchange, replyTo(exchange, rcodes.BADCOOKIE))]
  return [written(exchange, replyTo(exchange, rcodes.NOERROR, { flags: query.repeatedFlags | flagBits.TC }))]
}
