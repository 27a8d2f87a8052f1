/**
 * A message in, the messages of its answer out: everything between the sockets and the zones. Invariants: whoever may not be the
 * owner of the address is never sent more than there was room for, and only so often; no answer answers an answer; whole zones go
 * to named secondaries alone.
 */
import { isWithin, parentOf } from '../core/zones/names.ts'
import { type Answer, answerFrom } from './answer.ts'
import { classes, rcodes, types } from './codes.ts'
import { dsAnswer, madeAnswer, type SignableZone, type Signer, signedAnswer } from './dnssec.ts'
import { type Client, type Exchange, exchangeOf, type Messages, replyTo, type Serving, written } from './exchange.ts'
import { flagBits, plainUdpBytes, type Reply, writeReply } from './message.ts'
import { plainQuestion, repeated } from './packets.ts'
import { type Misread, type Query, type QueryQuestion, readQuery } from './query.ts'
import { mayTransfer, transfer } from './transfer.ts'

const silence: Messages = []

/** Answers at once when the zone is in memory. Rejects when the zone cannot be read. */
export function respond(serving: Serving, packet: Buffer, client: Client): Messages | Promise<Messages> {
  const plain = client.over === 'udp' ? plainQuestion(packet) : null
  const known = plain === null ? undefined : serving.packets.get(plain.key)
  if (plain !== null && known !== undefined && serving.zoneOf(known.name) === known.zone) {
    const limited = serving.rateLimit.take(client.address, known.subject)
    if (limited === 'no') return [repeated(known, packet, plain)]
    return limited === 'drop' ? silence : [cutShort(serving, packet, client)]
  }
  return respondAnew(serving, packet, { client, key: plain?.key ?? null })
}

/** `key` is what the answer may be known by when the same is asked again. */
function respondAnew(
  serving: Serving,
  packet: Buffer,
  { client, key }: { readonly client: Client; readonly key: string | null },
): Messages | Promise<Messages> {
  const query = readQuery(packet)
  if (query === 'silence') return silence
  if ('rcode' in query) return misread(serving, query, client)
  const exchange = exchangeOf(serving, packet, query, client)
  const rcode = decided(exchange, query)
  const { question } = query
  if (rcode !== null || question === null)
    return withinRate(exchange, 'no zone', () => replyTo(exchange, rcode ?? rcodes.NOERROR))
  const zone = zoneFor(serving, question)
  return zone instanceof Promise
    ? zone.then((found) => fromZone(exchange, question, { ...found, key }))
    : fromZone(exchange, question, { ...zone, key })
}

/** The answer when a zone could not be read. */
export function failed({ rateLimit }: Serving, packet: Buffer, client: Client): Messages {
  const query = readQuery(packet)
  if (query === 'silence' || 'rcode' in query) return silence
  if (client.over === 'udp' && rateLimit.take(client.address, 'failed') !== 'no') return silence
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

/**
 * The DS records of a zone belong to the one above it (RFC 4035 3.1.4.1), where that is ours too and knows of the one below: by NS
 * records, or because both are signed here.
 */
function zoneFor(serving: Serving, { name, type }: QueryQuestion): Found | Promise<Found> {
  const zone = serving.zoneOf(name)
  if (type !== types.DS) return zone instanceof Promise ? zone.then((found) => ({ zone: found })) : { zone }
  const above = async (): Promise<Found> => {
    const own = await zone
    const parent = own?.origin === name ? await serving.zoneOf(parentOf(name)) : null
    if (own === null || parent === null) return { zone: own }
    if (own.signer !== null && parent.signer !== null) return { zone: parent, below: { zone: own, signer: own.signer } }
    return { zone: parent.nodes.get(name)?.has(types.NS) === true ? parent : own }
  }
  return above()
}

/** The zone that answers, and the one below it that is asked for. */
type Found = {
  readonly zone: SignableZone | null
  readonly below?: { readonly zone: SignableZone; readonly signer: Signer }
}

function fromZone(
  exchange: Exchange,
  question: QueryQuestion,
  { zone, below, key }: Found & { readonly key: string | null },
): Messages {
  const { type } = question
  const isTransfer = type === types.AXFR || type === types.IXFR
  if (zone === null || !isWithin(question.name, zone.origin) || (isTransfer && !mayTransfer(exchange)))
    return withinRate(exchange, 'no zone', () => replyTo(exchange, rcodes.REFUSED))
  if (isTransfer) return transfer(exchange, question, zone)
  const own = below === undefined ? answerFrom(zone, question) : dsAnswer(zone, below.zone, below.signer)
  // What is not told is not signed either.
  const subject = subjectOf(own, type)
  const keep = (bytes: Buffer) => {
    if (key !== null) exchange.serving.packets.set(key, { zone, name: question.name, subject, bytes })
  }
  const reply = () => {
    const answer = zone.signer === null ? own : proven(exchange, question, { zone, signer: zone.signer, answer: own })
    const { rcode, isAuthoritative, answers, authorities, additionals, kind } = answer
    const flags = exchange.query.repeatedFlags | (isAuthoritative ? flagBits.AA : 0)
    const needsAdditionals = kind === 'referral'
    const isCompact = zone.signer !== null
    return replyTo(exchange, rcode, { flags, answers, authorities, additionals, needsAdditionals, isCompact })
  }
  return withinRate(exchange, subject, reply, keep)
}

type Provable = { readonly zone: SignableZone; readonly signer: Signer; readonly answer: Answer }

/** The answer of a zone that is signed: with signatures for those who want them. */
function proven({ query: { edns } }: Exchange, question: QueryQuestion, { zone, signer, answer }: Provable): Answer {
  const made = madeAnswer(zone, signer, answer, question) ?? answer
  if (edns?.dnssecOk !== true) return made
  return signedAnswer(zone, signer, made, edns)
}

/** What is as good as the same answer: all names that a wildcard answers for, all that are not there. */
function subjectOf({ kind, source }: Answer, type: number): string {
  return kind === 'records' ? `${type} ${source}` : `${kind} ${source}`
}

/**
 * The reply as long as its network has not been told the same too often. Past that, now and then, a reply that makes honest clients
 * come back: by a cookie (RFC 7873 5.2.3), or by TCP.
 */
function withinRate(
  exchange: Exchange,
  subject: string,
  reply: () => Reply,
  keep: (bytes: Buffer) => void = () => undefined,
): Messages {
  const { serving, client, isSure, query } = exchange
  const limited = isSure ? 'no' : serving.rateLimit.take(client.address, subject)
  if (limited === 'no') {
    const bytes = written(exchange, reply())
    keep(bytes)
    return [bytes]
  }
  if (limited === 'drop') return silence
  if (query.edns?.cookie != null) return [written(exchange, replyTo(exchange, rcodes.BADCOOKIE))]
  return [cut(exchange)]
}

/** What sends a client to TCP. */
const cut = (exchange: Exchange): Buffer =>
  written(exchange, replyTo(exchange, rcodes.NOERROR, { flags: exchange.query.repeatedFlags | flagBits.TC }))

function cutShort(serving: Serving, packet: Buffer, client: Client): Buffer {
  // Only what was read before is known.
  const query = readQuery(packet) as Query
  return cut(exchangeOf(serving, packet, query, client))
}
