/**
 * The DNS resolver of a process (setting `resolver`). Answers are cached for their time to live, negative answers too
 * (RFC 2308), and failures for a few seconds (RFC 9520), in bounded memory. Callers that ask for a name while it is
 * being looked up share the answer.
 */
import { getServers, lookup as lookupSystem } from 'node:dns/promises'
import { isIP } from 'node:net'
import {
  type DnsCode,
  DnsError,
  type DnsRecords,
  type NameServer,
  query,
  type Records,
  type RecordType,
} from './query.ts'

export { DnsError, type DnsRecords, type Records, type RecordType } from './query.ts'

export type Resolver = {
  /** The servers that are queried, as `address:port`. */
  readonly servers: readonly string[]
  /** The records of a name, at least one. Fails with a `DnsError`. */
  resolve<T extends RecordType>(name: string, type: T): Promise<Records[T][]>
  /**
   * The current answer of each server (at most three) about a name, bypassing the cache. For a server that failed, the error says
   * why.
   */
  askEach<T extends RecordType>(name: string, type: T): Promise<readonly (DnsRecords<T> | DnsError)[]>
  /**
   * The TLSA records of a port of a host that has an address of this family. Null if DNSSEC did not validate them or the address;
   * with an unvalidated address they are not queried. Fails with a temporary `DnsError`.
   */
  securePins(server: {
    readonly host: string
    readonly port: number
    readonly family: 4 | 6
  }): Promise<readonly Records['TLSA'][] | null>
  /** Whether DNSSEC validated the answer about a name, even one that no record exists. Fails with a temporary `DnsError`. */
  isSecure(name: string, type: RecordType): Promise<boolean>
  /**
   * The addresses of a host. Without servers in the settings, the operating system resolves it (including its hosts file).
   * Fails with an error of node:dns or a `DnsError`.
   */
  addresses(host: string): Promise<readonly { readonly address: string; readonly family: 4 | 6 }[]>
}

/** Longest time that a negative answer is cached, so that a newly published record is found soon. */
const absentSecondsMax = 300
const foundSecondsMax = 86_400
const failedSeconds = 5
/** Overhead counted per answer, in addition to its records: about 10,000 of the shortest answers are cached. */
const answerOverheadChars = 800
/** Bounds the cache of answers, in characters and in time; stops senders who make us look up ever more names. */
export const answersPolicy = {
  max: 8 * 1024 * 1024,
  weigh: ({ chars }: DnsAnswer) => chars + answerOverheadChars,
  ttlMs: foundSecondsMax * 1000,
}
/** Queries in progress at once, each of which holds a socket; stops a flood of names whose servers do not answer. */
const underWayMax = 500

/** The result of a query; `code` says why there are no records, null if there are. */
export type DnsAnswer = {
  readonly records: readonly unknown[]
  readonly code: DnsCode | null
  readonly secure: boolean
  readonly ttlMs: number
  readonly chars: number
}

/** A cache of answers, each for its time to live. */
export type DnsAnswers = {
  get(question: string): DnsAnswer | undefined
  set(question: string, answer: DnsAnswer, ttlMs: number): void
}

/** Makes a resolver. Throws if a server in the settings is not an address. */
export function createResolver(settings: readonly string[], answers: DnsAnswers): Resolver {
  const hasOwnServers = settings.length > 0
  const servers = hasOwnServers ? settings.map(serverOf) : getServers().flatMap((text) => addressOf(text) ?? [])
  const underWay = new Map<string, Promise<DnsAnswer>>()

  async function ask(key: string, name: string, type: RecordType): Promise<DnsAnswer> {
    const answer = await answerOf(servers, name, type)
    if (answer.ttlMs > 0) answers.set(key, answer, answer.ttlMs)
    return answer
  }

  async function answerTo(name: string, type: RecordType): Promise<DnsAnswer> {
    const key = `${type} ${name}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const asked = underWay.get(key)
    if (asked !== undefined) return asked
    if (underWay.size >= underWayMax) throw new DnsError('EBUSY', name, type)
    const asking = ask(key, name, type).finally(() => underWay.delete(key))
    underWay.set(key, asking)
    return asking
  }

  /** Like `answerTo`, but fails with a temporary `DnsError` if the query failed. */
  async function soundAnswerTo(name: string, type: RecordType): Promise<DnsAnswer> {
    const answer = await answerTo(name, type)
    const { code } = answer
    if (code !== null && code !== 'ENOTFOUND' && code !== 'ENODATA') throw new DnsError(code, name, type)
    return answer
  }

  async function resolve<T extends RecordType>(givenName: string, type: T): Promise<Records[T][]> {
    const name = canonical(givenName)
    if (!isName(name)) throw new DnsError('EBADNAME', name, type)
    const special = hasOwnServers ? null : specialAnswer(name, type)
    if (special !== null && special.length > 0) return [...special] as Records[T][]
    if (special !== null) throw new DnsError('ENOTFOUND', name, type)
    const { records, code } = await answerTo(name, type)
    if (code !== null) throw new DnsError(code, name, type)
    return [...records] as Records[T][]
  }

  return {
    servers: servers.map(({ address, port }) => (isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`)),
    resolve,
    askEach: (name, type) =>
      Promise.all(servers.slice(0, serversAskedMax).map((server) => query([server], name, type).catch(failureOf))),
    async securePins({ host, port, family }) {
      const name = canonical(host)
      // RFC 7672 2.2.2: many servers of zones without DNSSEC fail on TLSA queries, and mail to their domains would never be sent.
      const address = await soundAnswerTo(name, family === 4 ? 'A' : 'AAAA')
      if (!address.secure) return null
      const { records, secure } = await soundAnswerTo(`_${port}._tcp.${name}`, 'TLSA')
      return secure ? (records as Records['TLSA'][]) : null
    },
    isSecure: async (name, type) => (await soundAnswerTo(canonical(name), type)).secure,
    async addresses(host) {
      const literal = isIP(host)
      if (literal !== 0) return [{ address: host, family: literal === 6 ? 6 : 4 }]
      if (host === 'localhost') return [{ address: '127.0.0.1', family: 4 }] // RFC 6761 6.3
      if (!hasOwnServers) {
        const found = await lookupSystem(host, { all: true })
        return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
      }
      const [v4, v6] = await Promise.allSettled([resolve(host, 'A'), resolve(host, 'AAAA')])
      if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
      return [
        ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 as const })) : []),
        ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 as const })) : []),
      ]
    },
  }
}

const canonical = (name: string) => name.replace(/\.$/, '').toLowerCase()

/** Whether an error says that the name or the record does not exist. Any other failure is temporary. */
export function isAbsent(error: unknown): boolean {
  return error instanceof DnsError && ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(error.code)
}

/** Servers that `askEach` queries in parallel. */
const serversAskedMax = 3

function failureOf(error: unknown): DnsError {
  if (error instanceof DnsError) return error
  throw error
}

async function answerOf(servers: readonly NameServer[], name: string, type: RecordType): Promise<DnsAnswer> {
  try {
    const { records, absent, ttlSeconds, secure } = await query(servers, name, type)
    const seconds = Math.min(ttlSeconds, absent === null ? foundSecondsMax : absentSecondsMax)
    return { records, code: absent, secure, ttlMs: seconds * 1000, chars: name.length + charsOf(records) }
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    return { records: [], code: error.code, secure: false, ttlMs: failedSeconds * 1000, chars: name.length }
  }
}

/** The answer for names that are never queried (RFC 6761 6.3, 6.4); null for all other names. */
function specialAnswer(name: string, type: RecordType): readonly string[] | null {
  const top = name.slice(name.lastIndexOf('.') + 1)
  if (top === 'invalid') return []
  if (top !== 'localhost') return null
  return type === 'A' ? ['127.0.0.1'] : type === 'AAAA' ? ['::1'] : []
}

/** Whether a name has valid lengths (RFC 1035 2.3.4) and only visible ASCII: other scripts must already be A-labels. */
function isName(name: string): boolean {
  return (
    name.length <= 253 &&
    /^[\x21-\x7e]+$/.test(name) &&
    name.split('.').every((label) => label.length > 0 && label.length <= 63)
  )
}

function charsOf(records: readonly unknown[]): number {
  return records.reduce<number>((sum, record) => sum + JSON.stringify(record).length, 0)
}

/** Parses a server of the settings. Throws if it is not an address. */
function serverOf(text: string): NameServer {
  const server = addressOf(text)
  if (server === null) throw new Error(`The DNS server "${text}" (setting resolver) is not an address and port.`)
  return server
}

/**
 * Parses `address:port`, `[address]:port`, or a bare address as the system lists its servers; null for any other text.
 */
function addressOf(text: string): NameServer | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  const host = bracketed ?? plain ?? text
  const address = host === 'localhost' ? '127.0.0.1' : host
  return isIP(address) === 0 ? null : { address, port: Number(port ?? 53) }
}
