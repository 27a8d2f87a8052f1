/**
 * A zone indexed for questions: by name, then by type, with each value in wire form. Built once per version of a zone.
 * Invariant: every name between a record and the apex has a node, so that empty non-terminals exist (RFC 4592 2.2.2).
 */
import { encode, type Answer as PacketAnswer } from 'dns-packet'
import { isWithin, parentOf, type WireName, wireName } from '../core/zones/names.ts'
import type { Zone, ZoneRecord } from '../core/zones/served-zones.ts'
import { keyTtlSeconds, type ZoneKeys } from '../core/zones/zone-keys.ts'
import { types } from './codes.ts'

/** A value in wire form: bytes, and names that may be compressed (RFC 3597 4). */
export type RecordValue = readonly (Buffer | WireName)[]

export type RrSet = {
  readonly owner: WireName
  readonly type: number
  readonly ttlSeconds: number
  readonly values: readonly RecordValue[]
  /** Names in the values whose addresses a client will ask for next. */
  readonly targets: readonly WireName[]
}

/** The sets at a name, by type; an empty non-terminal has none. */
export type Node = ReadonlyMap<number, RrSet>

export type ZoneIndex = {
  readonly origin: WireName
  readonly serial: number
  readonly nodes: ReadonlyMap<WireName, Node>
  readonly soa: RrSet
  /** The SOA as sent in negative answers: its TTL says how long an absence may be cached (RFC 2308 3). */
  readonly negativeSoa: RrSet
  /** Whether parts of the zone are delegated. */
  readonly hasCuts: boolean
}

/** The times of SOA and NS in seconds: for secondaries as in RFC 1912 2.2; short for absences, so that a new record is found soon. */
const apexTtlSeconds = 3_600
const refreshSeconds = 3_600
const retrySeconds = 600
const expireSeconds = 1_209_600
const negativeSeconds = 300
/** Offset of the data in a packet with one record of the root: after header, name, type, class, TTL and length. */
const recordDataAt = 12 + 1 + 10

/**
 * Indexes a zone. The name servers become the NS records of the apex, and the first of them with the serial its SOA. A signed zone also
 * has its keys there. Throws if a name is not valid. Of several CNAME records at a name, the first one counts.
 */
export function indexZone(zone: Zone, nameServers: readonly string[], keys: ZoneKeys | null = null): ZoneIndex {
  const origin = wireName(zone.origin)
  const servers = nameServers.map(wireName)
  const gathered = new Map<WireName, Map<number, Gathered>>()
  const add = (set: RrSet) => {
    const node = nodeAt(gathered, set.owner, origin)
    const before = node.get(set.type)
    if (before === undefined) node.set(set.type, gathering(set))
    else merge(before, set)
  }
  const soa = soaOf(origin, zone.serial, servers[0] ?? origin)
  add(soa)
  for (const server of servers) add(apexSet(origin, types.NS, [server], [server]))
  if (keys !== null) for (const set of keySets(keys, origin)) add(set)
  for (const record of zone.records) {
    const owner = wireName(record.name)
    if (isWithin(owner, origin)) add({ owner, ttlSeconds: record.ttlSeconds, ...dataOf(record) })
  }
  const nodes = new Map([...gathered].map(([name, node]) => [name, nodeOf(node)]))
  const hasCuts = [...nodes].some(([name, node]) => name !== origin && node.has(types.NS))
  return {
    origin,
    serial: zone.serial,
    nodes,
    soa: nodes.get(origin)!.get(types.SOA)!,
    negativeSoa: { ...soa, ttlSeconds: negativeSeconds },
    hasCuts,
  }
}

/** A set to which more values may be added. */
type Gathered = {
  readonly first: RrSet
  ttlSeconds: number
  readonly values: Map<string, RecordValue>
  readonly targets: Set<WireName>
}

function gathering(set: RrSet): Gathered {
  const gathered = {
    first: set,
    ttlSeconds: set.ttlSeconds,
    values: new Map<string, RecordValue>(),
    targets: new Set<WireName>(),
  }
  merge(gathered, set)
  return gathered
}

/** RFC 2181 5: a set contains the same value only once, and has one TTL. */
function merge(gathered: Gathered, { type, ttlSeconds, values, targets }: RrSet): void {
  if (type === types.CNAME && gathered.values.size > 0) return
  gathered.ttlSeconds = Math.min(gathered.ttlSeconds, ttlSeconds)
  for (const value of values) gathered.values.set(bytesOf(value), value)
  for (const target of targets) gathered.targets.add(target)
}

function nodeOf(node: ReadonlyMap<number, Gathered>): Node {
  const sets = [...node].map(([type, { first, ttlSeconds, values, targets }]): [number, RrSet] => {
    return [type, { ...first, ttlSeconds, values: [...values.values()], targets: [...targets] }]
  })
  return new Map(sets)
}

/** The records about keys at the apex: for resolvers, and for the parent zone, which key to name (RFC 7344, 8078). */
function keySets({ signing, published }: ZoneKeys, origin: WireName): readonly RrSet[] {
  const data = [
    ...published.map(({ dnskey }) => [types.DNSKEY, dnskey] as const),
    [types.CDNSKEY, signing.dnskey] as const,
    [types.CDS, signing.ds] as const,
  ]
  return data.map(([type, value]) => ({ ...apexSet(origin, type, [value]), ttlSeconds: keyTtlSeconds }))
}

function apexSet(origin: WireName, type: number, value: RecordValue, targets: readonly WireName[] = []): RrSet {
  return { owner: origin, type, ttlSeconds: apexTtlSeconds, values: [value], targets }
}

/** The node of a name. It is created if missing, with all nodes above it up to the apex. */
function nodeAt<T>(nodes: Map<WireName, Map<number, T>>, name: WireName, origin: WireName): Map<number, T> {
  const existing = nodes.get(name)
  if (existing !== undefined) return existing
  const node = new Map<number, T>()
  nodes.set(name, node)
  if (name !== origin) nodeAt(nodes, parentOf(name), origin)
  return node
}

/** A value without compression, as a string with one character per byte. */
export function bytesOf(value: RecordValue): string {
  return value.map((part) => (typeof part === 'string' ? part : part.toString('latin1'))).join('')
}

function soaOf(origin: WireName, serial: number, server: WireName): RrSet {
  const numbers = Buffer.alloc(20)
  for (const [n, value] of [serial, refreshSeconds, retrySeconds, expireSeconds, negativeSeconds].entries())
    numbers.writeUInt32BE(value >>> 0, 4 * n)
  // RFC 1035 3.3.13: the mailbox of the person responsible; postmaster@ of the domain always exists.
  const mailbox = `\x0apostmaster${origin}`
  return apexSet(origin, types.SOA, [server, mailbox.length > 255 ? origin : mailbox, numbers])
}

function dataOf(record: ZoneRecord): Pick<RrSet, 'type' | 'values' | 'targets'> {
  const type = types[record.type]
  switch (record.type) {
    case 'CNAME':
    case 'NS': {
      const target = wireName(record.data)
      return { type, values: [[target]], targets: record.type === 'NS' ? [target] : [] }
    }
    case 'MX': {
      const target = wireName(record.data.exchange)
      return { type, values: [[number16(record.data.preference), target]], targets: [target] }
    }
    case 'SRV': {
      // Not compressed (RFC 2782), and in lower case, as it is signed (RFC 6840 5.1).
      const { priority, weight, port, target } = record.data
      const name = wireName(target)
      const numbers = [priority, weight, port].map(number16)
      return { type, values: [[Buffer.concat([...numbers, Buffer.from(name, 'latin1')])]], targets: [name] }
    }
    default:
      return { type, values: [[encoded(record)]], targets: [] }
  }
}

/** The data of a record, encoded by dns-packet, which may modify its input. */
function encoded({ type, data }: ZoneRecord): Buffer {
  const own = Array.isArray(data) ? [...data] : typeof data === 'object' ? { ...data } : data
  return encode({ answers: [{ name: '.', type, data: own } as PacketAnswer] }).subarray(recordDataAt)
}

function number16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
