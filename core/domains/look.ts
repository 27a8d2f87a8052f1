/**
 * Checks the DNS of a domain: every resolver in the settings is queried for each record to publish. If a record is not right, more is
 * queried, so that the result can say what was published instead.
 */
import { DnsError, type DnsRecords, isAbsent, type Records, type RecordType } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'
import { judge, type Seen, type Verdict } from './mistakes.ts'
import type { RecordToPublish } from './records-to-publish.ts'

/** A record to publish, with one verdict per resolver; null for a resolver that failed. */
export type Looked = { readonly record: RecordToPublish; readonly verdicts: readonly (Verdict | null)[] }

/** The answer of one resolver: values as in zone files; null if it failed. */
type Answers = readonly string[] | null

/** Values read per name, and characters of each: a stranger's zone may contain anything. */
const valuesMax = 20
const valueCharsMax = 4_000

/** Queries all records to publish of a domain. Never fails: a resolver that fails gives null. */
export async function checkRecords(
  ctx: Context,
  domain: string,
  records: readonly RecordToPublish[],
): Promise<readonly Looked[]> {
  const ask = askerOf(ctx)
  return Promise.all(
    records.map(async (record) => {
      const first = (await ask(record.name, record.type)).map((answers) => verdictOf(domain, record, { answers }))
      if (first.every((verdict) => verdict === null || verdict.ok)) return { record, verdicts: first }
      const more = await askFurther(ask, domain, record, ctx.hostname)
      const answers = await ask(record.name, record.type)
      const verdicts = answers.map((each, n) => verdictOf(domain, record, { answers: each, ...more[n] }))
      return { record, verdicts }
    }),
  )
}

function verdictOf(
  domain: string,
  record: RecordToPublish,
  { answers, ...more }: { readonly answers: Answers } & Partial<Omit<Seen, 'answers'>>,
): Verdict | null {
  if (answers === null) return null
  const nothing = { alias: null, doubled: [], elsewhere: [], hasSameAddresses: false }
  return judge({ domain, record, seen: { ...nothing, ...more, answers } })
}

type Ask = (name: string, type: RecordType) => Promise<readonly Answers[]>

/** Queries all resolvers, each question once per check. */
function askerOf(ctx: Context): Ask {
  const asked = new Map<string, Promise<readonly Answers[]>>()
  return (name, type) => {
    const key = `${type} ${name}`
    const before = asked.get(key)
    if (before !== undefined) return before
    const asking = ctx.resolver.askEach(name, type).then((each) => each.map((answer) => readAnswer(answer, type)))
    asked.set(key, asking)
    return asking
  }
}

function readAnswer<T extends RecordType>(answer: DnsRecords<T> | DnsError, type: T): Answers {
  if (answer instanceof DnsError) return isAbsent(answer) ? [] : null
  return answer.records.slice(0, valuesMax).map((record) => written(type, record).slice(0, valueCharsMax))
}

/** A record as in a zone file; a text without quotes. */
function written<T extends RecordType>(type: T, record: Records[T]): string {
  if (typeof record === 'string') return record.toLowerCase().replace(/\.$/, '')
  if (Array.isArray(record)) return record.join('')
  if (type === 'MX') {
    const { priority, exchange } = record as Records['MX']
    return `${priority} ${hostOf(exchange)}`
  }
  const { priority, weight, port, target } = record as Records['SRV']
  return `${priority} ${weight} ${port} ${hostOf(target)}`
}

/** The root is written as a dot; it means that there is no host (RFC 7505, RFC 2782). */
const hostOf = (name: string) => name.toLowerCase() || '.'

/** Queries more about a record that is not right, for each resolver. */
async function askFurther(
  ask: Ask,
  domain: string,
  record: RecordToPublish,
  hostname: string,
): Promise<readonly Omit<Seen, 'answers'>[]> {
  const { name, type } = record
  const wrongPlaces = misplaced(domain, record)
  const [aliases, doubled, own, wanted, ...elsewhere] = await Promise.all([
    type === 'CNAME' ? [] : ask(name, 'CNAME'),
    ask(`${name}.${domain}`, type),
    type === 'CNAME' ? ask(name, 'A') : [],
    type === 'CNAME' ? ask(hostname, 'A') : [],
    ...wrongPlaces.map((place) => ask(place.name, type)),
  ])
  return doubled.map((again, n) => ({
    alias: aliases[n]?.[0] ?? null,
    doubled: again ?? [],
    elsewhere: wrongPlaces.map((place, at) => ({
      name: place.name,
      answers: (elsewhere[at]?.[n] ?? []).filter((answer) => place.form.test(answer)),
    })),
    hasSameAddresses: (own[n] ?? []).some((address) => wanted[n]?.includes(address) ?? false),
  }))
}

/** How a record is recognised: a pattern, or a part of its own value. */
type Form = { test(answer: string): boolean }
/** A part of an ownership token that is long enough to be unique. */
const tokenEndChars = 20

/** Names at which a record is often published by mistake, and how it is recognised there. */
function misplaced(domain: string, { purpose, name, value }: RecordToPublish) {
  const [kind = ''] = purpose.split(' ')
  const places: { readonly [kind: string]: { readonly names: readonly string[]; readonly form: Form } } = {
    dmarc: { names: [domain, `dmarc.${domain}`], form: /v\s*=\s*DMARC1/i },
    dkim: { names: [domain, name.replace('._domainkey.', '.')], form: /p\s*=\s*[A-Za-z0-9+/]/ },
    spf: { names: [`_spf.${domain}`, `spf.${domain}`], form: /^"?v=spf1/i },
    ownership: { names: [domain], form: { test: (answer) => answer.includes(value.slice(-tokenEndChars)) } },
    'mta-sts': { names: [domain, `mta-sts.${domain}`], form: /v\s*=\s*STSv1/i },
    'tls-rpt': { names: [domain, `_tls.${domain}`, `_smtp-tls.${domain}`], form: /v\s*=\s*TLSRPTv1/i },
  }
  const { names, form } = places[kind] ?? { names: [], form: /$^/ }
  return names.map((each) => ({ name: each, form }))
}
