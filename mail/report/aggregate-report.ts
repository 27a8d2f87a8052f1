/** DMARC aggregate reports: what a receiver saw of mail in the name of a domain (RFC 7489 appendix C, RFC 9990). */
import { decodeCharset } from '../encoding/charset.ts'
import { addressOf, countOf, domainOf, lineOf, type ReportedTime, wordOf } from './report-values.ts'
import { childOf, readXml, textIn, type XmlElement } from './xml.ts'

export const dispositions = ['none', 'quarantine', 'reject'] as const
export type Disposition = (typeof dispositions)[number]

const overrideTypes = [
  'forwarded',
  'sampled_out',
  'trusted_forwarder',
  'mailing_list',
  'local_policy',
  'policy_test_mode',
  'other',
] as const
export type Override = (typeof overrideTypes)[number]

const results = ['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror'] as const
export type CheckResult = (typeof results)[number] | 'unknown'

/** The result of one check of the receiver for a domain. */
export type DomainResult = { readonly domain: string; readonly result: CheckResult; readonly selector?: string }

/** Mail from one address with the same results. */
export type SourceRow = {
  /** IP address of the machine from which the receiver got the mail. */
  readonly source: string
  readonly count: number
  /** What the receiver did with it because of the policy. */
  readonly disposition: Disposition
  /** Whether DKIM, and SPF, passed for a domain that is aligned with From. */
  readonly dkim: boolean
  readonly spf: boolean
  /** Why the receiver did not do what the policy says. */
  readonly overrides: readonly Override[]
  readonly headerFrom: string
  readonly dkimResults: readonly DomainResult[]
  readonly spfResults: readonly DomainResult[]
}

export type PublishedPolicy = {
  readonly domain: string
  readonly policy: Disposition
  readonly subdomainPolicy: Disposition | null
  readonly dkimStrict: boolean
  readonly spfStrict: boolean
}

export type AggregateReport = ReportedTime & {
  readonly kind: 'dmarc'
  /** The receiver that reports, by the name it gives itself. */
  readonly organisation: string
  readonly reportId: string
  readonly policy: PublishedPolicy
  /** The rows with the most mail, at most `rowsMax`; equal rows are merged. */
  readonly rows: readonly SourceRow[]
  /** Number of mails in the rows that are left out. */
  readonly omitted: number
}

/** Most rows of one report that are kept, so that reports do not fill the database. */
const rowsMax = 1_000
/** Most different rows of one report that are read, so that they do not fill memory. */
const rowsReadMax = 50_000
/** Most results of one row: a mail has one or two signatures. */
const resultsMax = 6

/** Reads a report. Null when it is not one, or lacks its id, its time or its policy. Linear. Never throws. */
export function readAggregateReport(bytes: Buffer): AggregateReport | null {
  const rows = new Map<string, SourceRow>()
  let metadata: XmlElement | undefined
  let published: XmlElement | undefined
  let unread = 0
  const root = readXml(textOf(bytes), (child) => {
    if (child.name === 'report_metadata') metadata ??= child
    if (child.name === 'policy_published') published ??= child
    const row = child.name === 'record' ? rowOf(child) : null
    if (row === null) return
    const { count, ...rest } = row
    const key = JSON.stringify(rest)
    const before = rows.get(key)?.count
    if (before === undefined && rows.size === rowsReadMax) unread += count
    else rows.set(key, { ...row, count: count + (before ?? 0) })
  })
  if (root !== 'feedback') return null
  const reportId = lineOf(textIn(metadata, 'report_id'))
  const range = childOf(metadata, 'date_range')
  const from = timeOf(textIn(range, 'begin'))
  const until = timeOf(textIn(range, 'end'))
  const policy = policyOf(published)
  if (reportId === null || from === null || until === null || policy === null) return null
  const sorted = [...rows.values()].sort((a, b) => b.count - a.count)
  const omitted = sorted.slice(rowsMax).reduce((sum, { count }) => sum + count, unread)
  const organisation = lineOf(textIn(metadata, 'org_name')) ?? lineOf(textIn(metadata, 'email')) ?? 'unknown'
  return { kind: 'dmarc', organisation, reportId, from, until, policy, rows: sorted.slice(0, rowsMax), omitted }
}

/** Decodes the document by its declaration (XML 1.0 4.3.3). */
function textOf(bytes: Buffer): string {
  const declared = /^[^>]{0,100}encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(bytes.toString('latin1', 0, 200))?.[1]
  return decodeCharset(bytes, declared ?? null)
}

/** A time in seconds since 1970, as the schema says; some receivers write milliseconds, or a date. */
function timeOf(text: string | null): Date | null {
  if (text === null) return null
  const seconds = countOf(text)
  const ms = seconds === null ? Date.parse(text) : seconds < 1e11 ? seconds * 1_000 : seconds
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? new Date(ms) : null
}

function policyOf(published: XmlElement | undefined): PublishedPolicy | null {
  const domain = domainOf(textIn(published, 'domain'))
  if (domain === null) return null
  return {
    domain,
    policy: wordOf(textIn(published, 'p'), dispositions) ?? 'none',
    subdomainPolicy: wordOf(textIn(published, 'sp'), dispositions),
    dkimStrict: textIn(published, 'adkim')?.toLowerCase() === 's',
    spfStrict: textIn(published, 'aspf')?.toLowerCase() === 's',
  }
}

/** Null for a row without an address, a count, or a domain of From. */
function rowOf(record: XmlElement): SourceRow | null {
  const row = childOf(record, 'row')
  const evaluated = childOf(row, 'policy_evaluated')
  const source = addressOf(textIn(row, 'source_ip'))
  const count = countOf(textIn(row, 'count'))
  const headerFrom = domainOf(textIn(childOf(record, 'identifiers'), 'header_from'))
  if (source === null || count === null || count === 0 || headerFrom === null) return null
  const isPass = (name: string) => textIn(evaluated, name)?.toLowerCase() === 'pass'
  const checks = childOf(record, 'auth_results')
  const overrides = (evaluated?.children ?? []).flatMap((child) =>
    child.name === 'reason' ? (wordOf(textIn(child, 'type'), overrideTypes) ?? 'other') : [],
  )
  return {
    source,
    count,
    // RFC 9990 calls mail to which no policy applied `pass`.
    disposition: wordOf(textIn(evaluated, 'disposition'), dispositions) ?? 'none',
    dkim: isPass('dkim'),
    spf: isPass('spf'),
    overrides: [...new Set(overrides)].sort(),
    headerFrom,
    dkimResults: resultsOf(checks, 'dkim'),
    spfResults: resultsOf(checks, 'spf'),
  }
}

function resultsOf(checks: XmlElement | undefined, name: 'dkim' | 'spf'): readonly DomainResult[] {
  return (checks?.children ?? [])
    .filter((child) => child.name === name)
    .slice(0, resultsMax)
    .flatMap((child) => {
      const domain = domainOf(textIn(child, 'domain'))
      if (domain === null) return []
      const selector = name === 'dkim' ? lineOf(textIn(child, 'selector')) : null
      return { domain, result: resultOf(textIn(child, 'result')), ...(selector !== null && { selector }) }
    })
}

function resultOf(text: string | null): CheckResult {
  // Names from drafts of RFC 7489 and RFC 7208.
  const old = text?.toLowerCase() === 'hardfail' ? 'fail' : text?.toLowerCase() === 'error' ? 'temperror' : text
  return wordOf(old, results) ?? 'unknown'
}
