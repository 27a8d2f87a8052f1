/** The DNS server beside the door of a tenant, in this process and on one database. */

import type { Context } from '../../core/process/context.ts'
import { type Zone, type ZoneRecord, zoneChanged } from '../../core/zones/served-zones.ts'
import { type DnsServer, startDns } from '../../dns/server.ts'
import { newId } from '../../schemas/ids.ts'
import type { Settings } from '../../schemas/settings.ts'
import type { ZoneRecordDoc } from '../../store/documents/domains.ts'
import { type Door, makeTenant, openTenant, type Tenant } from './door.ts'

/** A record as its owner writes it, relative to the zone. */
export type WrittenRecord = Pick<ZoneRecordDoc, 'name' | 'type' | 'value'> & Partial<ZoneRecordDoc>

export type DnsDoor = {
  readonly door: Door
  readonly tenant: Tenant
  readonly ctx: Context
  readonly server: DnsServer
  /** Puts records into the tenant's zone `tenant.example`, and notifies every process. */
  put(...records: readonly WrittenRecord[]): Promise<void>
  /** Creates an account with a verified domain that has all records of a zone. Returns its id. */
  serve(zone: Zone): Promise<string>
  /** Starts the server of another process, with its own settings. */
  another(
    settings?: Partial<Settings['dns']>,
    limits?: Partial<Settings['limits']['dns']>,
  ): Promise<{ readonly ctx: Context; readonly server: DnsServer }>
  close(): Promise<void>
}

type Owned = { readonly domain: string; readonly accountId: string }

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
  const put = async ({ domain, accountId }: Owned, records: readonly WrittenRecord[]) => {
    const createdAt = ctx.clock.now()
    const fixed = { domain, accountId, ttlSeconds: 300, priority: null, managed: null, purpose: null, createdAt }
    const docs = records.map((record) => ({ ...fixed, _id: newId('rec', createdAt), ...record }))
    await ctx.store.zoneRecords.insertMany(docs)
    await zoneChanged(ctx, { domain, accountId })
  }
  return {
    door,
    tenant,
    ctx,
    server: await start(ctx, settings),
    put: (...records) => put({ domain: tenantZone, accountId: tenant.accountId }, records),
    async serve({ origin, records }) {
      const { accountId } = await makeTenant(door, { name: origin.replace('.example', '') })
      const written = records.map((record) => writtenIn(origin, record))
      await put({ domain: origin, accountId }, written)
      return accountId
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

/** Returns a record of a zone as its owner writes it. */
function writtenIn(origin: string, record: ZoneRecord): WrittenRecord {
  const { ttlSeconds } = record
  const name = record.name === origin ? '@' : record.name.slice(0, -origin.length - 1)
  switch (record.type) {
    case 'MX':
      return { name, ttlSeconds, type: 'MX', value: record.data.exchange, priority: record.data.preference }
    case 'TXT':
      return { name, ttlSeconds, type: 'TXT', value: Buffer.concat(record.data).toString() }
    case 'SRV': {
      const { priority, weight, port, target } = record.data
      return { name, ttlSeconds, type: 'SRV', value: `${weight} ${port} ${target}`, priority }
    }
    case 'CAA': {
      const { flags, tag, value } = record.data
      return { name, ttlSeconds, type: 'CAA', value: `${flags} ${tag} "${value}"` }
    }
    default:
      return { name, ttlSeconds, type: record.type, value: record.data }
  }
}
