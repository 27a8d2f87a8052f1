/** Mail servers to deliver to: an ordinary one, and scripted ones. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Received = {
  readonly from: string
  readonly to: string
  readonly raw: Buffer
  readonly secure: boolean
}

export type Sink = { readonly route: string; readonly received: Received[]; close(): Promise<void> }

/** Starts a server that accepts everything, except that it refuses a recipient whenever `refuse` returns a code. */
export async function startSink(refuse: (to: string) => number | null, options: SMTPServerOptions = {}): Promise<Sink> {
  const received: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      const code = refuse(address)
      done(code === null ? null : Object.assign(new Error('said the sink'), { responseCode: code }))
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        received.push({ from, to: envelope.rcptTo[0]?.address ?? '', raw: Buffer.concat(chunks), secure })
        done(null, 'taken by the sink')
      })
    },
    ...options,
  })
  server.on('error', () => undefined) // clients that break off
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return { route: routeOf(listener), received, close: () => new Promise((resolve) => server.close(resolve)) }
}

export type Script = { readonly route: string; readonly heard: string[]; close(): Promise<void> }

/** Starts a server that greets and then answers each command, and the final dot, with what `answer` returns; null hangs up. */
export async function startScript(greeting: string, answer: (line: string) => string | Buffer | null): Promise<Script> {
  const heard: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write(greeting)
    let inData = false
    eachLine(socket, (line) => {
      heard.push(line)
      if (inData && line !== '.') return
      const reply = answer(line)
      inData = reply?.toString('latin1').startsWith('354') ?? false
      if (reply === null) socket.destroy()
      else socket.write(reply)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { route: routeOf(server), heard, close: () => new Promise((resolve) => void server.close(() => resolve())) }
}

/** Starts a server that accepts the envelope and calls `onContent` at the first byte of the content. */
export async function startReluctant(onContent: (socket: Socket) => void): Promise<Pick<Script, 'route' | 'close'>> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.write('220 hi\r\n')
    let inContent = false
    socket.on('data', (chunk: Buffer) => {
      if (inContent) return
      for (const line of chunk.toString('latin1').split('\r\n').filter(Boolean)) {
        inContent = line === 'DATA'
        socket.write(inContent ? '354 go on\r\n' : '250 2.0.0 ok\r\n')
      }
      if (inContent) socket.once('data', () => onContent(socket))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  }
  return { route: routeOf(server), close }
}

function eachLine(socket: Socket, take: (line: string) => void): void {
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
}

function routeOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
