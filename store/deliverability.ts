/** Reports of others about our domains. */
import type { DomainReportDoc } from './documents/deliverability.ts'
import { isDuplicate, type Store } from './open.ts'

/** Stores a report. Returns false when it is there already. */
export async function insertReport(store: Store, report: DomainReportDoc): Promise<boolean> {
  try {
    await store.domainReports.insertOne(report)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** How many reports about a domain came since then; with `reporter` only those of one. */
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

/** The reports about a domain that began in a time, the latest first. */
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
