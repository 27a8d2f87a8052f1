/**
 * The TLS contexts of the doors of a process. A client that names a host gets that host's certificate. A client that names no host,
 * or one without a certificate, gets that of the service's own host name. Invariants: a new certificate applies to every handshake
 * after it is known, and ends no connection; a handshake does not wait for a database that is unreachable.
 *
 * The certificate of a name is the first of these that exists: that of the files, if an authority signed it and it is valid for the
 * name; one issued by ACME to the name or to the wildcard above it; that of the files if it is self-signed and valid for the name, or in
 * any case for the service's own host name.
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
import { createKept, type Kept } from '../process/kept.ts'
import { isWildcard } from '../process/service-names.ts'
import {
  type Certificate,
  type CertificateFiles,
  certificateFiles,
  isSelfSigned,
  readCertificateFiles,
  vouchesFor,
  watchCertificateFiles,
} from './files.ts'
import { openIssued } from './issued.ts'
import { wildcardOf } from './names.ts'

export type SniCallback = (serverName: string, done: (error: Error | null, context?: SecureContext) => void) => void

export type TlsContexts = {
  /** The certificate for clients that name no host. */
  current(): Current
  readonly sni: SniCallback
  /** Calls back whenever `current` changes. Returns a function that stops this. */
  onChange(listener: () => void): () => void
  close(): void
}

/** Key and certificate as PEM, and the context made of both. */
export type Current = { readonly key: string; readonly cert: string; readonly secureContext: SecureContext }

/** Contexts cached by name. After this time a certificate is replaced even if its change note was lost or it has expired. */
const keptMax = 2_000
const keptMs = 5 * minuteMs
/** Names remembered as having no certificate; stops clients that ask for ever more of them. */
const unknownMax = 10_000
/** How long a handshake waits for the database; then it gets the certificate of the host name. */
const patienceMs = 2 * secondMs
const nameForm = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/

/** Lets Node choose DH parameters, for clients without elliptic curves. */
const options = { dhparam: 'auto' } as const

/** Opens the contexts of a process. Fails with `conflict` if the files of the settings cannot be used. */
export async function openTlsContexts(ctx: Context): Promise<TlsContexts> {
  const files = certificateFiles(ctx.settings)
  const ofFiles = await readCertificateFiles(files)
  const named = new NamedCertificates(ctx, ofFiles)
  const contexts = new Contexts(ctx, named, (await named.find(ctx.hostname.toLowerCase())) ?? ofFiles)
  contexts.watch(files)
  return contexts
}

/** Finds the certificate of a name. */
class NamedCertificates {
  ofFiles: Certificate
  readonly #ctx: Context
  readonly #lookup = createBatchedLookup<IssuedCertificate>()

  constructor(ctx: Context, ofFiles: Certificate) {
    this.#ctx = ctx
    this.ofFiles = ofFiles
  }

  /** Null if the name has none of its own. Rejects while the database is unreachable, unless it need not be asked. */
  async find(name: string): Promise<Certificate | null> {
    const { ofFiles } = this
    const isNamed = vouchesFor(ofFiles, name, this.#ctx.machineClock.now())
    if (isNamed && !isSelfSigned(ofFiles)) return ofFiles
    const wildcard = wildcardOf(name)
    const asked = [name, wildcard].map((each) => this.#lookup(each, (names) => findIssued(this.#ctx.store, names)))
    const [own, ofAll] = await atMost(Promise.all(asked), patienceMs)
    if (own !== undefined) return openIssued(this.#ctx, name, own)
    if (ofAll !== undefined) return openIssued(this.#ctx, wildcard, ofAll)
    return isNamed ? ofFiles : null
  }
}

class Contexts implements TlsContexts {
  readonly #ctx: Context
  readonly #named: NamedCertificates
  readonly #ownName: string
  readonly #kept: Kept<SecureContext>
  readonly #unknown: Kept<true>
  readonly #listeners = new Set<() => void>()
  readonly #endings: (() => void)[] = []
  #current: Current
  /** Counts invalidations: a lookup that began before the latest one is not cached. */
  #changes = 0
  #renewing = Promise.resolve()

  constructor(ctx: Context, named: NamedCertificates, own: Certificate) {
    this.#ctx = ctx
    this.#named = named
    this.#ownName = ctx.hostname.toLowerCase()
    this.#kept = createKept(ctx.machineClock, { max: keptMax, ttlMs: keptMs })
    this.#unknown = createKept(ctx.machineClock, { max: unknownMax, ttlMs: keptMs })
    this.#current = currentOf(own)
  }

  current(): Current {
    return this.#current
  }

  readonly sni: SniCallback = (serverName, done) => {
    this.#contextFor(serverName.toLowerCase()).then(
      (context) => done(null, context),
      (error: unknown) => {
        this.#ctx.log.warn({ err: error }, 'the certificate of a name could not be looked up')
        done(null, this.#current.secureContext)
      },
    )
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Starts to watch for replaced and newly issued certificates. */
  watch(files: CertificateFiles): void {
    const { changes, log } = this.#ctx
    const timer = setInterval(() => this.#renew(), keptMs).unref()
    this.#endings.push(
      () => clearInterval(timer),
      watchCertificateFiles(this.#ctx, files, (certificate) => {
        log.info({ validTo: certificate.leaf.validToDate }, 'the certificate of the files was replaced')
        this.#named.ofFiles = certificate
        this.#kept.clear()
        this.#unknown.clear()
        this.#renew()
      }),
      changes.listen((note) => {
        if (note.kind === 'certificates') this.#forget(note.names)
      }),
    )
  }

  close(): void {
    for (const end of this.#endings) end()
  }

  async #contextFor(name: string): Promise<SecureContext> {
    const known = this.#kept.get(name)
    if (known !== undefined) return known
    const isStrange = !nameForm.test(name) || this.#unknown.get(name) !== undefined
    if (name === this.#ownName || isStrange) return this.#current.secureContext
    const before = this.#changes
    const found = await this.#named.find(name)
    const isCurrent = before === this.#changes
    if (found === null) {
      if (isCurrent) this.#unknown.set(name, true)
      return this.#current.secureContext
    }
    const { secureContext } = currentOf(found)
    if (isCurrent) this.#kept.set(name, secureContext)
    return secureContext
  }

  #forget(names: readonly string[]): void {
    this.#changes += 1
    if (names.some(isWildcard)) {
      this.#kept.clear()
      this.#unknown.clear()
    }
    for (const name of names) {
      this.#kept.delete(name)
      this.#unknown.delete(name)
    }
    if (names.includes(this.#ownName) || names.includes(wildcardOf(this.#ownName))) this.#renew()
  }

  /** Updates the certificate of the host name. While the database is unreachable, the current one stays. */
  #renew(): void {
    this.#changes += 1
    this.#renewing = this.#renewing
      .then(() => this.#renewCurrent())
      .catch((error: unknown) => this.#ctx.log.warn({ err: error }, 'the certificate could not be looked up'))
  }

  async #renewCurrent(): Promise<void> {
    const own = (await this.#named.find(this.#ownName)) ?? this.#named.ofFiles
    if (own.key === this.#current.key && own.chain === this.#current.cert) return
    this.#current = currentOf(own)
    for (const listener of this.#listeners) listener()
  }
}

/** A server, not yet listening, that always uses the current certificates. If a handshake fails, its connection is closed. */
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

/** Gives a server the current certificate whenever it changes. Returns a function that stops this. */
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

/** Rejects if the work takes longer than `ms`. */
async function atMost<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The database did not answer in time.')), ms)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
