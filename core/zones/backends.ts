/** Who keeps the records of a zone, behind one interface: our own server, another that we update, or its owner by hand. */
import type { DnsBackend, ZoneRecordDoc } from '../../store/documents/domains.ts'
import type { Context } from '../process/context.ts'
import { sendUpdate, type UpdateServer } from './dynamic-update.ts'
import { servedRecord } from './record-types.ts'

/** A change of a zone: the records that it touches, as they are before and after. */
export type Touched = { readonly before: readonly ZoneRecordDoc[]; readonly after: readonly ZoneRecordDoc[] }

/** Fails with `conflict` or `unavailable` when who keeps the zone does not take the change; then nothing was changed. */
type Push = (ctx: Context, domain: string, touched: Touched) => Promise<void>

/** Has who keeps the records of a domain's zone take a change. What our own server serves is read from the database. */
export function backendOf(backend: DnsBackend | undefined): { readonly push: Push } {
  if (backend?.kind === 'dynamic-update')
    return { push: (ctx, domain, touched) => pushUpdate(ctx, domain, backend, touched) }
  return { push: async () => undefined }
}

function pushUpdate(ctx: Context, domain: string, server: UpdateServer, { before, after }: Touched): Promise<void> {
  const isThere = ({ byOwner }: ZoneRecordDoc) => byOwner !== 'deleted'
  const [old, fresh] = [before.filter(isThere), after.filter(isThere)]
  // With its time to live: not every server changes that of a record which is only put in again.
  const said = ({ name, type, value, priority, ttlSeconds }: ZoneRecordDoc) =>
    JSON.stringify([name, type, value, priority, ttlSeconds])
  const [kept, had] = [new Set(fresh.map(said)), new Set(old.map(said))]
  return sendUpdate(
    ctx,
    { domain, server },
    {
      removed: old.filter((record) => !kept.has(said(record))).map((record) => servedRecord(domain, record)),
      added: fresh.filter((record) => !had.has(said(record))).map((record) => servedRecord(domain, record)),
    },
  )
}
