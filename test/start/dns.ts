/** The DNS server beside the door of a tenant, in this process and on one database. */
import type { Context } from '../../core/process/context.ts'
import { zoneChanged } from '../../core/zones/served-zones.ts'
import { type DnsServer, startDns } from '../../dns/server.ts'
import { newId } from '../../schemas/ids.ts'
import type { Settings } from '../../schemas/settings.ts'
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'
import { insertZoneRecords } from '../../store/zones.ts'
import { type Door, openTenant, type Tenant } from './door.ts'

/** A record as its owner writes it, relative to the zone. */
export type WrittenRecord = Pick<ZoneRecordDoc, 'name' | 'type' | 'value'> & Partial<ZoneRecordDoc>

export type DnsDoor = {
  readonly door: Door
  readonly tenant: Tenant
  readonly ctx: Context
  readonly server: DnsServer
  /** Puts records into the tenant's zone `tenant.example`, which every process hears of. */
  put(...records: readonly WrittenRecord[]): Promise<void>
  /** The server of another process, with settings of its own. */
  another(
    settings?: Partial<Settings['dns']>,
    limits?: Partial<Settings['limits']['dns']>,
  ): Promise<{ readonly ctx: Context; readonly server: DnsServer }>
  close(): Promise<void>
}

export const tenantZone = 'tenant.example'

export async function openDnsDoor(settings: Partial<Settings['dns']> = {}): Promise<DnsDoor> {
  const { door, tenant } = await openTenant()
  const { ctx } = door
  const closing: (() => Promise<void>)[] = []
  const start = async (at: Context, change: Partial<Settings['dns']>) => {
    Object.assign(at.settings.dns, { nameServers: ['ns1.mail.example'], ...change })
    const server = await startDns(at, { host: '127.0.0.1', port: 0 })
    closing.unshift(() => server.close(1_000))
    return server
  }
  const { accountId } = tenant
  return {
    door,
    tenant,
    ctx,
    server: await start(ctx, settings),
    async put(...records) {
      const createdAt = ctx.clock.now()
      const fixed = { domain: tenantZone, accountId, ttlSeconds: 300, priority: null, managed: null, createdAt }
      await insertZoneRecords(
        ctx.store,
        records.map((record) => ({ ...fixed, _id: newId('rec', createdAt), ...record })),
      )
      await zoneChanged(ctx, { domain: tenantZone, accountId })
    },
    async another(change = {}, limits = {}) {
      const other = await door.another()
      closing.unshift(other.close)
      Object.assign(other.ctx.settings.limits.dns, limits)
      return { ctx: other.ctx, server: await start(other.ctx, change) }
    },
    async close() {
      for (const close of closing) await close()
      await door.close()
    },
  }
}
