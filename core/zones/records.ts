/**
 * The DNS records of a domain as callers change them. Whoever changes what mail depends on has to say so (`force`); what cannot stand in
 * a zone is refused whatever they say; a change is made under the lock of the zone, so that of two that do not go together one is.
 */
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
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
  /** In full. */
  readonly name: string
  readonly value: string
  readonly ttlSeconds: number
  readonly priority: number | null
  readonly mailCritical: boolean
  /** Whether the service keeps it up to date. */
  readonly managed: boolean
}

/** A change as it is written to the audit: the record before, null for a new one, and after, null for one that is gone. */
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

/** Adds a record. Fails with `domain_not_found`, `validation_error`, `conflict` (it does not fit, or mail needs it as it is). */
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
  return changed(ctx, zone, (records) => {
    const others = records.filter(isThere)
    const ttlSeconds = given.ttlSeconds ?? ttlOf(others, { name, type: given.type }) ?? ttlUsual
    const record: ZoneRecordDoc = {
      _id: newId('rec', at),
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
    // Another record of the kind changes what mail finds: more servers, or a way around them.
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

/** Makes a planned change. All records of a name and type have one time to live (RFC 2181 5.2), that of the last one written. */
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
    // What the service kept is remembered, so that it does not come back by itself.
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

/** Fails with `conflict` when mail depends on a record and the caller has not said that it may change. */
function requireForce(origin: string, record: ZoneRecordDoc, why: string | null, force = false): void {
  if (why === null || force) return
  throw new Failure(
    'conflict',
    `Mail depends on ${record.type} ${absolute(record.name, origin)} "${short(record.value)}": it ${why}.`,
    {
      fix: 'Leave it as it is; or, if mail of the domain may change or stop, repeat the request with "force": true (for DELETE with ?force=true).',
    },
  )
}

const shortMax = 60
const short = (text: string) => (text.length > shortMax ? `${text.slice(0, shortMax)}...` : text)

/** What stands in the zone, and is not only remembered. */
const isThere = ({ byOwner }: ZoneRecordDoc) => byOwner !== 'deleted'
/** What the service publishes for minutes is nobody's to change. */
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
 * The name of a record, relative to its domain: `@`, `www`, `www.example.com` and `www.example.com.` are taken. Fails with
 * `validation_error`.
 */
function readName(domain: string, given: string): string {
  const refuse = (message: string, fix: string) => new Failure('validation_error', message, { param: 'name', fix })
  const text = given.trim()
  if (text === '' || text === '@') return '@'
  const name = asciiName(text.replace(/\.$/, ''))
  const example = `Write it as "www" or "www.${domain}"; "@" is the domain itself.`
  if (name === null) throw refuse(`${JSON.stringify(short(given))} is no name of a DNS record.`, example)
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

/** The same, to change it. Fails with `conflict` too where the records are published by hand. */
async function editableZone(ctx: Context, principal: Principal, given: string): Promise<ZoneRef> {
  const zone = await reachZone(ctx, principal, given)
  if (zone.backend?.kind === 'by-hand')
    throw new Failure(
      'conflict',
      `The DNS records of ${zone.domain} are published by hand: nothing can be changed here.`,
      {
        fix: `Change them where the domain has its DNS; POST /api/v1/domains/${zone.domain}/verify looks at them there.`,
      },
    )
  return zone
}
