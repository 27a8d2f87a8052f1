import { Server as TlsServer } from 'node:tls'
import { keepCurrent, type SniCallback, type TlsContexts } from '../../core/certificates/tls-contexts.ts'
import type { Plugin, Server } from '../haraka.d.ts'

type TlsSocket = { SNICallback: SniCallback; readonly certsByHost: { readonly '*': { secureContext?: unknown } } }

let contexts: TlsContexts | undefined

/**
 * Serves our certificates to clients that name a host. Call this before Haraka reads its TLS settings, which take over the callback
 * that its module has at that time. Sessions that come before the contexts are open get the certificate of the files.
 */
export function answerServerNames(plugin: Plugin): void {
  moduleOf(plugin).SNICallback = (name, done) => (contexts === undefined ? done(null) : contexts.sni(name, done))
}

/**
 * Makes every session that starts TLS use the current certificate. Haraka would make a context for each STARTTLS, which reads the
 * key each time and makes session tickets useless. Call this when the listeners are open, since the settings have been read by then.
 */
export function serveCertificates(plugin: Plugin, { listeners }: Server, opened: TlsContexts): void {
  const options = moduleOf(plugin).certsByHost['*']
  const take = () => {
    options.secureContext = opened.current().secureContext
  }
  take()
  opened.onChange(take)
  for (const listener of listeners) {
    // If PROXY lines are expected, another server reads them first and hands the connection on.
    const { tlsServer = listener } = listener as { tlsServer?: unknown }
    if (tlsServer instanceof TlsServer) keepCurrent(opened, tlsServer)
  }
  contexts = opened
}

const moduleOf = (plugin: Plugin) => plugin.haraka_require('tls_socket') as TlsSocket
