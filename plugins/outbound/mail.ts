/**
 * One attempt inside Haraka's outbound engine. The engine works on queue files; ours is a mail that only exists in memory,
 * because the truth about it is a row in the database. Invariants: the bytes on the wire are the message's, dots stuffed;
 * one address is tried; `settle` is called once, by plugins/outcome or by the time limit.
 */
import { isIP } from 'node:net'
import { Address } from '@haraka/email-address'
import type { Attempt } from '../../core/attempt.ts'
import type { DataStream, HMailItem, MailExchanger, OutboundModules, OutboundSocket } from '../haraka.d.ts'
import type { Route } from './route.ts'

/** RFC 5321 4.5.3.2.6: giving up sooner sends the mail twice. */
const finalReplyTimeoutMs = 600_000
/** A server that never stops talking: what one reply may have, and what of it is kept. */
const replyCharsMax = 64 * 1024
const replyKeptChars = 4 * 1024

/** What the attempt's dialogue came to, as Haraka's protocol log tells it. */
export type Dialogue = {
  /** The last command but QUIT: '' before the first, `.` for the end of the message. */
  readonly command: string
  /** The reply to it word for word, lines joined by LF; '' when there was none. */
  readonly reply: string
  readonly tls: boolean
  /** What broke the dialogue off; '' when nothing did. */
  readonly trouble: string
}

export type AttemptMail = HMailItem & {
  readonly route: Route
  dialogue(): Dialogue
  /** Tells whoever waits what the dialogue came to; only the first call counts. */
  settle(): void
  /** Breaks the connection off. */
  abort(): void
}

type Making = {
  readonly attempt: Attempt
  readonly raw: Buffer
  readonly route: Route
  readonly settle: () => void
}

/** Makes the class of our mails out of the engine's. `noTls` gets the addresses whose STARTTLS failed. */
export function attemptMailClass(
  { HMailItem: Base, newFileName, pool }: OutboundModules,
  noTls: { add(address: string): void },
): new (
  making: Making,
) => AttemptMail {
  return class extends Base implements AttemptMail {
    readonly route: Route
    readonly settle: () => void
    readonly #content: Buffer
    #command = ''
    #reply: string[] = []
    #replyChars = 0
    #tls = false
    #trouble = ''
    #clear = false
    #mx: MailExchanger | null = null
    #socket: OutboundSocket | null = null

    constructor({ attempt, raw, route, settle }: Making) {
      super(newFileName(), '')
      this.route = route
      this.settle = settle
      this.#content = dotStuffed(raw)
      this.todo = {
        uuid: attempt.id,
        queue_time: Date.now(),
        domain: attempt.domain,
        mail_from: new Address(`<${attempt.sender}>`),
        rcpt_to: [new Address(`<${attempt.recipient}>`)],
        notes: { attempt: attempt.id, token: attempt.token },
      }
    }

    dialogue(): Dialogue {
      const reply = this.#reply.join('\n').slice(0, replyKeptChars)
      return { command: this.#command, reply, tls: this.#tls, trouble: this.#trouble }
    }

    abort(): void {
      this.#socket?.destroy()
    }

    /** There is no queue file to measure, to read or to remove. */
    override size_file(): Promise<void> {
      return Promise.resolve()
    }

    override discard(): void {
      this.refcount--
      if (this.refcount > 0) return
      this.settle() // the engine runs no hook when RCPT is answered 251
      this.next_cb()
    }

    /** The engine asks for a stream and pipes it into the socket; the end of it makes it send the final dot. */
    override data_stream(): DataStream {
      const content = this.#content
      const ended: (() => void)[] = []
      return {
        on(event, listener) {
          if (event === 'end') ended.push(listener)
          return this
        },
        pipe(socket) {
          socket.setTimeout(finalReplyTimeoutMs)
          socket.write(content, undefined, (error) => {
            if (!error) for (const listener of ended) listener()
          })
        },
      }
    }

    override async try_deliver(): Promise<void> {
      const mx = this.mxlist.shift()
      if (mx === undefined) this.temp_fail(this.#trouble)
      else this.#connect(mx)
    }

    override temp_fail(reason: string, extra?: unknown): void {
      this.#trouble ||= reason
      if (!this.#retryInTheClear()) super.temp_fail(reason, extra)
    }

    override bounce(reason: string, extra?: unknown): void {
      this.#trouble ||= reason
      if (!this.#retryInTheClear()) super.bounce(reason, extra)
    }

    override logprotocol(line: string): void {
      if (line.startsWith('C: ')) this.#sent(line.slice(3))
      else if (line.startsWith('S: ')) this.#received(line.slice(3))
    }

    /** What the server or the network did is the attempt's outcome, not an error of ours. */
    override logerror(...parts: readonly unknown[]): void {
      const broken = /^Ongoing connection failed to \S+ : (?:Error: )?(.*)/s.exec(String(parts[0]))?.[1]
      if (broken !== undefined) this.#trouble = broken
      else if (/^Remote end \S+ closed/.test(String(parts[0]))) this.#trouble = 'the server closed the connection'
      else super.logerror(...parts)
    }

    #connect(mx: MailExchanger): void {
      this.#mx = mx
      pool.get_client(mx, (error, socket) => {
        this.#socket = socket
        if (socket !== null) return this.try_deliver_host_on_socket(mx, mx.exchange, mx.port, socket)
        this.#trouble = error?.startsWith('connection timed out') ? 'connection timed out' : String(error)
        return this.temp_fail(this.#trouble)
      })
    }

    /** Whether a second connection without TLS is made: once, when STARTTLS failed, which is before any mail was named. */
    #retryInTheClear(): boolean {
      if (this.#mx === null || this.#clear || this.#command !== 'STARTTLS') return false
      this.#clear = true
      this.#trouble = ''
      this.#command = ''
      noTls.add(this.route.address)
      this.#connect(this.#mx)
      return true
    }

    #sent(command: string): void {
      if (command === 'QUIT') return
      if (this.#command === 'STARTTLS') this.#tls = true
      this.#command = command
      this.#reply = []
      this.#replyChars = 0
    }

    #received(line: string): void {
      this.#reply.push(line.trimEnd())
      this.#replyChars += line.length
      if (this.#replyChars > replyCharsMax) this.abort()
    }
  }
}

/** A route as the engine's get_mx hook answers it; `from_dns` is the name that TLS asks for. */
export function exchangerOf({ name, address, port }: Route): MailExchanger {
  return { exchange: address, port, ...(isIP(name) === 0 && { from_dns: name }) }
}

/** The content of DATA: a dot in front of each that begins a line (RFC 5321 4.5.2), CRLF at the end. */
export function dotStuffed(raw: Buffer): Buffer {
  const parts: Buffer[] = raw[0] === 0x2e ? [dot] : []
  let start = 0
  for (let at = raw.indexOf(dotLine); at !== -1; at = raw.indexOf(dotLine, start)) {
    parts.push(raw.subarray(start, at + 2), dot)
    start = at + 2
  }
  parts.push(raw.subarray(start))
  if (raw.length > 0 && !raw.subarray(-2).equals(crlf)) parts.push(crlf)
  return parts.length === 1 ? raw : Buffer.concat(parts)
}

const dot = Buffer.from('.')
const crlf = Buffer.from('\r\n')
const dotLine = Buffer.from('\r\n.')
