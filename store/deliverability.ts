/** Reports of others about our domains, the TLS sessions that we report to others, and mail checks. */
import { createHash } from 'node:crypto'
import type { UpdateFilter } from 'mongodb'
import type { CheckDoc, DomainReportDoc, TlsKindDoc, TlsResultDoc } from './documents/deliverability.ts'
import { takeDue } from './earliest.ts'
import { isDuplicate, type Store } from './open.ts'
import { readOne } from './reads.ts'

type ReportName = Pick<DomainReportDoc, 'accountId' | 'domain' | 'kind' | 'reporter' | 'reportId'>

/** The id of a report; a repeat of the report has the same. */
export const domainReportId = ({ accountId, domain, kind, reporter, reportId }: ReportName): string =>
  createHash('sha256')
    .update(JSON.stringify([accountId, domain, kind, reporter, reportId]))
    .digest('base64url')

/** Stores a report. Returns false when it is already stored. */
export async function insertReport(store: Store, report: DomainReportDoc): Promise<boolean> {
  try {
    await store.domainReports.insertOne(report)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** How many reports about a domain were received since a time; with `reporter` only those of that reporter. */
export function countReports(
  store: Store,
  {
    accountId,
    domain,
    reporter,
    since,
  }: Pick<DomainReportDoc, 'accountId' | 'domain'> & { reporter?: string; since: Date },
): Promise<number> {
  return store.domainReports.countDocuments({
    accountId,
    domain,
    receivedAt: { $gte: since },
    ...(reporter !== undefined && { reporter }),
  })
}

/** The reports about a domain whose period began from `since` (inclusive) to `until` (exclusive), the latest first. */
export async function* walkReports(
  store: Store,
  {
    accountId,
    domain,
    since,
    until,
    limit,
  }: Pick<DomainReportDoc, 'accountId' | 'domain'> & { since: Date; until: Date; limit: number },
): AsyncGenerator<DomainReportDoc> {
  yield* store.domainReports
    .find({ accountId, domain, from: { $gte: since, $lt: until } })
    .sort({ from: -1 })
    .limit(limit)
}

/** Adds TLS sessions to the results of their domains and days. */
export async function addTlsResults(
  store: Store,
  results: readonly (Pick<TlsResultDoc, 'day' | 'domain' | 'dueAt' | 'expiresAt'> & {
    readonly kinds: readonly { readonly id: string; readonly kind: TlsKindDoc; readonly sessions: number }[]
  })[],
): Promise<void> {
  if (results.length === 0) return
  await store.tlsResults.bulkWrite(
    results.map(({ day, domain, dueAt, expiresAt, kinds }) => ({
      updateOne: {
        filter: { _id: `${day} ${domain}` },
        update: {
          $setOnInsert: { day, domain, dueAt, expiresAt },
          $set: Object.fromEntries(kinds.map(({ id, kind }) => [`kinds.${id}.kind`, kind])),
          $inc: Object.fromEntries(kinds.map(({ id, sessions }) => [`kinds.${id}.sessions`, sessions])),
        } as UpdateFilter<TlsResultDoc>,
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

/** Leases the results that have been due longest (of one domain and day) until `leaseUntil`. Returns null when none are due. */
export function claimTlsResults(
  store: Store,
  { now, leaseUntil }: { readonly now: Date; readonly leaseUntil: Date },
): Promise<TlsResultDoc | null> {
  return takeDue(store.tlsResults, { field: 'dueAt', shardKey: '_id', now }, { $set: { dueAt: leaseUntil } })
}

/** Records that the report of these results was sent to a destination. */
export async function noteTlsReport(store: Store, { _id }: Pick<TlsResultDoc, '_id'>, to: string): Promise<void> {
  await store.tlsResults.updateOne({ _id }, { $addToSet: { sentTo: to } })
}

/** Deletes results that were reported, or whose domain wants no reports. */
export async function removeTlsResults(store: Store, { _id }: Pick<TlsResultDoc, '_id'>): Promise<void> {
  await store.tlsResults.deleteOne({ _id })
}

/** Stores what was found about a mail to the check mailbox, unless an earlier mail to the same address is stored. */
export async function insertCheck(store: Store, check: CheckDoc): Promise<void> {
  await store.deliveryChecks.insertOne(check).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
  })
}

export function findCheck(store: Store, id: string): Promise<CheckDoc | null> {
  return readOne(store, 'deliveryChecks', { _id: id })
}
