/** The client of the IMAP bench. It costs little: of an answer it only looks for the end, and for EXISTS. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createWriter } from './synthetic-mail.ts'

export type Login = { readonly user: string; readonly password: string }

/** A sender of one message in a hundred, and a word in one of five hundred. */
export const rareSender = 'carol.rare'
export const rareWord = 'zebrafinch'

export class Client {
  exists = 0
  readonly #socket: Socket
  readonly #writer = createWriter(7)
  #tail = ''
  #tags = 0
  #filled = 0
  #waiting: { readonly until: RegExp; readonly resolve: () => void } | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')))
  }

  static async open(port: number, { user, password }: Login): Promise<Client> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const client = new Client(socket)
    await client.#until(/^\* OK/m)
    await client.ask(`LOGIN "${user}" "${password}"`)
    return client
  }

  async ask(command: string): Promise<void> {
    const tag = `t${++this.#tags}`
    this.#socket.write(`${tag} ${command}\r\n`)
    await this.#until(new RegExp(`(?:^|\\r\\n)${tag} (?:OK|NO|BAD)[^\\r]*\\r\\n$`))
  }

  /** Appends messages, `together` of them with each command (RFC 3502), one command after another. */
  async fill(count: number, together = 1): Promise<void> {
    for (let left = count; left > 0; left -= together) {
      const literals = Array.from({ length: Math.min(together, left) }, () => this.#message())
      await this.ask(`APPEND INBOX${literals.map((text) => ` {${text.length}+}\r\n${text}`).join('')}`)
    }
  }

  #message(): string {
    const number = ++this.#filled
    return this.#writer
      .message({ number, address: 'a@bench.example', when: new Date() })
      .toString('latin1')
      .replace(/^From: /, number % 100 === 0 ? `From: ${rareSender} ` : 'From: ')
      .concat(number % 500 === 0 ? `${rareWord}\r\n` : '')
  }

  /** Begins IDLE. Resolves with the time of the next EXISTS. */
  async idle(): Promise<number> {
    await this.beginIdle()
    return this.nextExists()
  }

  async beginIdle(): Promise<void> {
    this.#socket.write(`t${++this.#tags} IDLE\r\n`)
    await this.#until(/^\+ /m)
  }

  /** Resolves with the time of the next EXISTS. */
  async nextExists(): Promise<number> {
    await this.#until(/ EXISTS\r\n/)
    return performance.now()
  }

  async done(): Promise<void> {
    this.#socket.write('DONE\r\n')
    await this.#until(new RegExp(`t${this.#tags} OK`))
  }

  close(): void {
    this.#socket.destroy()
  }

  #until(until: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { until, resolve }
      this.#take('')
    })
  }

  #take(text: string): void {
    for (const [, count] of text.matchAll(/\* (\d+) EXISTS/g)) this.exists = Number(count)
    this.#tail = (this.#tail + text).slice(-600)
    const { until, resolve } = this.#waiting ?? {}
    const found = until?.exec(this.#tail)
    if (found === null || found === undefined || resolve === undefined) return
    this.#tail = this.#tail.slice(found.index + found[0].length)
    this.#waiting = null
    resolve()
  }
}
