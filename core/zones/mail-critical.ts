/** The records that mail depends on (interface.md, Scopes), and what each does for mail. */
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'

/** The label of the record by which an owner proves ownership of a domain. */
export const ownershipLabel = '_mailroom'

/** A record in its zone; the name is relative, '@' is the domain itself. */
export type RecordInZone = Pick<ZoneRecordDoc, 'name' | 'type' | 'value'>

/** A zone: its domain and its records. */
export type RecordsOf = { readonly origin: string; readonly records: readonly RecordInZone[] }

type Rule = {
  /** What the record does for mail, as the end of a sentence that begins with the record. */
  readonly why: string
  readonly holds: (record: RecordInZone) => boolean
}

/** Types that lead to a server, by its address or by another name. */
const leading: readonly string[] = ['A', 'AAAA', 'CNAME']
const isText = (record: RecordInZone, tag: RegExp) => record.type === 'TXT' && tag.test(record.value)
const isUnder = (record: RecordInZone, label: RegExp) =>
  (record.type === 'TXT' || record.type === 'CNAME') && label.test(record.name)

/** What a record does by itself, whatever else is in its zone. The first rule that holds is used. */
const rules: readonly Rule[] = [
  { why: 'says which servers receive the mail (MX)', holds: ({ type }) => type === 'MX' },
  { why: 'says which servers may send the mail (SPF)', holds: (record) => isText(record, spfForm) },
  {
    why: 'holds a key that mail is signed with (DKIM)',
    holds: (record) => isUnder(record, /(?:^|\.)_domainkey(?:\.|$)/),
  },
  { why: 'says what becomes of forged mail (DMARC)', holds: (record) => isUnder(record, /^_dmarc(?:\.|$)/) },
  {
    why: 'says that mail comes encrypted (MTA-STS)',
    holds: (record) =>
      isUnder(record, /^_mta-sts(?:\.|$)/) || (leading.includes(record.type) && /^mta-sts(?:\.|$)/.test(record.name)),
  },
  {
    why: 'says where reports about encryption go (TLS-RPT)',
    holds: (record) => isUnder(record, /^_smtp\._tls(?:\.|$)/),
  },
  { why: 'shows whose domain it is', holds: (record) => isUnder(record, new RegExp(`^${ownershipLabel}(?:\\.|$)`)) },
]

/**
 * Returns a function that says what a record of the zone does for mail, as the end of a sentence that begins with the record; null
 * if mail does not depend on it.
 */
export function criticalIn({ origin, records }: RecordsOf): (record: RecordInZone) => string | null {
  const servers = namedByMail({ origin, records })
  const byItself = (record: RecordInZone): string | null => {
    if (leading.includes(record.type) && servers.has(absolute(record.name, origin)))
      return 'is where a server is found that MX or SPF names'
    return rules.find(({ holds }) => holds(record))?.why ?? null
  }
  const critical = records.filter((record) => record.type !== 'NS' && byItself(record) !== null)
  const above = new Set(critical.flatMap(({ name }) => enclosing(name)))
  return (record) =>
    record.type === 'NS' && above.has(record.name)
      ? 'hands names that mail depends on to other servers (NS)'
      : byItself(record)
}

const spfForm = /^v=spf1(?:\s|$)/i

/** The names under which mail looks for servers: those in MX records and in `a:`, `include:` and `redirect=` of SPF, and their aliases. */
function namedByMail({ origin, records }: RecordsOf): ReadonlySet<string> {
  const names = new Set<string>()
  for (const record of records) {
    if (record.type === 'MX') names.add(record.value)
    if (!isText(record, spfForm)) continue
    for (const [, term = '', host] of record.value.matchAll(
      /\s[+?~-]?(a|include|redirect)(?:[:=]([^\s/]+))?(?=[\s/]|$)/gi,
    ))
      if (host !== undefined) names.add(host.toLowerCase())
      else if (term.toLowerCase() === 'a') names.add(absolute(record.name, origin))
  }
  const aliases = new Map(
    records.flatMap(({ name, type, value }) => (type === 'CNAME' ? [[absolute(name, origin), value]] : [])),
  )
  // Names added during the loop are visited too.
  for (const name of names) {
    const target = aliases.get(name)
    if (target !== undefined) names.add(target)
  }
  return names
}

/** The absolute form of a name that is relative to its zone. */
export const absolute = (name: string, origin: string): string => (name === '@' ? origin : `${name}.${origin}`)

/** A relative name and all names above it. */
function enclosing(name: string): readonly string[] {
  const labels = name.split('.')
  return labels.map((_, n) => labels.slice(n).join('.'))
}
