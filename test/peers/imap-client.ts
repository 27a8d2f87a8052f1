/** An IMAP client that sends exactly what a test tells it to, and returns every line it receives. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export type Answer = {
  /** Untagged responses, each with its literals in place. */
  readonly lines: readonly string[]
  /** `OK`, `NO` or `BAD` with what follows. */
  readonly end: string
}

export class ImapClient {
  #socket: Socket
  #bytes = ''
  #tags = 0
  #wake: (() => void) | null = null
  #isClosed = false

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
  }

  /** Connects and reads the greeting. */
  static async connect(port: number, { tls = false } = {}): Promise<{ client: ImapClient; greeting: string }> {
    const socket = tls ? connectTls({ port, rejectUnauthorized: false }) : connect(port, '127.0.0.1')
    await once(socket, tls ? 'secureConnect' : 'connect')
    const client = new ImapClient(socket)
    return { client, greeting: (await client.response()) ?? '' }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Sends a command and reads its answer. Strings after the first are literals, sent when the server asks for them. */
  async ask(command: string, ...literals: readonly string[]): Promise<Answer> {
    const tag = this.send(command)
    return this.answer(tag, literals)
  }

  /** Sends a command. Returns its tag. */
  send(command: string): string {
    const tag = `t${++this.#tags}`
    this.write(`${tag} ${command}\r\n`)
    return tag
  }

  async answer(tag: string, literals: readonly string[] = []): Promise<Answer> {
    const lines: string[] = []
    const waiting = [...literals]
    for (;;) {
      const line = await this.response()
      if (line === null) return { lines, end: 'CLOSED' }
      if (line.startsWith('+')) {
        const next = waiting.shift()
        if (next === undefined) lines.push(line)
        else this.write(next)
      } else if (line.startsWith(`${tag} `)) return { lines, end: line.slice(tag.length + 1) }
      else lines.push(line)
    }
  }

  write(text: string): void {
    this.#socket.write(text, 'latin1')
  }

  /** Begins TLS, as after STARTTLS. */
  async encrypt(): Promise<void> {
    this.#socket.removeAllListeners()
    this.#socket = connectTls({ socket: this.#socket, rejectUnauthorized: false })
    await once(this.#socket, 'secureConnect')
    this.#listen()
  }

  /** The next response, with its literals in place; null when the server has closed the connection. */
  async response(): Promise<string | null> {
    for (let from = 0; ; ) {
      const end = this.#bytes.indexOf('\r\n', from)
      if (end < 0) {
        if (this.#isClosed) return null
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const literal = /~?\{(\d+)\}$/.exec(this.#bytes.slice(from, end))
      if (literal === null) {
        const line = this.#bytes.slice(0, end)
        this.#bytes = this.#bytes.slice(end + 2)
        return line
      }
      const next = end + 2 + Number(literal[1])
      while (this.#bytes.length < next && !this.#isClosed) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      if (this.#bytes.length < next) return null
      from = next
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.toString('latin1')
      this.#wake?.()
    })
    this.#socket.on('error', () => undefined)
    this.#socket.on('close', () => {
      this.#isClosed = true
      this.#wake?.()
    })
  }
}
