/** Nodes on one database, for tests of work that one of them leaves undone. */
import { type DatabaseProxy, startDatabaseProxy } from '../peers/database-proxy.ts'
import { type Door, openTenant, type Tenant } from './door.ts'

export type Node = Awaited<ReturnType<Door['another']>>

export type Nodes = {
  readonly door: Door
  readonly tenant: Tenant
  readonly proxy: DatabaseProxy
  /** A node that reaches the database through the proxy. */
  readonly node: Node
  /** A node whose clock is so far ahead that current leases have ended for it. */
  readonly later: Node
  close(): Promise<void>
}

/** Longer than any tested lease, and longer than a request may run. */
const laterMs = 61_000

export async function openNodes(): Promise<Nodes> {
  const { door, tenant } = await openTenant()
  const proxy = await startDatabaseProxy({ path: door.socket })
  const node = await door.another({ host: proxy.host })
  const later = await door.another({ aheadMs: () => laterMs })
  const close = async () => {
    await node.close()
    await later.close()
    await proxy.close()
    await door.close()
  }
  return { door, tenant, proxy, node, later, close }
}
