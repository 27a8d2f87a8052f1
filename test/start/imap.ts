/** The IMAP door beside the HTTP door of a tenant, in this process and on one database. */
import { generate } from 'selfsigned'
import { openTlsContexts } from '../../core/certificates/tls-contexts.ts'
import { startImap } from '../../imap/server.ts'
import { writeCertificate } from '../peers/certificates.ts'
import { ImapClient } from '../peers/imap-client.ts'
import type { Call } from '../peers/rest.ts'
import { type Door, openTenant, type Tenant } from './door.ts'

export type ImapDoor = {
  readonly door: Door
  readonly tenant: Tenant
  readonly call: Call
  readonly ports: { readonly imap: number; readonly imaps: number }
  /** Connects. With `user` it logs in to that mailbox, with the account's key by default. */
  open(options?: { readonly user?: string | null; readonly key?: string; readonly tls?: boolean }): Promise<ImapClient>
  /** Creates a new mailbox, which a test finds empty. Returns its address. */
  mailbox(): Promise<string>
  close(): Promise<void>
}

let certificate: Promise<{ private: string; cert: string }> | undefined

export async function openImapDoor(options: Parameters<typeof openTenant>[0] = {}): Promise<ImapDoor> {
  const { door, tenant, call } = await openTenant(options)
  // Tests make many wrong logins, which must not be slowed down.
  Object.assign(door.ctx.settings.limits.logins, { slowAfter: 1_000, failuresPerAddress: 1_000 })
  certificate ??= generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 })
  const { private: key, cert } = await certificate
  await writeCertificate(door.ctx.settings.data, { key, cert })
  const contexts = await openTlsContexts(door.ctx)
  const server = await startImap(door.ctx, { host: '127.0.0.1', port: 0, tlsPort: 0, contexts })
  const { imap, imaps } = server.ports
  if (imap === null || imaps === null) throw new Error('The IMAP server does not listen.')
  const clients: ImapClient[] = []
  let mailboxes = 0
  return {
    door,
    tenant,
    call,
    ports: { imap, imaps },
    async open({ user = tenant.address, key: secret = tenant.key, tls = false } = {}) {
      const { client } = await ImapClient.connect(tls ? imaps : imap, { tls })
      clients.push(client)
      if (user !== null) {
        const { end } = await client.ask(`LOGIN "${user}" "${secret}"`)
        if (!end.startsWith('OK')) throw new Error(`No login: ${end}`)
      }
      return client
    },
    async mailbox() {
      const address = `box${++mailboxes}@tenant.example`
      const { status, body } = await call('POST', '/api/v1/mailboxes', { address })
      if (status !== 201) throw new Error(`No mailbox: ${JSON.stringify(body)}`)
      return address
    },
    async close() {
      for (const client of clients) client.close()
      contexts.close()
      await server.close(2_000)
      await door.close()
    },
  }
}
