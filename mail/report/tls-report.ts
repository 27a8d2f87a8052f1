/** TLS reports: how connections to the mail servers of a domain fared (RFC 8460). */
import { addressOf, countOf, domainOf, lineOf, type ReportedTime, wordOf } from './report-values.ts'

export const policyTypes = ['sts', 'tlsa', 'no-policy-found'] as const
export type PolicyType = (typeof policyTypes)[number]

/** RFC 8460 4.3. Any other kind of failure is `other`. */
export const tlsFailureTypes = [
  'starttls-not-supported',
  'certificate-host-mismatch',
  'certificate-expired',
  'certificate-not-trusted',
  'validation-failure',
  'tlsa-invalid',
  'dnssec-invalid',
  'dane-required',
  'sts-policy-fetch-error',
  'sts-policy-invalid',
  'sts-webpki-invalid',
] as const
export type TlsFailureType = (typeof tlsFailureTypes)[number] | 'other'

export type TlsFailure = {
  readonly type: TlsFailureType
  readonly sessions: number
  readonly sendingAddress: string | null
  /** Name and address of the mail server that the sender connected to. */
  readonly receivingHost: string | null
  readonly receivingAddress: string | null
  /** What else the sender says about the failure. */
  readonly detail: string | null
}

/** The results of sessions under one policy. */
export type TlsPolicyResult = {
  readonly type: PolicyType
  readonly domain: string
  readonly successful: number
  readonly failed: number
  readonly failures: readonly TlsFailure[]
}

export type TlsReport = ReportedTime & {
  readonly kind: 'tls'
  readonly organisation: string
  readonly reportId: string
  /** At most `policiesMax`. */
  readonly policies: readonly TlsPolicyResult[]
}

/** Most policies of one report: a domain has one or two. */
const policiesMax = 20
/** Most failures of one policy that are kept. */
const failuresMax = 500
/** JSON of millions of empty arrays, which takes many times its size in memory. */
const bytesMax = 2 * 1024 * 1024

/** Reads a report. Null when it is not one, or lacks its id, its time or its policies. Never throws. */
export function readTlsReport(bytes: Buffer): TlsReport | null {
  const report = objectOf(jsonOf(bytes))
  const range = objectOf(report['date-range'])
  const reportId = lineOf(report['report-id'])
  const from = timeOf(range['start-datetime'])
  const until = timeOf(range['end-datetime'])
  const policies = listOf(report.policies).slice(0, policiesMax).flatMap(policyOf)
  if (reportId === null || from === null || until === null || policies.length === 0) return null
  const organisation = lineOf(report['organization-name']) ?? lineOf(report['contact-info']) ?? 'unknown'
  return { kind: 'tls', organisation, reportId, from, until, policies }
}

function jsonOf(bytes: Buffer): unknown {
  if (bytes.length > bytesMax) return null
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null // not a report
  }
}

function policyOf(given: unknown): TlsPolicyResult[] {
  const { policy, summary, 'failure-details': details } = objectOf(given)
  const { 'policy-type': type, 'policy-domain': name } = objectOf(policy)
  const domain = domainOf(name)
  if (domain === null) return []
  const counts = objectOf(summary)
  const failures = listOf(details).slice(0, failuresMax).flatMap(failureOf)
  return [
    {
      type: wordOf(type, policyTypes) ?? 'no-policy-found',
      domain,
      successful: countOf(counts['total-successful-session-count']) ?? 0,
      failed:
        countOf(counts['total-failure-session-count']) ?? failures.reduce((sum, { sessions }) => sum + sessions, 0),
      failures,
    },
  ]
}

function failureOf(given: unknown): TlsFailure[] {
  const failure = objectOf(given)
  const sessions = countOf(failure['failed-session-count'])
  if (sessions === null || sessions === 0) return []
  const word = lineOf(failure['result-type'])
  const type = wordOf(word, tlsFailureTypes) ?? 'other'
  const detail = lineOf(failure['failure-reason-code']) ?? lineOf(failure['additional-information'])
  return [
    {
      type,
      sessions,
      sendingAddress: addressOf(failure['sending-mta-ip']),
      receivingHost: domainOf(failure['receiving-mx-hostname']) ?? domainOf(failure['receiving-mx-helo']),
      receivingAddress: addressOf(failure['receiving-ip']),
      detail: type === 'other' ? lineOf([word, detail].filter((text) => text !== null).join(': ')) : detail,
    },
  ]
}

function timeOf(value: unknown): Date | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) ? new Date(ms) : null
}

/** The members of a value that should be an object; none when it is not one. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
