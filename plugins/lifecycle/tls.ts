import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { Plugin } from '../haraka.d.ts'

type SocketOptions = SecureContextOptions & { secureContext?: SecureContext }

/**
 * Makes all STARTTLS of the process use one context. Haraka makes one per session, which reads the key anew each time and
 * leaves every session ticket useless. Call it when the listeners are open: the certificate is loaded then.
 */
export function shareTlsContext(plugin: Plugin): void {
  const { certsByHost } = plugin.haraka_require('tls_socket') as { certsByHost: { '*': SocketOptions } }
  const options = certsByHost['*']
  options.secureContext = createSecureContext(options)
}
