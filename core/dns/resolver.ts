/**
 * All DNS questions of a process (setting `resolver`). Answers are kept for their time to live, absences too (RFC 2308),
 * and failures for a moment (RFC 9520), within a bound of memory; who asks for what is being asked for shares the answer.
 */
import { getServers, lookup as lookupSystem } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type DnsCode, DnsError, type NameServer, query, type Records, type RecordType } from './query.ts'

export { DnsError, type Records, type RecordType } from './query.ts'

export type Resolver = {
  /** The servers it asks, as `address:port`. */
  readonly servers: readonly string[]
  /** The records of a name; at least one. Fails with a `DnsError`. */
  resolve<T extends RecordType>(name: string, type: T): Promise<Records[T][]>
  /** The certificates pinned at a name; null when nothing vouches for the answer. Fails with a `DnsError` that may pass. */
  securePins(name: string): Promise<readonly Records['TLSA'][] | null>
  /** The addresses of a host: without servers in the settings as the machine finds them (its hosts file too). */
  addresses(host: string): Promise<readonly { readonly address: string; readonly family: 4 | 6 }[]>
}

/** Of an absence: a record that was just published is found soon. */
const absentSecondsMax = 300
const foundSecondsMax = 86_400
const failedSeconds = 5
/** Of an answer beside its records: some 10,000 of the shortest are kept. */
const answerOverheadChars = 800
/** What is kept of answers, against a sender who makes us ask for more and more names: so many characters, and how long. */
export const answersPolicy = {
  max: 8 * 1024 * 1024,
  weigh: ({ chars }: DnsAnswer) => chars + answerOverheadChars,
  ttlMs: foundSecondsMax * 1000,
}
/** Against a flood of questions that nobody answers: each holds a socket. */
const openMax = 500

/** What became of a question; `code` says why there are no records. */
export type DnsAnswer = {
  readonly records: readonly unknown[]
  readonly code: DnsCode | null
  readonly secure: boolean
  readonly ttlMs: number
  readonly chars: number
}

/** Where answers are kept for their time to live. */
export type DnsAnswers = {
  get(question: string): DnsAnswer | undefined
  set(question: string, answer: DnsAnswer, ttlMs: number): void
}

/** Makes the resolver of a process. Fails on a server that is no address. */
export function createResolver(settings: readonly string[], answers: DnsAnswers): Resolver {
  const own = settings.length > 0
  const servers = own ? settings.map(serverOf) : getServers().flatMap((text) => addressOf(text) ?? [])
  const open = new Map<string, Promise<DnsAnswer>>()

  async function ask(key: string, name: string, type: RecordType): Promise<DnsAnswer> {
    const answer = await answerOf(servers, name, type)
    if (answer.ttlMs > 0) answers.set(key, answer, answer.ttlMs)
    return answer
  }

  async function answerTo(name: string, type: RecordType): Promise<DnsAnswer> {
    const key = `${type} ${name}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const asked = open.get(key)
    if (asked !== undefined) return asked
    if (open.size >= openMax) throw new DnsError('EBUSY', name, type)
    const asking = ask(key, name, type).finally(() => open.delete(key))
    open.set(key, asking)
    return asking
  }

  async function resolve<T extends RecordType>(asGiven: string, type: T): Promise<Records[T][]> {
    const name = asGiven.replace(/\.$/, '').toLowerCase()
    if (!isName(name)) throw new DnsError('EBADNAME', name, type)
    const special = own ? null : specialAnswer(name, type)
    if (special !== null && special.length > 0) return [...special] as Records[T][]
    if (special !== null) throw new DnsError('ENOTFOUND', name, type)
    const { records, code } = await answerTo(name, type)
    if (code !== null) throw new DnsError(code, name, type)
    return [...records] as Records[T][]
  }

  return {
    servers: servers.map(({ address, port }) => (isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`)),
    resolve,
    async securePins(name) {
      const { records, code, secure } = await answerTo(name.toLowerCase(), 'TLSA')
      if (code !== null && code !== 'ENOTFOUND' && code !== 'ENODATA') throw new DnsError(code, name, 'TLSA')
      return secure ? (records as Records['TLSA'][]) : null
    },
    async addresses(host) {
      const literal = isIP(host)
      if (literal !== 0) return [{ address: host, family: literal === 6 ? 6 : 4 }]
      if (host === 'localhost') return [{ address: '127.0.0.1', family: 4 }] // RFC 6761 6.3
      if (!own) {
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

/** Whether a failure says that the name, or the record, does not exist; otherwise asking again may help. */
export function isAbsent(error: unknown): boolean {
  return error instanceof DnsError && ['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(error.code)
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

/** Names that no server knows (RFC 6761 6.3, 6.4); null: any other one. */
function specialAnswer(name: string, type: RecordType): readonly string[] | null {
  const top = name.slice(name.lastIndexOf('.') + 1)
  if (top === 'invalid') return []
  if (top !== 'localhost') return null
  return type === 'A' ? ['127.0.0.1'] : type === 'AAAA' ? ['::1'] : []
}

/** RFC 1035 2.3.4; letters beyond ASCII have to be A-labels already. */
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

/** A server of the settings. */
function serverOf(text: string): NameServer {
  const server = addressOf(text)
  if (server === null) throw new Error(`The DNS server "${text}" (setting resolver) is not an address and port.`)
  return server
}

/** `address:port`, `[address]:port`, or an address alone as the system tells it. */
function addressOf(text: string): NameServer | null {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  const host = bracketed ?? plain ?? text
  const address = host === 'localhost' ? '127.0.0.1' : host
  return isIP(address) === 0 ? null : { address, port: Number(port ?? 53) }
}
