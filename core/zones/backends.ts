/** The server that holds the records of a zone: our own, another that we update, or one that the owner edits by hand. */
import type { DnsBackend, ZoneRecordDoc } from '../../store/documents/domains.ts'
import type { Context } from '../process/context.ts'
import { sendUpdate, type UpdateServer } from './dynamic-update.ts'
import { servedRecord } from './record-types.ts'

/** A change of a zone: the records that it touches, before and after it. */
export type Touched = { readonly before: readonly ZoneRecordDoc[]; readonly after: readonly ZoneRecordDoc[] }

/** Fails with `conflict` or `unavailable` if the server of the zone does not accept the change; then nothing was changed. */
type Push = (ctx: Context, domain: string, touched: Touched) => Promise<void>

/** Returns how a change is sent to the server of a domain's zone. Our own server reads the records from the database instead. */
export function backendOf(backend: DnsBackend | undefined): { readonly push: Push } {
  if (backend?.kind === 'dynamic-update')
    return { push: (ctx, domain, touched) => pushUpdate(ctx, domain, backend, touched) }
  return { push: async () => undefined }
}

function pushUpdate(ctx: Context, domain: string, server: UpdateServer, { before, after }: Touched): Promise<void> {
  const isThere = ({ byOwner }: ZoneRecordDoc) => byOwner !== 'deleted'
  const [old, fresh] = [before.filter(isThere), after.filter(isThere)]
  // The TTL is compared too: when a record is only added again, not every server updates its TTL.
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
