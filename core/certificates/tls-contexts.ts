/**
 * What the doors of a process speak TLS with. Who names a host gets its certificate; everybody else, and who names a host that
 * has none, gets that of the service's own host name. Invariants: a new certificate holds for every handshake after it is
 * known, and ends no connection; a handshake does not wait for a database that is away.
 *
 * Of the certificates of a name the first that there is: that of the files, when somebody else vouches for it and it is valid;
 * one that was issued by ACME; the files' whatever it is.
 */
import {
  createSecureContext,
  createServer,
  type SecureContext,
  type Server,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls'
import { findIssued, type IssuedCertificate } from '../../store/certificates.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import {
  type Certificate,
  certificateFiles,
  isSelfSigned,
  readCertificateFiles,
  vouchesFor,
  watchCertificateFiles,
} from './files.ts'
import { openIssued } from './issued.ts'

export type SniCallback = (serverName: string, done: (error: Error | null, context?: SecureContext) => void) => void

export type TlsContexts = {
  /** For who names no host. */
  current(): Current
  readonly sni: SniCallback
  /** Calls back whenever `current` is another one. Returns what ends it. */
  onChange(listener: () => void): () => void
  close(): void
}

/** PEM, and both as one. */
export type Current = { readonly key: string; readonly cert: string; readonly secureContext: SecureContext }

/** Contexts of names that are kept. A certificate whose change note was lost, or that has ended, is replaced after this time. */
const keptMax = 2_000
const keptMs = 5 * minuteMs
/** Names without a certificate, against whoever asks for ever more of them. */
const unknownMax = 10_000
/** How long a handshake waits for the database; then it gets the certificate of the host name. */
const patienceMs = 2 * secondMs
const nameForm = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/

/** Node's own parameters for clients that know no elliptic curves. */
const options = { dhparam: 'auto' } as const

/** Opens the contexts of a process. Fails with `conflict` when the files of the settings cannot be used. */
export async function openTlsContexts(ctx: Context): Promise<TlsContexts> {
  const files = certificateFiles(ctx.settings)
  let ofFiles = await readCertificateFiles(files)
  const kept = createKept<SecureContext>(ctx.machineClock, { max: keptMax, ttlMs: keptMs })
  const unknown = createKept<true>(ctx.machineClock, { max: unknownMax, ttlMs: keptMs })
  const lookup = createBatchedLookup<IssuedCertificate>()
  const listeners = new Set<() => void>()
  const ownName = ctx.hostname.toLowerCase()

  async function issuedTo(name: string): Promise<Certificate | null> {
    const found = await atMost(
      lookup(name, (names) => findIssued(ctx.store, names)),
      patienceMs,
    )
    return found === undefined ? null : openIssued(ctx, name, found)
  }

  /** The certificate of a name; null when it has none of its own. */
  async function certificateFor(name: string): Promise<Certificate | null> {
    const isNamed = vouchesFor(ofFiles, name, ctx.machineClock.now())
    if (isNamed && !isSelfSigned(ofFiles)) return ofFiles
    return (await issuedTo(name)) ?? (isNamed ? ofFiles : null)
  }

  let current = currentOf((await certificateFor(ownName)) ?? ofFiles)

  async function renewCurrent(): Promise<void> {
    const own = (await certificateFor(ownName)) ?? ofFiles
    if (own.key === current.key && own.chain === current.cert) return
    current = currentOf(own)
    for (const listener of listeners) listener()
  }

  /** While the database is away, what is current stays. */
  function renew(): void {
    renewCurrent().catch((error: unknown) => ctx.log.warn({ err: error }, 'the certificate could not be looked up'))
  }

  function forget(names: readonly string[] | null): void {
    if (names === null) {
      kept.clear()
      unknown.clear()
    }
    for (const name of names ?? []) {
      kept.delete(name)
      unknown.delete(name)
    }
    if (names === null || names.includes(ownName)) renew()
  }

  async function contextFor(serverName: string): Promise<SecureContext> {
    const name = serverName.toLowerCase()
    const known = kept.get(name)
    if (known !== undefined) return known
    if (name === ownName || !nameForm.test(name) || unknown.get(name) !== undefined) return current.secureContext
    const found = await certificateFor(name)
    if (found === null) {
      unknown.set(name, true)
      return current.secureContext
    }
    const context = currentOf(found).secureContext
    kept.set(name, context)
    return context
  }

  const endings = [
    watchCertificateFiles(ctx, files, (certificate) => {
      ofFiles = certificate
      ctx.log.info({ validTo: certificate.leaf.validToDate }, 'the certificate of the files was replaced')
      forget(null)
    }),
    ctx.changes.listen((note) => {
      if (note.kind === 'certificates') forget(note.names)
    }),
  ]
  const timer = setInterval(renew, keptMs).unref()
  return {
    current: () => current,
    sni(serverName, done) {
      contextFor(serverName).then(
        (context) => done(null, context),
        (error: unknown) => {
          ctx.log.warn({ err: error }, 'the certificate of a name could not be looked up')
          done(null, current.secureContext)
        },
      )
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      clearInterval(timer)
      for (const end of endings) end()
    },
  }
}

/** A server that takes every new certificate; it does not listen yet. Whoever breaks a handshake off is hung up on. */
export function createTlsServer(
  contexts: TlsContexts,
  given: Pick<TlsOptions, 'handshakeTimeout' | 'ALPNProtocols' | 'keepAlive' | 'allowHalfOpen'>,
  listener: (socket: TLSSocket) => void,
): Server {
  const server = createServer({ ...given, ...serverOptionsOf(contexts), SNICallback: contexts.sni }, listener)
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.once('close', keepCurrent(contexts, server))
  return server
}

/** Gives a server the current certificate whenever that is another one. Returns what ends it. */
export function keepCurrent(contexts: TlsContexts, server: Server): () => void {
  return contexts.onChange(() => server.setSecureContext(serverOptionsOf(contexts)))
}

function serverOptionsOf(contexts: TlsContexts) {
  const { key, cert } = contexts.current()
  return { ...options, key, cert }
}

function currentOf({ key, chain: cert }: Certificate): Current {
  return { key, cert, secureContext: createSecureContext({ ...options, key, cert }) }
}

/** Rejects when the work takes longer. */
async function atMost<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The database does not answer.')), ms)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
