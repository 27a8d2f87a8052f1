/** Nodes on one database: what becomes of work that one of them leaves undone. */
import { type DatabaseProxy, startDatabaseProxy } from '../peers/database-proxy.ts'
import { type Door, openTenant, type Tenant } from './door.ts'

export type Node = Awaited<ReturnType<Door['another']>>

export type Nodes = {
  readonly door: Door
  readonly tenant: Tenant
  readonly proxy: DatabaseProxy
  /** A node whose way to the database is the proxy. */
  readonly node: Node
  /** A node that sees as over what began now. */
  readonly later: Node
  close(): Promise<void>
}

/** Longer than any lease that is tested, and than a request runs. */
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
