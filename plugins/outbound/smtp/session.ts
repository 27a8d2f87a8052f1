/**
 * A connection to one mail server, for one mail after the other (RFC 5321, 2920, 3207, 6152, 1870, 6531). Invariants: one mail
 * at a time; as soon as the state of the server is in doubt, the connection is ended and not used again.
 */
import { connect, isIP } from 'node:net'
import type { Dialogue, TlsFailure } from './outcome.ts'
import { Broken, type Reply, Wire } from './wire.ts'

/** A mail server: `address` is an IP address; `name` is its name, for logs and TLS. */
export type Route = { readonly name: string; readonly address: string; readonly port: number }

/**
 * The required TLS. `opportunistic`: used if the server offers it, with any certificate (RFC 7435). `verified`: with a certificate of a
 * public authority. `pinned`: with a certificate that `accepts` accepts for a server with these names. With `isWatched`, it is only
 * reported whether the certificate would satisfy a policy that the domain is testing (RFC 8461 5).
 */
export type TlsPolicy =
  | { readonly kind: 'opportunistic'; readonly isWatched?: boolean }
  | { readonly kind: 'verified' }
  | { readonly kind: 'pinned'; accepts(certificates: readonly Buffer[], names: readonly string[]): boolean }

export type SessionOptions = {
  readonly route: Route
  /** Our name in EHLO. */
  readonly name: string
  readonly tls: TlsPolicy
  /** The names that a certificate may be for, if its authority is pinned. */
  readonly serverNames?: readonly string[] | undefined
  /** False if STARTTLS is known to fail at this server. */
  readonly tryTls: boolean
  /** Sent before the server's greeting: the line of a proxy. */
  readonly preface?: string
  readonly limits: { readonly connectMs: number; readonly replyMs: number; readonly finalReplyMs: number }
}

export type Mail = {
  readonly sender: string
  readonly recipient: string
  /** The content of DATA, with dots stuffed and with the final dot. */
  readonly content: readonly Buffer[]
  readonly sizeBytes: number
  readonly is8Bit: boolean
  readonly needsUtf8: boolean
  /** The names that the server's certificate may be for, if its authority is pinned. */
  readonly serverNames?: readonly string[] | undefined
  /** Whether the lease of this mail still holds; checked right before the envelope, and before the content. */
  isHeld(): Promise<boolean>
  /** Returns the same mail with 7-bit lines, for a server without 8BITMIME; null if it cannot be converted. */
  sevenBit(): Promise<Pick<Mail, 'content' | 'sizeBytes'> | null>
  /** Called for a connection made for this mail: why its TLS is not as required, null if it is. */
  onConnection?(failure: TlsFailure | null): void
}

export type Session = {
  readonly tls: boolean
  /** Why a watched certificate would not be accepted; null if it would. */
  readonly tlsFailure: TlsFailure | null
  readonly uses: number
  /** Whether another mail can be sent over it. */
  readonly isOpen: boolean
  has(extension: string): boolean
  /** Whether the certificate is also valid for a mail whose server has other names: one server may serve many domains. */
  suits(mail: Pick<Mail, 'serverNames'>): boolean
  /** Sends one mail. Rejects only if `sevenBit` or `isHeld` of the mail does. */
  send(mail: Mail): Promise<Dialogue>
  /** Sends QUIT and ends the connection. */
  quit(): void
  onEnd(listener: () => void): void
}

/** Opens a connection up to the point where a mail can begin. Returns the failed dialogue if the server does not allow it. */
export async function openSession(options: SessionOptions): Promise<Session | Dialogue> {
  const dialogue = { command: '', reply: '', tls: false, trouble: '' }
  let wire: Wire | null = null
  try {
    wire = await connected(options)
    return await greet(wire, options, dialogue)
  } catch (error) {
    wire?.end('given up')
    if (error instanceof Refused) return { ...dialogue, command: error.command, reply: error.reply.text }
    if (error instanceof Unsafe) return { ...dialogue, reply: '', trouble: error.trouble, tlsFailure: error.failure }
    if (error instanceof Broken) return { ...dialogue, reply: '', trouble: error.trouble }
    throw error
  }
}

/** TLS is not as required. */
class Unsafe extends Broken {
  readonly failure: TlsFailure
  constructor(trouble: string, failure: TlsFailure) {
    super(trouble)
    this.failure = failure
  }
}

/** A reply that refuses us before any mail has begun. */
class Refused extends Error {
  readonly command: string
  readonly reply: Reply
  constructor(command: string, reply: Reply) {
    super(reply.text)
    this.command = command
    this.reply = reply
  }
}

function connected({ route: { address, port }, limits: { connectMs } }: SessionOptions): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port })
    const fail = (trouble: string) => {
      socket.destroy()
      reject(new Broken(trouble))
    }
    const timer = setTimeout(() => fail('connection timed out'), connectMs)
    socket.once('error', (error) => fail(error.message))
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error')
      resolve(new Wire(socket))
    })
  })
}

type Progress = { command: string; reply: string; tls: boolean; trouble: string }

async function greet(wire: Wire, options: SessionOptions, progress: Progress): Promise<Session> {
  const { limits, tls, tryTls, preface } = options
  const ask = async (command: string, expected: number) => {
    progress.command = command.split(' ', 1)[0] ?? ''
    if (command !== '') await wire.write(`${command}\r\n`)
    const reply = await wire.read(limits.replyMs)
    if (reply.code !== expected) throw new Refused(progress.command, reply)
    return reply
  }
  if (preface !== undefined) await wire.write(preface)
  await ask('', 220)
  let extensions = await hello(ask, options.name)
  let encrypted: Encrypted = { tlsFailure: null, certificates: [] }
  const mustEncrypt = tls.kind !== 'opportunistic'
  if (mustEncrypt && !extensions.has('STARTTLS'))
    throw new Unsafe('the policy of the domain requires TLS, which the server does not offer', noStartTls)
  if (extensions.has('STARTTLS') && (tryTls || mustEncrypt)) {
    await ask('STARTTLS', 220)
    encrypted = await encrypt(wire, options)
    progress.tls = true
    extensions = await hello(ask, options.name)
  }
  return sessionOf(wire, { ...encrypted, extensions, tls: progress.tls, policy: tls, limits })
}

/** RFC 8460 4.3.1. */
export const noStartTls: TlsFailure = { type: 'starttls-not-supported', detail: null }

/** Sends EHLO, or HELO to a server that does not know EHLO (RFC 5321 4.1.4). Returns the extensions with their parameters. */
async function hello(ask: (command: string, expected: number) => Promise<Reply>, name: string) {
  const extensions = new Map<string, string>()
  try {
    const { lines } = await ask(`EHLO ${name}`, 250)
    for (const line of lines.slice(1)) {
      const [keyword = '', ...parameters] = line.trim().split(/\s+/)
      extensions.set(keyword.toUpperCase(), parameters.join(' '))
    }
  } catch (error) {
    if (!(error instanceof Refused) || error.reply.code < 500 || error.reply.code === 521) throw error
    await ask(`HELO ${name}`, 250)
  }
  return extensions
}

type Encrypted = {
  /** Why a watched certificate would not be accepted; null if it would. */
  readonly tlsFailure: TlsFailure | null
  /** The certificate chain of the server, if its DNS pins it. */
  readonly certificates: readonly Buffer[]
}

/** Starts TLS, and checks the certificate. */
async function encrypt(wire: Wire, { route, tls, serverNames = [], limits }: SessionOptions): Promise<Encrypted> {
  const servername = isIP(route.name) === 0 ? { servername: route.name } : {}
  const socket = await wire.secure({ ...servername, rejectUnauthorized: false }, limits.replyMs)
  const trouble = (text: string, failure: TlsFailure) => {
    wire.end(text)
    return new Unsafe(text, failure)
  }
  const untrusted = socket.authorized ? null : untrustedBecause(String(socket.authorizationError))
  if (tls.kind === 'verified' && untrusted !== null)
    throw trouble(`the certificate of the server is not trusted: ${untrusted.detail}`, untrusted)
  if (tls.kind === 'pinned') {
    const certificates = certificatesOf(socket.getPeerCertificate(true))
    if (!tls.accepts(certificates, serverNames))
      throw trouble('the DNS of the server pins other certificates than the one it has (DANE)', {
        type: 'tlsa-invalid',
        detail: null,
      })
    return { tlsFailure: null, certificates }
  }
  return { tlsFailure: tls.kind === 'opportunistic' && tls.isWatched === true ? untrusted : null, certificates: [] }
}

function untrustedBecause(code: string): TlsFailure {
  const type = code.includes('CERT_HAS_EXPIRED')
    ? 'certificate-expired'
    : code.includes('ALTNAME')
      ? 'certificate-host-mismatch'
      : 'certificate-not-trusted'
  return { type, detail: code }
}

type Certificate = { readonly raw: Buffer; readonly issuerCertificate?: Certificate }

/** Returns the certificate chain as the server sent it, its own certificate first. */
function certificatesOf(first: Certificate): Buffer[] {
  const chain: Buffer[] = []
  for (let next: Certificate | undefined = first; next?.raw !== undefined; next = next.issuerCertificate) {
    if (chain.some((raw) => raw.equals(next?.raw ?? Buffer.alloc(0)))) break
    chain.push(next.raw)
  }
  return chain
}

type Opened = {
  readonly extensions: ReadonlyMap<string, string>
  readonly tls: boolean
  readonly limits: SessionOptions['limits']
}

function sessionOf(
  wire: Wire,
  {
    extensions,
    tls,
    limits,
    policy,
    tlsFailure,
    certificates,
  }: Opened & Encrypted & { readonly policy: SessionOptions['tls'] },
): Session {
  let uses = 0
  return {
    tls,
    tlsFailure,
    get uses() {
      return uses
    },
    get isOpen() {
      return !wire.isBroken && !wire.hasUnread
    },
    has: (extension) => extensions.has(extension),
    suits: ({ serverNames }) =>
      policy.kind !== 'pinned' || serverNames === undefined || policy.accepts(certificates, serverNames),
    async send(mail) {
      uses += 1
      const refuse = (reply: string) => ({ command: 'MAIL', reply, tls, trouble: '' })
      const converts = mail.is8Bit && !mail.needsUtf8 && !extensions.has('8BITMIME')
      const converted = converts ? await mail.sevenBit() : mail
      if (converted === null)
        return refuse('554 5.6.3 the server takes 7-bit mail only, and this mail cannot be converted to it')
      const sent = { ...mail, ...converted }
      const refusal = refusedBefore(extensions, sent)
      return refusal === null ? transact(wire, sent, { extensions, tls, limits }) : refuse(refusal)
    },
    quit() {
      // The reply is not awaited, since it does not matter.
      wire.write('QUIT\r\n').then(
        () => wire.end('quit'),
        () => undefined,
      )
    },
    onEnd: (listener) => wire.onEnd(listener),
  }
}

/** Returns a refusal, worded as a reply, of a mail that the server cannot take according to its extensions; null if it can. */
function refusedBefore(extensions: ReadonlyMap<string, string>, { sizeBytes, needsUtf8 }: Mail): string | null {
  const limit = Number(extensions.get('SIZE') ?? 0)
  if (limit > 0 && sizeBytes > limit)
    return `552 5.3.4 the message has ${sizeBytes} bytes, and the server takes at most ${limit}`
  if (needsUtf8 && !extensions.has('SMTPUTF8'))
    return '550 5.6.7 the server does not take internationalised mail (SMTPUTF8)'
  return null
}

async function transact(wire: Wire, mail: Mail, { extensions, tls, limits }: Opened): Promise<Dialogue> {
  const progress: Progress = { command: 'MAIL', reply: '', tls, trouble: '' }
  try {
    const failed = await envelope(wire, mail, { extensions, limits, progress })
    if (failed !== null) return { ...progress, ...failed }
    // If this process hung during the envelope, another process may have claimed the mail.
    if (!(await mail.isHeld())) {
      wire.end('given up')
      return { ...progress, reply: '', trouble: 'the lease of the mail lapsed' }
    }
    const refusal = await contentOrRefusal(wire, mail, limits)
    if (refusal !== null) return { ...progress, reply: refusal }
    progress.command = '.'
    return { ...progress, reply: (await wire.read(limits.finalReplyMs)).text }
  } catch (error) {
    if (error instanceof Broken) return { ...progress, reply: '', trouble: error.trouble }
    // The server may still be waiting for the content.
    wire.end('given up')
    throw error
  }
}

/** Sends the content. Returns the refusal of a server that hung up in the middle of it, null if it took all. */
async function contentOrRefusal(
  wire: Wire,
  { content }: Mail,
  { replyMs }: SessionOptions['limits'],
): Promise<string | null> {
  try {
    await wire.writeContent(content, replyMs)
    return null
  } catch (error) {
    const reply = wire.hasUnread ? await wire.read(replyMs) : null
    if (reply === null || reply.code < 400) throw error
    return reply.text
  }
}

type Enveloping = Pick<Opened, 'extensions' | 'limits'> & { readonly progress: Progress }

/** Sends MAIL, RCPT and DATA, together if the server allows it (RFC 2920). Returns null if the content may follow. */
async function envelope(
  wire: Wire,
  mail: Mail,
  { extensions, limits, progress }: Enveloping,
): Promise<Pick<Dialogue, 'command' | 'reply'> | null> {
  const steps = [
    { command: 'MAIL', line: mailFrom(mail, extensions), kind: 2 },
    { command: 'RCPT', line: `RCPT TO:<${mail.recipient}>`, kind: 2 },
    { command: 'DATA', line: 'DATA', kind: 3 },
  ]
  const pipelined = extensions.has('PIPELINING')
  if (pipelined) await wire.write(`${steps.map(({ line }) => line).join('\r\n')}\r\n`)
  let failed: Pick<Dialogue, 'command' | 'reply'> | null = null
  let code = 0
  for (const { command, line, kind } of steps) {
    if (failed === null) progress.command = command
    if (!pipelined) await wire.write(`${line}\r\n`)
    const reading = wire.read(limits.replyMs)
    const reply: Reply | null = await (failed === null ? reading : unlessBroken(reading))
    // The server hung up after it refused, so the refusal counts.
    if (reply === null) return failed
    code = reply.code
    // RFC 5321 4.3.2: the first digit determines the meaning of a reply.
    if (failed === null && Math.floor(code / 100) !== kind) failed = { command, reply: reply.text }
    if (failed !== null && !pipelined) break
  }
  if (failed === null) return null
  // The server expects the content although it refused the sender or the recipient. Only ending the connection is safe.
  if (code === 354) wire.end('out of step')
  else await reset(wire, limits.replyMs)
  return failed
}

function mailFrom({ sender, sizeBytes, is8Bit, needsUtf8 }: Mail, extensions: ReadonlyMap<string, string>): string {
  const parameters = [
    extensions.has('SIZE') ? ` SIZE=${sizeBytes}` : '',
    is8Bit && extensions.has('8BITMIME') ? ' BODY=8BITMIME' : '',
    needsUtf8 ? ' SMTPUTF8' : '',
  ]
  return `MAIL FROM:<${sender}>${parameters.join('')}`
}

/** Makes the server forget the refused mail, so that the connection can be used for the next one. */
async function reset(wire: Wire, timeoutMs: number): Promise<void> {
  const reply = await unlessBroken(wire.write('RSET\r\n').then(() => wire.read(timeoutMs)))
  if (reply !== null && reply.code !== 250) wire.end('RSET was refused')
}

async function unlessBroken(reading: Promise<Reply>): Promise<Reply | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Broken) return null
    throw error
  }
}
