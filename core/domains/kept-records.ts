/** Keeps the records to publish of a domain in its zone. */
import { newId } from '../../schemas/ids.ts'
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'
import type { Context } from '../process/context.ts'
import { absolute } from '../zones/mail-critical.ts'
import { editZone, type ZoneRef } from '../zones/zone-edit.ts'
import { type Published, type RecordToPublish, recordsToPublish } from './records-to-publish.ts'

const ttlSeconds = 3_600
/** Purposes of records in the zone that are not among the records to publish. */
const keptForOther: readonly string[] = ['proof']

/**
 * Makes the zone of a domain contain the records to publish, except those that its owner has taken over or has an equivalent of.
 * Returns whether anything changed. Fails with `unavailable` after `withinMs` (core/zones/zone-edit.ts).
 */
export async function keepPublished(ctx: Context, zone: ZoneRef & Published, withinMs?: number): Promise<boolean> {
  const { removed, written } = await editZone(ctx, zone, (records) => planOf(ctx, zone, records), withinMs)
  return removed.length + written.length > 0
}

function planOf(ctx: Context, zone: ZoneRef & Published, records: readonly ZoneRecordDoc[]) {
  const { domain, accountId } = zone
  const at = ctx.clock.now()
  const wanted = recordsToPublish(ctx, zone)
  const purposes = new Set(wanted.map(({ purpose }) => purpose))
  const kept = records.filter(({ purpose }) => purpose !== null && !keptForOther.includes(purpose))
  const others = records.filter(({ purpose, byOwner }) => purpose === null && byOwner === undefined)
  const written = wanted.flatMap((record): readonly ZoneRecordDoc[] => {
    const name = record.name === domain ? '@' : record.name.slice(0, -domain.length - 1)
    const { type, value, priority, purpose } = record
    const before = kept.find((each) => each.purpose === purpose)
    if (before?.byOwner !== undefined) return []
    const isSame =
      before?.name === name && before.type === type && before.value === value && before.priority === priority
    if (isSame || (before === undefined && hasAlready(domain, others, record))) return []
    const content = { domain, accountId, name, type, value, ttlSeconds, priority, purpose }
    return [{ ...content, _id: before?._id ?? newId('rec', at), createdAt: before?.createdAt ?? at }]
  })
  const removed = kept.filter(({ purpose, byOwner }) => byOwner === undefined && !purposes.has(purpose ?? ''))
  return { removed, written }
}

/** Whether the owner has their own record in place of one to publish. */
function hasAlready(domain: string, others: readonly ZoneRecordDoc[], { name, type, value }: RecordToPublish): boolean {
  const tag = /^v=[a-z0-9]+/i.exec(value)?.[0].toLowerCase()
  return others
    .filter((each) => absolute(each.name, domain) === name)
    .some(
      (each) =>
        each.type === 'CNAME' ||
        type === 'CNAME' ||
        (each.type === type && (type !== 'TXT' || (tag !== undefined && each.value.toLowerCase().startsWith(tag)))),
    )
}
