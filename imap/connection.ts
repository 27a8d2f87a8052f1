/**
 * One client. Commands are carried out one after the other, in five steps: read, check the state, run, send the news, answer.
 * Invariants: every command is answered once, with its tag; no command is read from a client that does not read the responses
 * to the earlier ones; when the connection ends, so does its session.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { recordAudit } from '../core/access/audit.ts'
import { closeGently } from '../core/access/connections.ts'
import { isLoopback } from '../core/access/network.ts'
import type { TlsContexts } from '../core/certificates/tls-contexts.ts'
import { messageBytesMax } from '../core/imap/append.ts'
import type { Context } from '../core/process/context.ts'
import { whileUnavailable } from '../core/process/database-away.ts'
import type { InFlight, Transfer } from '../core/process/in-flight.ts'
import { Failure, failures, messageAndFix } from '../schemas/failures.ts'
import { capabilities } from './capabilities.ts'
import type { Command } from './command.ts'
import { commandNamed } from './commands.ts'
import type { Structures } from './fetch/structures.ts'
import { limits } from './limits.ts'
import { tellNews } from './news.ts'
import type { Room } from './room.ts'
import type { Texts } from './search/document.ts'
import type { Views } from './selected/views.ts'
import { type Peer, Session } from './session.ts'
import { Bad, type Done, No, told } from './wire/answers.ts'
import { type CommandText, Refused, readCommand } from './wire/command-reader.ts'
import { Parser } from './wire/parser.ts'
import { Source } from './wire/source.ts'
import { Writer } from './wire/writer.ts'

export type ConnectionOptions = {
  readonly ctx: Context
  readonly views: Views
  readonly structures: Structures
  readonly texts: Texts
  /** Bounds the bytes of incoming messages over all connections. */
  readonly room: Room
  /** Bounds the bytes of large messages that clients fetch in parts, over all connections. */
  readonly inFlight: InFlight
  readonly socket: Socket
  readonly address: string
  readonly contexts: TlsContexts
}

export class Connection implements Peer {
  readonly address: string
  readonly session: Session
  readonly #ctx: Context
  readonly #room: Room
  readonly #inFlight: InFlight
  readonly #contexts: TlsContexts
  readonly #source = new Source()
  readonly #writer: Writer
  #stream: Socket
  #isLeaving = false
  /** Whether BYE was sent, after which nothing is answered. */
  #isEnded = false
  #isCompressed = false
  /** Whether a command has begun to arrive and is not complete. */
  #isReading = false
  #endsAt = 0
  #deadline: NodeJS.Timeout | undefined
  #isRunning = false
  /** Whether the running command waits for a line from the client. */
  #isWaiting = false
  #badCommands = 0
  #commands = 0
  #incoming = 0
  #checkedAt = 0
  #wrongLogins = 0
  #afterAnswer: (() => Promise<void>) | null = null

  constructor({ ctx, views, structures, texts, room, inFlight, socket, address, contexts }: ConnectionOptions) {
    this.#ctx = ctx
    this.#room = room
    this.#inFlight = inFlight
    this.#contexts = contexts
    this.address = address
    this.#stream = socket
    this.#writer = new Writer(socket)
    this.session = new Session({ ctx, views, structures, texts, writer: this.#writer, peer: this })
    this.#watch(socket)
    this.#source.attach(socket)
  }

  isEncrypted(): boolean {
    return this.#stream instanceof TLSSocket
  }

  isPrivate(): boolean {
    return this.isEncrypted() || isLoopback(this.address)
  }

  canEncrypt(): boolean {
    return !this.isEncrypted()
  }

  leave(): void {
    this.#isLeaving = true
  }

  afterAnswer(work: () => Promise<void>): void {
    this.#afterAnswer = work
  }

  wrongLogin(isRefused: boolean): void {
    this.#wrongLogins += 1
    if (isRefused || this.#wrongLogins >= limits.wrongLogins)
      this.#afterAnswer = async () => this.end('Too many wrong logins')
  }

  /** Serves the client until either side ends it; never rejects. */
  async serve(): Promise<void> {
    try {
      this.#writer.line(`* OK [CAPABILITY ${capabilities(this.session)}] Mailroom is ready`)
      await this.#run()
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'an IMAP connection failed')
    } finally {
      this.session.close()
      this.#leaveRoom()
      this.#writer.end()
      closeGently(this.#stream)
    }
  }

  /** Ends the connection at once, with BYE unless a response is half written. What a command writes after that is not sent. */
  end(why: string): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#isEnded = true
    if (!this.#writer.lastLine(`* BYE ${why}`)) this.#stream.destroy()
    this.#source.end()
  }

  abandon(): void {
    this.#isLeaving = true
    this.#stream.destroy()
  }

  hold(bytes: number): Transfer {
    return this.#inFlight.add(this.#stream, bytes, () => this.#noteCut())
  }

  isQuiet(): boolean {
    return !this.#isRunning || this.#isWaiting
  }

  async line(): Promise<string | null> {
    this.#setPatience()
    this.#isWaiting = true
    // Before login the total time is bounded, however often a byte arrives.
    const isIn = this.session.login !== null
    const deadline = isIn ? undefined : setTimeout(() => this.end('The login took too long'), limits.commandMs).unref()
    const line = await this.#source.line(limits.lineBytes)
    clearTimeout(deadline)
    this.#isWaiting = false
    return Buffer.isBuffer(line) ? line.toString('latin1') : null
  }

  async encrypt(): Promise<void> {
    const plain = this.#stream
    // Bytes that arrived before the handshake are unprotected: the connection ends (RFC 9051 6.2.1).
    const left = this.#source.detach()
    this.#writer.flush()
    if (left.length > 0) {
      this.#isLeaving = true
      return
    }
    plain.removeAllListeners('timeout')
    const { secureContext } = this.#contexts.current()
    const secure = new TLSSocket(plain, { isServer: true, secureContext, SNICallback: this.#contexts.sni })
    this.#stream = secure
    this.#watch(secure)
    this.#writer.attach(secure)
    this.#source.attach(secure)
  }

  isCompressed(): boolean {
    return this.#isCompressed
  }

  async compress(): Promise<void> {
    const { createInflateRaw, createDeflateRaw, constants } = await import('node:zlib')
    const left = this.#source.detach()
    const stream = this.#stream
    this.#isCompressed = true
    const inflate = createInflateRaw()
    const deflate = createDeflateRaw({ level: 1, memLevel: 6, windowBits: 13, flush: constants.Z_SYNC_FLUSH })
    // Invalid compressed data ends the connection; the end of the connection ends both streams.
    inflate.on('error', () => stream.destroy())
    deflate.on('error', () => stream.destroy())
    stream.on('close', () => {
      inflate.destroy()
      deflate.destroy()
    })
    this.#writer.attach(deflate)
    deflate.pipe(stream)
    this.#source.attach(inflate)
    inflate.write(left)
    stream.pipe(inflate)
  }

  async #run(): Promise<void> {
    while (!this.#isLeaving) {
      this.#writer.flush()
      await this.#writer.room()
      this.#setPatience()
      let text: CommandText | null
      try {
        text = await this.#read()
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        this.#leaveRoom()
        this.#answerFailure(error.tag ?? '*', error.answer)
        if (error.isLost) this.end('The rest of the command could not be read')
        continue
      } finally {
        this.#isReading = false
        clearTimeout(this.#deadline)
      }
      if (text === null || this.#isLeaving) return
      this.#isRunning = true
      await this.session.notifier?.settled()
      await this.#execute(text)
      this.#isRunning = false
      this.session.notifier?.wake()
      this.#leaveRoom()
      const work = this.#afterAnswer
      this.#afterAnswer = null
      await work?.()
    }
  }

  #read(): Promise<CommandText | null> {
    const isIn = this.session.login !== null
    return readCommand(this.#source, {
      lineBytesMax: isIn ? limits.lineBytes : limits.lineBytesBeforeLogin,
      admit: (before, size, bytesSoFar) => this.#admit(before, size, bytesSoFar),
      requestLiteral: () => {
        this.#writer.line('+ Send the literal')
        this.#writer.flush()
      },
      begun: (literalBytes) => this.#bound(literalBytes),
    })
  }

  /** Sets the deadline of a command that has begun to arrive. Sending it in small pieces does not extend the deadline. */
  #bound(literalBytes: number): void {
    if (!this.#isReading) this.#endsAt = performance.now() + limits.commandMs
    this.#isReading = true
    this.#endsAt += (literalBytes / limits.slowBytesPerSecond) * 1_000
    this.#stream.setTimeout(limits.stalledMs)
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#stream.destroy(), this.#endsAt - performance.now()).unref()
  }

  /** Bounds literals: only APPEND and REPLACE, after login, may send one as large as a message. */
  #admit(before: string, size: number, bytesSoFar: number): void {
    const isMessage = this.session.login !== null && bringsMessage.test(before)
    const short = this.session.login === null ? limits.lineBytesBeforeLogin : limits.literalBytes
    const max = isMessage ? messageBytesMax(this.#ctx) : short
    if (size > max) throw new No('TOOBIG', `A literal may have at most ${max} bytes here`)
    if (bytesSoFar + size > messagesAtOnce * max)
      throw new No('TOOBIG', 'The literals of this command are too large together')
    if (!isMessage) return
    if (!this.#room.enter(size)) throw new No('UNAVAILABLE', 'Too many messages are being received; try again later')
    this.#incoming += size
  }

  /** Releases the room of a command's messages, once they are stored or dropped. */
  #leaveRoom(): void {
    this.#room.leave(this.#incoming)
    this.#incoming = 0
  }

  async #execute(text: CommandText): Promise<void> {
    const { session } = this
    let tag = '*'
    let name = 'none'
    try {
      const parser = new Parser(text, session.nameForm)
      tag = parser.tag()
      session.currentTag = tag
      parser.space()
      const known = await commandNamed(parser)
      if (known === null) throw new Bad('There is no such command')
      name = known.name
      if (session.login === null && ++this.#commands > limits.commandsBeforeLogin) return this.end('Too many commands')
      this.#requireState(known.command)
      const run = known.command.read(parser, session)
      await this.#checkLogin()
      await this.#noteRead(name)
      const done = await this.#ctx.tracing.span(`imap ${name}`, {}, run)
      this.#tell(known.command)
      this.#answer(tag, name, done)
      this.#badCommands = 0
    } catch (error) {
      if (session.selected !== null && !(error instanceof Bad)) tellNews(session, { withExpunged: false })
      this.#answerFailure(tag, error, name)
    }
  }

  /** Ends the connection if its key or account has ended, even if no change note said so. */
  async #checkLogin(): Promise<void> {
    const { session } = this
    const { clock, skew } = this.#ctx
    if (session.login !== null) skew.requireSound()
    const now = clock.now().getTime()
    if (session.login === null || now < this.#checkedAt + checkMs) return
    try {
      session.login = await session.login.again()
      this.#checkedAt = now
    } catch (error) {
      if (error instanceof Failure && error.code !== 'unavailable') this.end('The login has ended')
      throw error
    }
  }

  /** Records in the customer's audit log what a partner reads with the customer's key. */
  async #noteRead(name: string): Promise<void> {
    const { login } = this.session
    if (login?.principal.heldBy === undefined || !readingCommands.test(name)) return
    const { accountId, keyId } = login.principal
    const action = `imap.${name.replace('UID ', '').toLowerCase()}`
    const entry = { action, target: login.mailbox.address, outcome: 'done', address: this.address }
    // Recorded before the command runs, because a client may read the mail and hang up.
    await recordAudit(this.#ctx, { accountId, keyId, ...entry })
  }

  #requireState({ states }: Command): void {
    const { state } = this.session
    if (states.includes(state)) return
    if (state === 'greeted') throw new Bad('Log in first')
    throw new Bad(
      state === 'authenticated' && states.includes('selected') ? 'Select a folder first' : 'You are logged in already',
    )
  }

  #tell({ updates }: Command): void {
    const { session } = this
    if (session.selected?.view.isGone === true) this.end('The folder has been deleted')
    else if (updates !== 'nothing') tellNews(session, { withExpunged: updates === 'all' })
  }

  #answer(tag: string, name: string, { responseCode, text = 'Done' }: Done): void {
    this.#ctx.metrics.count('mailroom_imap_commands_total', { command: name, result: 'ok' })
    if (this.#isEnded) return
    this.#writer.line(`${tag} OK ${told(responseCode, text)}`)
  }

  #answerFailure(tag: string, error: unknown, name = 'none'): void {
    const { metrics, log } = this.#ctx
    if (this.#isEnded) return
    if (error instanceof Bad) {
      metrics.count('mailroom_imap_commands_total', { command: name, result: 'bad' })
      this.#writer.line(`${tag} BAD ${told(error.responseCode, error.message)}`)
      if (++this.#badCommands >= limits.badCommands) this.end('Too many invalid commands')
      return
    }
    metrics.count('mailroom_imap_commands_total', { command: name, result: 'no' })
    this.#writer.line(`${tag} NO ${refusal(whileUnavailable(error))}`)
    if (!(error instanceof No) && !(error instanceof Failure))
      log.error({ err: error, command: name }, 'a command failed')
  }

  #noteCut(): void {
    this.#ctx.log.info(
      { peerAddress: this.address },
      'an IMAP connection was cut off: its client did not read an answer',
    )
  }

  #setPatience(): void {
    const { loginSeconds, idleSeconds } = this.#ctx.settings.limits.imap
    this.#stream.setTimeout((this.session.login === null ? loginSeconds : idleSeconds) * 1_000)
  }

  #watch(stream: Socket): void {
    stream.setNoDelay(true)
    stream.on('error', () => stream.destroy())
    stream.on('close', () => this.#source.end())
    stream.on('timeout', () => {
      // While a command runs and the client has read everything, the delay is not the client's fault.
      if (this.#isRunning && !this.#isWaiting && stream.writableLength === 0) return
      if (stream.writableLength > 0) this.#noteCut()
      if (this.#isReading || stream.writableLength > 0) stream.destroy()
      else this.end('The connection was idle for too long')
    })
  }
}

/** With a command, the login is checked again if the last check is at least this old. */
const checkMs = 60_000
/** The size of all literals of one command, as a multiple of the limit for one literal. */
const messagesAtOnce = 2
/** The commands that reveal the content of mail. */
const readingCommands = /^(?:UID )?(?:FETCH|NOTIFY|SEARCH|SORT|THREAD)$/
const bringsMessage = /^\S+ (?:APPEND|REPLACE|UID REPLACE) /i

/** Returns `[CODE] text` for an error. The cause of an internal error goes to the log only. */
function refusal(error: unknown): string {
  if (error instanceof No) return told(error.responseCode, error.message)
  if (error instanceof Failure) return told(failures[error.code].imap, messageAndFix(error))
  return told('SERVERBUG', 'An internal error occurred; it has been logged')
}
