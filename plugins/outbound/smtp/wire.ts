/**
 * One SMTP dialogue: sends commands and reads replies in order. Invariants: a reply belongs to the oldest command that has
 * none yet. A broken dialogue sends and reads nothing more, and everyone who waits for a reply learns what broke it.
 */
import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import { type ConnectionOptions, connect as startTls, type TLSSocket } from 'node:tls'

/** The longest reply that is read, which stops a server that never stops sending; and how much of a reply is kept. */
const replyCharsMax = 64 * 1024
const replyKeptChars = 4 * 1024
/** Unread replies at most; stops a server that sends replies unasked. One per pipelined command is normal. */
const unreadMax = 16
/** How much of a mail is passed to the operating system at once. A server that takes that much in time does not count as dead. */
const sliceBytes = 256 * 1024

export type Reply = {
  readonly code: number
  /** The reply word for word, lines joined by LF. */
  readonly text: string
  /** The text of each line without its code. */
  readonly lines: readonly string[]
}

/** The dialogue cannot continue; `trouble` is a text for people. */
export class Broken extends Error {
  readonly trouble: string
  constructor(trouble: string) {
    super(trouble)
    this.name = 'Broken'
    this.trouble = trouble
  }
}

type Reader = { resolve(reply: Reply): void; reject(error: Broken): void; readonly timer: NodeJS.Timeout }

export class Wire {
  #socket: Socket
  #readers: Reader[] = []
  #replies: Reply[] = []
  #lines: string[] = []
  #rest = ''
  #chars = 0
  #broken: Broken | null = null
  #onEnd: () => void = () => undefined

  constructor(socket: Socket) {
    this.#socket = socket
    this.#listen(socket)
  }

  get isBroken(): boolean {
    return this.#broken !== null
  }

  /** Whether the server sent a reply unasked, as it does before it closes an idle connection. */
  get hasUnread(): boolean {
    return this.#replies.length > 0
  }

  /** Calls `listener` once when the dialogue ends, for whatever reason. */
  onEnd(listener: () => void): void {
    if (this.#broken === null) this.#onEnd = listener
    else listener()
  }

  /** Sends bytes as they are. Resolves when the operating system has taken all of them. Rejects with Broken. */
  write(data: string | readonly Buffer[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(this.#break(error.message)) : resolve())
      if (this.#broken !== null) reject(this.#broken)
      else if (typeof data === 'string') this.#socket.write(data, 'utf8', done)
      else {
        this.#socket.cork()
        for (const [n, part] of data.entries()) this.#socket.write(part, n === data.length - 1 ? done : undefined)
        this.#socket.uncork()
      }
    })
  }

  /** Sends the content of a mail. Rejects with Broken, also if the server takes nothing for `timeoutMs` (RFC 5321 4.5.3.2.5). */
  async writeContent(content: readonly Buffer[], timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.end('the server took no more of the message'), timeoutMs)
    try {
      for (const slice of slicesOf(content)) {
        await this.write(slice)
        timer.refresh()
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Reads the next reply. Rejects with Broken, also if none arrives within `timeoutMs`. */
  read(timeoutMs: number): Promise<Reply> {
    const reply = this.#replies.shift()
    if (reply !== undefined) return Promise.resolve(reply)
    if (this.#broken !== null) return Promise.reject(this.#broken)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end('no answer in time'), timeoutMs)
      this.#readers.push({ resolve, reject, timer })
    })
  }

  /**
   * Encrypts the connection. What arrived before the handshake is dropped, since an attacker may have injected it (RFC 3207 4.2).
   * Rejects with Broken.
   */
  async secure(options: ConnectionOptions, timeoutMs: number): Promise<TLSSocket> {
    const plain = this.#socket
    plain.removeAllListeners()
    this.#rest = ''
    this.#lines = []
    this.#replies = []
    const socket = startTls({ ...options, socket: plain })
    this.#socket = socket
    return new Promise((resolve, reject) => {
      const fail = (text: string) => reject(this.#break(text))
      const timer = setTimeout(() => fail('the TLS handshake took too long'), timeoutMs)
      socket.once('error', (error) => fail(error.message))
      socket.once('close', () => fail('the server closed the connection'))
      socket.once('secureConnect', () => {
        clearTimeout(timer)
        socket.removeAllListeners('error').removeAllListeners('close')
        this.#listen(socket)
        resolve(socket)
      })
    })
  }

  /** Ends the dialogue at once. */
  end(trouble: string): void {
    this.#break(trouble)
  }

  #listen(socket: Socket): void {
    socket.setNoDelay(true)
    socket.on('data', (data) => this.#take(data.toString('latin1')))
    socket.on('error', (error) => this.#break(error.message))
    socket.on('close', () => this.#break('the server closed the connection'))
  }

  #take(text: string): void {
    this.#chars += text.length
    if (this.#chars > replyCharsMax) {
      this.#break('the reply of the server is too long')
      return
    }
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      this.#lines.push(line.trimEnd())
      // RFC 5321 4.2.1: a hyphen after the code means that more lines follow.
      if (!/^\d{3}-/.test(line)) this.#finish()
    }
  }

  #finish(): void {
    const lines = this.#lines
    this.#lines = []
    this.#chars = 0
    const reply = {
      code: Number(/^\d{3}(?= |$)/.exec(lines.at(-1) ?? '')?.[0] ?? 0),
      text: keptOf(lines),
      lines: lines.map((line) => line.slice(4)),
    }
    const reader = this.#readers.shift()
    if (reader === undefined) {
      this.#replies.push(reply)
      if (this.#replies.length > unreadMax) this.#break('the server sends replies that nobody asked for')
      return
    }
    clearTimeout(reader.timer)
    reader.resolve(reply)
  }

  #break(trouble: string): Broken {
    if (this.#broken !== null) return this.#broken
    const broken = new Broken(trouble)
    this.#broken = broken
    this.#socket.destroy()
    this.#socket.on('error', () => undefined)
    for (const { reject, timer } of this.#readers.splice(0)) {
      clearTimeout(timer)
      reject(broken)
    }
    this.#onEnd()
    return broken
  }
}

/** Cuts content into slices; small content stays whole. */
function slicesOf(content: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const bytes = content.reduce((sum, { length }) => sum + length, 0)
  if (bytes <= sliceBytes) return [content]
  return content.flatMap((part) =>
    Array.from({ length: Math.ceil(part.length / sliceBytes) }, (_, n) => [
      part.subarray(n * sliceBytes, (n + 1) * sliceBytes),
    ]),
  )
}

/** Returns the kept lines of a reply: its first lines, and the last one, which determines its meaning. */
function keptOf(lines: readonly string[]): string {
  const last = (lines.at(-1) ?? '').slice(0, replyKeptChars)
  const kept: string[] = []
  let chars = last.length
  for (const line of lines.slice(0, -1)) {
    chars += line.length + 1
    if (chars > replyKeptChars) break
    kept.push(line)
  }
  const bytes = Buffer.from([...kept, last].join('\n'), 'latin1')
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
}
