/**
 * What others reported within a period about mail in the name of a domain: by sending address, with what to change. It is computed
 * from the stored reports on each request. The size of strangers' reports is limited when they arrive.
 */
import { normaliseDomain } from '../../mail/domain.ts'
import type { Disposition, SourceRow } from '../../mail/report/aggregate-report.ts'
import { senderNameOf } from '../../mail/report/known-senders.ts'
import { type Finding, findingOf, type Sender } from '../../mail/report/source-findings.ts'
import { tlsFindingOf } from '../../mail/report/tls-findings.ts'
import type { TlsFailure, TlsPolicyResult } from '../../mail/report/tls-report.ts'
import { Failure } from '../../schemas/failures.ts'
import { notACursor, notADomain } from '../../schemas/refusals.ts'
import { walkReports } from '../../store/deliverability.ts'
import type { DomainReportDoc } from '../../store/documents/deliverability.ts'
import type { Page } from '../access/paging.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { after, dayMs, periodsOf, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { ownAddresses } from './own-addresses.ts'
import { confirmedNames } from './reverse-names.ts'

export type Passed = {
  readonly messages: number
  /** Messages for which SPF or DKIM passed and was aligned, so that DMARC passed. */
  readonly passed: number
  readonly spfAligned: number
  readonly dkimAligned: number
  readonly dispositions: { readonly [D in Disposition]: number }
}

export type Source = Passed & {
  readonly source: string
  readonly name: string | null
  readonly organisation: string | null
  readonly isOwn: boolean
  /** The first and the last day (UTC) on which a report about this source begins. */
  readonly firstDay: string
  readonly lastDay: string
  readonly findings: readonly (Finding & { readonly messages: number })[]
}

export type TlsFailures = Pick<TlsFailure, 'type' | 'receivingHost'> & {
  readonly policy: string
  readonly sessions: number
  /** Further details that the senders reported. */
  readonly details: readonly string[]
  readonly explanation: string
  readonly fix: string
}

/** What the reports that begin on one day (UTC) say about all addresses together. */
export type DayPassed = Pick<Passed, 'messages' | 'passed'> & { readonly day: string }

export type Reporter = { readonly domain: string; readonly organisation: string; readonly reports: number }

export type DomainReport = {
  readonly domain: string
  readonly since: Date
  readonly until: Date
  /** False if the period has more reports than are read at once; then the latest were read. */
  readonly isComplete: boolean
  readonly dmarc: Passed & {
    readonly reports: number
    readonly omitted: number
    readonly reporters: readonly Reporter[]
    /** Days with mail, earliest first. */
    readonly days: readonly DayPassed[]
  }
  readonly tls: {
    readonly reports: number
    readonly successful: number
    readonly failed: number
    readonly failures: readonly TlsFailures[]
    readonly reporters: readonly Reporter[]
  }
  /** Sources with the most mail first. */
  readonly sources: Page<Source>
}

const daysDefault = 30
/** Reports read for one answer: enough for thirty days of a domain that a hundred receivers report about. */
const reportsMax = 3_000
/** Rows added up for one answer; stops reporters that fill their reports with rows. */
const rowsMax = 50_000
const reportersShown = 50
const failuresShown = 100
const detailsShown = 5
const findingsShown = 10
/** How long the names of addresses may be looked up. They only help the reader, so nobody waits longer for them. */
const namesMs = 2 * secondMs

/**
 * Sums up the reports about a domain of the account (null: the service itself) that begin between `since` (by default 30 days before
 * `until`) and `until` (by default the end of today), with one page of the addresses that the mail came from. Fails with
 * `domain_not_found`, `validation_error` (cursor, domain, times).
 */
export async function domainReport(
  ctx: Context,
  { accountId }: { readonly accountId: string | null },
  {
    domain: text,
    since,
    until,
    limit,
    before,
  }: { domain: string; since?: Date; until?: Date; limit: number; before?: string },
): Promise<DomainReport> {
  const domain = normaliseDomain(text)
  if (domain === null) throw notADomain(text, 'domain')
  const found = await recentDomain(ctx, domain)
  if (found === null || found.accountId !== accountId)
    throw new Failure('domain_not_found', `The account has no domain ${domain}.`)
  const time = timeOf(ctx, { since, until })
  const position = positionIn(before)
  const own = new Set(await ownAddresses(ctx))
  const sums = await sumsOf(ctx, { accountId, domain, ...time })
  const ordered = [...sums.sources.values()].sort((a, b) => b.messages - a.messages || (a.source < b.source ? -1 : 1))
  const from = position === null ? 0 : ordered.findIndex((each) => isAfter(each, position))
  const shown = from < 0 ? [] : ordered.slice(from, from + limit)
  const names = await confirmedNames(
    ctx,
    shown.map(({ source }) => source),
    namesMs,
  )
  const last = shown.at(-1)
  // A domain of the service itself belongs to no account, so its records cannot be read by the API.
  const records = accountId === null ? `"mailroom doctor ${domain}" tells` : `GET /api/v1/domains/${domain} lists`
  const isMore = from >= 0 && from + limit < ordered.length
  return {
    domain,
    ...time,
    isComplete: sums.isComplete,
    dmarc: { ...sums.dmarc, reporters: reportersOf(sums.dmarcReporters), days: daysOf(sums.days) },
    tls: { ...sums.tls, failures: failuresOf(sums.failures), reporters: reportersOf(sums.tlsReporters) },
    sources: {
      items: shown.map((sum) =>
        sourceOf(sum, { isOwn: own.has(sum.source), name: names.get(sum.source) ?? null, records }),
      ),
      next: isMore && last !== undefined ? cursorOf(last) : null,
    },
  }
}

function timeOf(ctx: Context, { since, until }: { since: Date | undefined; until: Date | undefined }) {
  const end = until ?? periodsOf(ctx.clock.now()).dayEnd
  const begin = since ?? after(end, -daysDefault * dayMs)
  if (begin >= end)
    throw new Failure('validation_error', '"since" is not before "until".', {
      param: 'since',
      fix: 'Pass an earlier "since", or a later "until".',
    })
  return { since: begin, until: end }
}

type SourceSum = Mutable<Passed> & {
  readonly source: string
  firstDay: string
  lastDay: string
  /** Rows that differ only in their counts, added up; by their content without the count. */
  readonly rows: Map<string, { readonly row: SourceRow; messages: number }>
}
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] }
type FailureSum = Pick<TlsFailure, 'type' | 'receivingHost'> & {
  policy: string
  sessions: number
  details: Set<string>
}

type Sums = Awaited<ReturnType<typeof sumsOf>>

async function sumsOf(ctx: Context, about: { accountId: string | null; domain: string; since: Date; until: Date }) {
  const sums = {
    isComplete: true,
    dmarc: { ...nothing(), reports: 0, omitted: 0 },
    tls: { reports: 0, successful: 0, failed: 0 },
    sources: new Map<string, SourceSum>(),
    days: new Map<string, Mutable<DayPassed>>(),
    failures: new Map<string, FailureSum>(),
    dmarcReporters: new Map<string, Mutable<Reporter>>(),
    tlsReporters: new Map<string, Mutable<Reporter>>(),
  }
  let reports = 0
  let rows = 0
  for await (const report of walkReports(ctx.store, { ...about, limit: reportsMax + 1 })) {
    reports += 1
    rows += report.kind === 'dmarc' ? report.rows.length : 0
    if (reports > reportsMax || rows > rowsMax) {
      sums.isComplete = false
      break
    }
    countReporter(report.kind === 'dmarc' ? sums.dmarcReporters : sums.tlsReporters, report)
    if (report.kind === 'dmarc') {
      sums.dmarc.reports += 1
      sums.dmarc.omitted += report.omitted
      for (const row of report.rows as readonly SourceRow[]) addRow(sums, row, periodsOf(report.from).day)
    } else {
      sums.tls.reports += 1
      for (const policy of report.policies as readonly TlsPolicyResult[]) addPolicy(sums, policy)
    }
  }
  return sums
}

const nothing = (): Mutable<Passed> => ({
  messages: 0,
  passed: 0,
  spfAligned: 0,
  dkimAligned: 0,
  dispositions: { none: 0, quarantine: 0, reject: 0 },
})

function countReporter(reporters: Map<string, Mutable<Reporter>>, { reporter, organisation }: DomainReportDoc): void {
  const known = reporters.get(reporter) ?? { domain: reporter, organisation, reports: 0 }
  known.reports += 1
  reporters.set(reporter, known)
}

function addRow({ dmarc, sources, days }: Pick<Sums, 'dmarc' | 'sources' | 'days'>, row: SourceRow, day: string): void {
  const { source, count, ...said } = row
  const sum: SourceSum = sources.get(source) ?? { ...nothing(), source, firstDay: day, lastDay: day, rows: new Map() }
  sources.set(source, sum)
  if (day < sum.firstDay) sum.firstDay = day
  if (day > sum.lastDay) sum.lastDay = day
  const ofDay = days.get(day) ?? { day, messages: 0, passed: 0 }
  days.set(day, ofDay)
  for (const total of [dmarc, sum, ofDay]) {
    total.messages += count
    if (row.spf || row.dkim) total.passed += count
  }
  for (const total of [dmarc, sum]) {
    if (row.spf) total.spfAligned += count
    if (row.dkim) total.dkimAligned += count
    total.dispositions[row.disposition] += count
  }
  const key = JSON.stringify(said)
  const alike = sum.rows.get(key) ?? { row, messages: 0 }
  alike.messages += count
  sum.rows.set(key, alike)
}

function addPolicy({ tls, failures }: Pick<Sums, 'tls' | 'failures'>, policy: TlsPolicyResult): void {
  tls.successful += policy.successful
  tls.failed += policy.failed
  for (const { type, receivingHost, sessions, detail } of policy.failures) {
    const key = `${type} ${policy.type} ${receivingHost}`
    const sum = failures.get(key) ?? { type, receivingHost, policy: policy.type, sessions: 0, details: new Set() }
    sum.sessions += sessions
    if (detail !== null && sum.details.size < detailsShown) sum.details.add(detail)
    failures.set(key, sum)
  }
}

function sourceOf({ rows, ...sum }: SourceSum, { isOwn, name, records }: Sender): Source {
  const organisation = name === null ? null : senderNameOf(name)
  const findings = new Map<string, Finding & { messages: number }>()
  for (const { row, messages } of rows.values()) {
    const finding = findingOf(row, { isOwn, name: organisation, records })
    const key = `${finding.kind} ${finding.explanation}`
    findings.set(key, { ...finding, messages: (findings.get(key)?.messages ?? 0) + messages })
  }
  const ordered = [...findings.values()].sort((a, b) => b.messages - a.messages)
  return { ...sum, name, organisation, isOwn, findings: ordered.slice(0, findingsShown) }
}

function failuresOf(failures: Sums['failures']): readonly TlsFailures[] {
  return [...failures.values()]
    .sort((a, b) => b.sessions - a.sessions)
    .slice(0, failuresShown)
    .map(({ details, ...sum }) => ({ ...sum, details: [...details], ...tlsFindingOf(sum.type, sum.receivingHost) }))
}

function reportersOf(reporters: ReadonlyMap<string, Reporter>): readonly Reporter[] {
  return [...reporters.values()].sort((a, b) => b.reports - a.reports).slice(0, reportersShown)
}

const daysOf = (days: ReadonlyMap<string, DayPassed>): readonly DayPassed[] =>
  [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1))

type Position = Pick<Source, 'messages' | 'source'>

/** Whether a source comes after a position. Reports that arrive between two pages move sources; each page starts from the current order. */
function isAfter({ messages, source }: Position, last: Position): boolean {
  return messages < last.messages || (messages === last.messages && source > last.source)
}

const cursorOf = ({ messages, source }: Position) => Buffer.from(`${messages} ${source}`).toString('base64url')

function positionIn(cursor: string | undefined): Position | null {
  if (cursor === undefined) return null
  const [, messages, source] = /^(\d{1,15}) ([0-9a-f.:]{2,45})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (messages === undefined || source === undefined) throw notACursor('before')
  return { messages: Number(messages), source }
}
