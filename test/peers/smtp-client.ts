/** An SMTP client that sends exactly what a test tells it to, byte for byte, and returns exactly what the server answers. */
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export type Heard = { readonly code: number; readonly lines: readonly string[]; readonly text: string }

export class SmtpClient {
  #socket: Socket
  #buffer = ''
  #waiting: ((heard: Heard | null) => void)[] = []
  #heard: (Heard | null)[] = []

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#listen(socket)
  }

  /** Connects to an address such as `127.0.0.1:2525`. The greeting is still to be read. */
  static async connect(address: string, { localAddress }: { localAddress?: string } = {}): Promise<SmtpClient> {
    const colon = address.lastIndexOf(':')
    const socket = connectTcp({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)), localAddress })
    return new SmtpClient(socket)
  }

  /** Connects, reads the greeting and says EHLO. */
  static async hello(address: string, { localAddress }: { localAddress?: string } = {}): Promise<SmtpClient> {
    const client = await SmtpClient.connect(address, { localAddress })
    await client.reply()
    await client.say('EHLO client.test')
    return client
  }

  /** Connects as a proxy that announces a client address and its own port (PROXY), reads the greeting and says EHLO. */
  static async from(address: string, client: string, { helo = 'client.test', port = 25 } = {}): Promise<SmtpClient> {
    const proxied = await SmtpClient.connect(address)
    const [kind, here] = client.includes(':') ? ['TCP6', '2001:db8::25'] : ['TCP4', '192.0.2.25']
    proxied.write(`PROXY ${kind} ${client} ${here} 40000 ${port}\r\n`)
    await proxied.reply()
    await proxied.say(`EHLO ${helo}`)
    return proxied
  }

  /** The next reply; code 0 when the server has closed the connection instead. */
  reply(): Promise<Heard> {
    const next = this.#heard.shift()
    const heard =
      next !== undefined ? Promise.resolve(next) : new Promise<Heard | null>((resolve) => this.#waiting.push(resolve))
    return heard.then((reply) => reply ?? { code: 0, lines: [], text: 'closed' })
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes)
  }

  /** Says one line and reads the reply. */
  say(line: string): Promise<Heard> {
    this.write(`${line}\r\n`)
    return this.reply()
  }

  /** Sends MAIL, RCPTs and DATA in a session that has said EHLO. Returns the reply to DATA. */
  async data(to: readonly string[], { from = 'sender@elsewhere.test' } = {}): Promise<Heard> {
    await this.say(`MAIL FROM:<${from}>`)
    for (const address of to) await this.say(`RCPT TO:<${address}>`)
    return this.say('DATA')
  }

  /** Carries out a whole transaction with `raw` as the message, dot-stuffed. Returns the reply to the final dot. */
  async send(to: readonly string[], raw: string | Buffer, options: { from?: string } = {}): Promise<Heard> {
    const ready = await this.data(to, options)
    if (ready.code !== 354) return ready
    this.write(
      Buffer.from(
        `${Buffer.from(raw)
          .toString('latin1')
          .replaceAll(/(^|\r\n)\./g, '$1..')}.\r\n`,
        'latin1',
      ),
    )
    return this.reply()
  }

  async startTls(): Promise<void> {
    await this.say('STARTTLS')
    this.#socket.removeAllListeners()
    const plain = this.#socket
    this.#socket = await new Promise((resolve, reject) => {
      const secure = connectTls({ socket: plain, rejectUnauthorized: false }, () => resolve(secure))
      secure.once('error', reject)
    })
    this.#listen(this.#socket)
  }

  /** Hangs up without QUIT. */
  destroy(): void {
    this.#socket.destroy()
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#deliver(null))
  }

  #read(chunk: Buffer): void {
    this.#buffer += chunk.toString('utf8')
    for (;;) {
      const reply = /^(?:\d{3}-.*\r\n)*(\d{3}) .*\r\n/.exec(this.#buffer)
      if (reply === null) return
      this.#buffer = this.#buffer.slice(reply[0].length)
      const lines = reply[0].slice(0, -2).split('\r\n')
      this.#deliver({ code: Number(reply[1]), lines, text: lines.join('\n') })
    }
  }

  #deliver(heard: Heard | null): void {
    const waiting = this.#waiting.shift()
    if (waiting !== undefined) waiting(heard)
    else this.#heard.push(heard)
  }
}
