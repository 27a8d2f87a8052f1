import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { Plugin } from '../haraka.d.ts'

type SocketOptions = SecureContextOptions & { secureContext?: SecureContext }

/**
 * Makes every STARTTLS of the process use one TLS context. Haraka makes one for each session, which reads the key each time and
 * makes every session ticket useless. To be called when the listeners are open, as the certificate is loaded by then.
 */
export function shareTlsContext(plugin: Plugin): void {
  const { certsByHost } = plugin.haraka_require('tls_socket') as { certsByHost: { '*': SocketOptions } }
  const options = certsByHost['*']
  options.secureContext = createSecureContext(options)
}
