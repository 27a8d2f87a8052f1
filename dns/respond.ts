/**
 * Turns a message into the messages of its answer: everything between the sockets and the zones. Invariants: a client whose address may
 * be forged gets no more than its packet limit, and only so often; a reply is never answered; whole zones are sent only to the named
 * secondaries.
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

/** Answers at once if the zone is in memory. Rejects if the zone cannot be read. */
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

/** `key` is the key under which the answer may be cached; null if it may not. */
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

/** The answer if a zone could not be read. */
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

/** The code of an answer that depends on no zone; null if a zone has to be asked. */
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
 * Finds the zone that answers. The DS records of a zone belong to its parent (RFC 4035 3.1.4.1), which answers if it is ours too and
 * knows the child: by NS records, or because both are signed here.
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

/** The zone that answers, and the child zone if the question is about its DS records. */
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
  // Signing is left to `reply`: an answer that is not sent is not signed either.
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

/** The answer of a signed zone, with signatures if the client wants them. */
function proven({ query: { edns } }: Exchange, question: QueryQuestion, { zone, signer, answer }: Provable): Answer {
  const made = madeAnswer(zone, signer, answer, question) ?? answer
  if (edns?.dnssecOk !== true) return made
  return signedAnswer(zone, signer, made, edns)
}

/** The same for practically equal answers: for all names that a wildcard answers for, and all absent names. */
function subjectOf({ kind, source }: Answer, type: number): string {
  return kind === 'records' ? `${type} ${source}` : `${kind} ${source}`
}

/**
 * The reply, unless its network was given the same one too often. Beyond that limit, some questions get a reply that makes honest
 * clients come back: with a cookie (RFC 7873 5.2.3), or over TCP.
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

/** A truncated reply, which makes the client ask over TCP. */
const cut = (exchange: Exchange): Buffer =>
  written(exchange, replyTo(exchange, rcodes.NOERROR, { flags: exchange.query.repeatedFlags | flagBits.TC }))

function cutShort(serving: Serving, packet: Buffer, client: Client): Buffer {
  // Cached answers are only for questions that could be read before.
  const query = readQuery(packet) as Query
  return cut(exchangeOf(serving, packet, query, client))
}
