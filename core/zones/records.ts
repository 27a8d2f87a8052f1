/**
 * The DNS records of a domain as callers change them. A change to a record that mail depends on needs `force`. A record that cannot exist
 * in a zone is refused in any case. Changes are made under the lock of the zone, so only one of two conflicting changes is made.
 */
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'
import { findClaim, findDomain } from '../../store/domains.ts'
import { findMailboxesOfAccount } from '../../store/mailboxes.ts'
import { zoneRecords } from '../../store/zones.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { absolute, criticalIn } from './mail-critical.ts'
import { asciiName, type RecordType, readContent } from './record-types.ts'
import { editZone, type ZoneRef } from './zone-edit.ts'
import { requireFits } from './zone-rules.ts'

/** A record as callers see it. */
export type DnsRecord = {
  readonly id: string
  readonly type: RecordType
  /** Absolute name. */
  readonly name: string
  readonly value: string
  readonly ttlSeconds: number
  readonly priority: number | null
  readonly mailCritical: boolean
  /** Whether the service keeps the record up to date. */
  readonly managed: boolean
}

/** A change as recorded in the audit: the record before (null if new) and after (null if deleted). */
export type RecordChange = { readonly before: DnsRecord | null; readonly after: DnsRecord | null }

export type NewRecord = {
  readonly type: RecordType
  readonly name: string
  readonly value: string
  readonly ttlSeconds?: number | undefined
  readonly priority?: number | null | undefined
  readonly force?: boolean | undefined
}

const ttlUsual = 3_600
const nameMax = 253
const labelMax = 63

/** Lists the records of a domain, newest first. Fails with `domain_not_found`, `conflict` (a free domain), `validation_error` (cursor). */
export async function listRecords(
  ctx: Context,
  principal: Principal,
  { domain, limit, before }: { readonly domain: string; readonly limit: number; readonly before?: string | undefined },
): Promise<Page<DnsRecord>> {
  const position = readIdCursor(before, 'rec')
  const zone = await reachZone(ctx, principal, domain)
  const records = await shownRecords(ctx, zone)
  const toSee = seerOf(zone.domain, records)
  const rows = records.toReversed().filter(({ _id }) => position === null || _id < position)
  const { items, next } = pageOf(rows, limit)
  return { items: items.map(toSee), next }
}

/** One record of a domain. Fails with `domain_not_found`, `not_found`, `conflict` (a free domain). */
export async function readRecord(
  ctx: Context,
  principal: Principal,
  { domain, id }: { readonly domain: string; readonly id: string },
): Promise<DnsRecord> {
  const zone = await reachZone(ctx, principal, domain)
  const records = await shownRecords(ctx, zone)
  return seerOf(zone.domain, records)(recordIn(records, zone.domain, id))
}

/** Adds a record. Fails with `domain_not_found`, `validation_error`, `conflict` (it does not fit, or mail depends on it). */
export async function createRecord(
  ctx: Context,
  principal: Principal,
  { domain, ...given }: NewRecord & { readonly domain: string },
): Promise<RecordChange> {
  const zone = await editableZone(ctx, principal, domain)
  const name = readName(zone.domain, given.name)
  const content = readContent(given.type, given)
  const at = ctx.clock.now()
  const { origin, accountId } = { origin: zone.domain, accountId: zone.accountId }
  const { onceId } = ctx
  const id = onceId === null ? newId('rec', at) : deriveId('rec', onceId, 'record')
  return changed(ctx, zone, (records) => {
    // An earlier try of this request may have written the record.
    const others = records.filter((each) => isThere(each) && each._id !== id)
    const ttlSeconds = given.ttlSeconds ?? ttlOf(others, { name, type: given.type }) ?? ttlUsual
    const record: ZoneRecordDoc = {
      _id: id,
      domain: origin,
      accountId,
      name,
      type: given.type,
      ...content,
      ttlSeconds,
      purpose: null,
      createdAt: at,
    }
    requireFits({ origin, record, others })
    // Another record of the same type and name changes what mail finds: more servers, or a way around them.
    const rival = others.find((each) => each.type === record.type && each.name === name)
    const why = criticalIn({ origin, records: [...others, record] })
    if (rival !== undefined || record.type === 'NS' || record.type === 'A' || record.type === 'AAAA')
      requireForce(origin, record, why(record), given.force)
    return { before: null, after: record, others }
  })
}

export type RecordEdit = Partial<Pick<NewRecord, 'name' | 'value' | 'ttlSeconds' | 'priority' | 'force'>>

/** Changes a record. Fails with `domain_not_found`, `not_found`, `validation_error`, `conflict`. */
export async function updateRecord(
  ctx: Context,
  principal: Principal,
  { domain, id, ...edit }: RecordEdit & { readonly domain: string; readonly id: string },
): Promise<RecordChange> {
  const zone = await editableZone(ctx, principal, domain)
  const origin = zone.domain
  return changed(ctx, zone, (records) => {
    const before = recordIn(records, origin, id)
    const others = records.filter((each) => isThere(each) && each._id !== id)
    const name = edit.name === undefined ? before.name : readName(origin, edit.name)
    const content = readContent(before.type, {
      value: edit.value ?? before.value,
      priority: edit.priority,
      before: before.priority,
    })
    const record: ZoneRecordDoc = {
      ...before,
      name,
      ...content,
      ttlSeconds: edit.ttlSeconds ?? before.ttlSeconds,
      ...(before.purpose !== null && { byOwner: 'changed' }),
    }
    requireFits({ origin, record, others })
    const why = (each: ZoneRecordDoc) => criticalIn({ origin, records: [...others, each] })(each)
    requireForce(origin, before, why(before) ?? why(record), edit.force)
    return { before, after: record, others }
  })
}

/** Deletes a record. Fails with `domain_not_found`, `not_found`, `conflict`. */
export async function deleteRecord(
  ctx: Context,
  principal: Principal,
  { domain, id, force }: { readonly domain: string; readonly id: string; readonly force?: boolean | undefined },
): Promise<RecordChange> {
  const zone = await editableZone(ctx, principal, domain)
  const origin = zone.domain
  return changed(ctx, zone, (records) => {
    const before = recordIn(records, origin, id)
    const others = records.filter((each) => isThere(each) && each._id !== id)
    requireForce(origin, before, criticalIn({ origin, records: [...others, before] })(before), force)
    return { before, after: null, others }
  })
}

type Plan = {
  readonly before: ZoneRecordDoc | null
  readonly after: ZoneRecordDoc | null
  readonly others: readonly ZoneRecordDoc[]
}

/** Makes a planned change. All records of a name and type get the TTL of the last one written (RFC 2181 5.2). */
async function changed(
  ctx: Context,
  zone: ZoneRef,
  plan: (records: readonly ZoneRecordDoc[]) => Plan,
): Promise<RecordChange> {
  const { before, after, others } = await editZone(ctx, zone, (records) => {
    const planned = plan(records)
    const { before: old, after: fresh, others: rest } = planned
    const siblings =
      fresh === null
        ? []
        : rest.filter(
            ({ name, type, ttlSeconds }) =>
              name === fresh.name && type === fresh.type && ttlSeconds !== fresh.ttlSeconds,
          )
    // A deleted record that the service managed is remembered, so that the service does not add it again.
    const isKept = fresh === null && old?.purpose !== null && old !== null
    const forgotten: readonly ZoneRecordDoc[] = isKept ? [{ ...old, byOwner: 'deleted' }] : []
    return {
      ...planned,
      removed: old === null || isKept || fresh !== null ? [] : [old],
      written: [
        ...(fresh === null ? forgotten : [fresh]),
        ...siblings.map((each) => ({ ...each, ttlSeconds: fresh?.ttlSeconds ?? each.ttlSeconds })),
      ],
    }
  })
  const seen = (record: ZoneRecordDoc | null) =>
    record === null ? null : seerOf(zone.domain, [...others, record])(record)
  return { before: seen(before), after: seen(after) }
}

/** Fails with `conflict` if mail depends on a record and the caller did not set `force`. */
function requireForce(origin: string, record: ZoneRecordDoc, why: string | null, force = false): void {
  if (why === null || force) return
  throw new Failure(
    'conflict',
    `Mail depends on ${record.type} ${absolute(record.name, origin)} "${short(record.value)}": it ${why}.`,
    {
      fix: 'Leave the record unchanged. If the domain\'s mail may change or stop, repeat the request with "force": true (for DELETE with ?force=true).',
    },
  )
}

const shortMax = 60
const short = (text: string) => (text.length > shortMax ? `${text.slice(0, shortMax)}...` : text)

/** Whether a record is in the zone, rather than remembered as deleted. */
const isThere = ({ byOwner }: ZoneRecordDoc) => byOwner !== 'deleted'
/** Whether callers see a record. Those that the service publishes for minutes are hidden, since nobody may change them. */
const isShown = (record: ZoneRecordDoc) => isThere(record) && record.expiresAt === undefined

async function shownRecords(ctx: Context, { domain, accountId }: ZoneRef): Promise<readonly ZoneRecordDoc[]> {
  return (await zoneRecords(ctx.store, { domain, accountId, now: ctx.clock.now() })).filter(isShown)
}

function seerOf(origin: string, records: readonly ZoneRecordDoc[]): (record: ZoneRecordDoc) => DnsRecord {
  const why = criticalIn({ origin, records })
  return (record) => {
    const { _id: id, type, name, value, ttlSeconds, priority, purpose, byOwner } = record
    const managed = purpose !== null && byOwner === undefined
    const mailCritical = why(record) !== null
    return { id, type, name: absolute(name, origin), value, ttlSeconds, priority, mailCritical, managed }
  }
}

function recordIn(records: readonly ZoneRecordDoc[], domain: string, id: string): ZoneRecordDoc {
  const found = records.find((each) => each._id === id && isShown(each))
  if (found !== undefined) return found
  throw new Failure('not_found', `The domain ${domain} has no record ${id}.`, {
    fix: `GET /api/v1/domains/${domain}/dns lists its records with their ids.`,
  })
}

const ttlOf = (records: readonly ZoneRecordDoc[], { name, type }: Pick<ZoneRecordDoc, 'name' | 'type'>) =>
  records.find((each) => each.name === name && each.type === type)?.ttlSeconds

/**
 * The name of a record, relative to its domain. Accepts `@`, `www`, `www.example.com` and `www.example.com.`. Fails with
 * `validation_error`.
 */
function readName(domain: string, given: string): string {
  const refuse = (message: string, fix: string) => new Failure('validation_error', message, { param: 'name', fix })
  const text = given.trim()
  if (text === '' || text === '@') return '@'
  const name = asciiName(text.replace(/\.$/, ''))
  const example = `Write it as "www" or "www.${domain}"; "@" is the domain itself.`
  if (name === null) throw refuse(`${JSON.stringify(short(given))} is not a valid name of a DNS record.`, example)
  if (name === domain) return '@'
  const isInside = name.endsWith(`.${domain}`)
  if (text.endsWith('.') && !isInside) throw refuse(`${name} is not in the zone of ${domain}.`, example)
  const relative = isInside ? name.slice(0, -domain.length - 1) : name
  const labels = relative.split('.')
  if (labels.slice(1).includes('*')) throw refuse('A wildcard is the first label of a name, such as "*.shop".', example)
  if (labels.some((label) => label.length > labelMax) || absolute(relative, domain).length > nameMax)
    throw refuse(`A label has at most ${labelMax} characters, and a name in full ${nameMax}.`, 'Shorten the name.')
  return relative
}

/** The zone of a domain that the caller may read. Fails with `domain_not_found`, `conflict` (a free domain). */
export async function reachZone(ctx: Context, principal: Principal, given: string): Promise<ZoneRef> {
  const domain = normaliseDomain(given)
  const noDomain = new Failure('domain_not_found', `This key reaches no domain ${given}.`)
  if (domain === null) throw noDomain
  const { accountId, mailboxIds } = principal
  if (mailboxIds !== null) {
    const reached = await findMailboxesOfAccount(ctx.store, { accountId, ids: mailboxIds })
    if (!reached.some((mailbox) => mailbox.domain === domain)) throw noDomain
  }
  const inUse = await findDomain(ctx.store, domain)
  const isOwn = inUse?.accountId === accountId && inUse.status !== 'removed'
  if (isOwn && inUse.parent !== null)
    throw new Failure('conflict', `${domain} is a free domain of the service, which keeps its DNS.`, {
      fix: 'Add a domain of your own (POST /api/v1/domains) to have DNS records of your own.',
    })
  const found = isOwn ? inUse : await findClaim(ctx.store, { accountId, domain })
  if (found === null) throw noDomain
  return { domain, accountId, backend: found.backend }
}

/** The zone of a domain that the caller may change. Fails as `reachZone` does, and with `conflict` if its records are published by hand. */
async function editableZone(ctx: Context, principal: Principal, given: string): Promise<ZoneRef> {
  const zone = await reachZone(ctx, principal, given)
  if (zone.backend?.kind === 'by-hand')
    throw new Failure(
      'conflict',
      `The DNS records of ${zone.domain} are published by hand and cannot be changed here.`,
      {
        fix: `Change them at the DNS provider of the domain; POST /api/v1/domains/${zone.domain}/verify then checks them.`,
      },
    )
  return zone
}
