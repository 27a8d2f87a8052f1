/** A DNS server for tests: answers from a zone over UDP and TCP, and misbehaves as the zone says. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import {
  type Answer,
  AUTHENTIC_DATA,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

export type Trouble = 'SERVFAIL' | 'REFUSED' | 'silence' | 'truncate'

/** Answers by `<TYPE> <name>`: TXT texts, addresses, `<preference> <host>` for MX, four fields for SRV, TLSA, DS; or how it fails. */
export type Zone = { readonly [question: string]: readonly string[] | Trouble }

export type NameServer = {
  /** `127.0.0.1:port`. */
  readonly address: string
  /** Every question so far, as `<TYPE> <name>`. */
  readonly asked: string[]
  /** May be changed at any time. */
  zone: Zone
  /** Time to live of all answers, present or absent. */
  ttlSeconds: number
  /** Whether its answers are marked as validated by DNSSEC. */
  secure: boolean
  stop(): Promise<void>
}

const bindTriesMax = 20
const rcodes: { readonly [trouble: string]: number } = { SERVFAIL: 2, REFUSED: 5 }

export async function startNameServer(zone: Zone): Promise<NameServer> {
  const { udp, tcp } = await bindBoth()
  const { port } = udp.address()
  const server: NameServer = {
    address: `127.0.0.1:${port}`,
    asked: [],
    zone,
    ttlSeconds: 300,
    secure: false,
    async stop() {
      udp.close()
      await new Promise((resolve) => tcp.close(resolve))
    },
  }
  udp.on('message', (question, from) => {
    const answer = answerTo(server, question, { over: 'udp' })
    if (answer !== null) udp.send(answer, from.port, from.address)
  })
  tcp.on('connection', (socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      const answer = answerTo(server, bytes.subarray(2), { over: 'tcp' })
      if (answer === null) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.length)
      socket.end(Buffer.concat([length, answer]))
    })
  })
  return server
}

/** Binds a UDP and a TCP socket to one port that is free for both. */
async function bindBoth(): Promise<{ udp: Socket; tcp: Server }> {
  for (let tries = 1; ; tries++) {
    const [udp, tcp] = [createSocket('udp4'), createServer()]
    udp.bind(0, '127.0.0.1')
    await once(udp, 'listening')
    try {
      tcp.listen(udp.address().port, '127.0.0.1')
      await once(tcp, 'listening')
      return { udp, tcp }
    } catch (error) {
      udp.close()
      if (tries === bindTriesMax) throw error
    }
  }
}

function answerTo(server: NameServer, bytes: Buffer, { over }: { over: 'udp' | 'tcp' }): Buffer | null {
  const { id = 0, questions = [] } = decode(bytes)
  const [asked] = questions
  if (asked === undefined) return null
  const name = asked.name.toLowerCase()
  server.asked.push(`${asked.type} ${name}`)
  const found = server.zone[`${asked.type} ${name}`]
  const alias = server.zone[`CNAME ${name}`]
  const flags = AUTHORITATIVE_ANSWER | (server.secure ? AUTHENTIC_DATA : 0)
  const reply: Packet = { type: 'response', id, flags, questions: [asked] }
  if (found === 'silence') return null
  if (found === 'truncate' && over === 'udp')
    return encode({ ...reply, flags: AUTHORITATIVE_ANSWER | TRUNCATED_RESPONSE })
  if (typeof found === 'string' && found !== 'truncate') return encode({ ...reply, flags: rcodes[found] })
  const texts = found === 'truncate' ? [`long ${'x'.repeat(2_000)}`] : found
  if (texts !== undefined)
    return encode({ ...reply, answers: texts.map((text) => record(server, asked.type, name, text)) })
  if (Array.isArray(alias)) {
    const target = String(alias[0])
    const behind = server.zone[`${asked.type} ${target}`]
    const answers = [record(server, 'CNAME', name, target)]
    if (Array.isArray(behind)) for (const text of behind) answers.push(record(server, asked.type, target, text))
    return encode({ ...reply, answers })
  }
  const exists = Object.keys(server.zone).some((key) => key.endsWith(` ${name}`) || key.endsWith(`.${name}`))
  const soa = {
    mname: 'ns.test',
    rname: 'root.test',
    serial: 1,
    refresh: 1,
    retry: 1,
    expire: 1,
    minimum: server.ttlSeconds,
  }
  return encode({
    ...reply,
    flags: flags | (exists ? 0 : 3),
    authorities: [{ type: 'SOA', name: 'test', ttl: server.ttlSeconds, data: soa }],
  })
}

function record({ ttlSeconds: ttl }: NameServer, type: string, name: string, text: string): Answer {
  if (type === 'TXT') return { type, name, ttl, data: text.match(/.{1,250}/gs) ?? [''] }
  if (type === 'MX') {
    const [preference, exchange = ''] = text.split(' ')
    return { type, name, ttl, data: { preference: Number(preference), exchange } }
  }
  if (type === 'SRV') {
    const [priority, weight, port, target = ''] = text.split(' ')
    return {
      type,
      name,
      ttl,
      data: { priority: Number(priority), weight: Number(weight), port: Number(port), target },
    }
  }
  if (type === 'TLSA') {
    const [usage, selector, matchingType, hex = ''] = text.split(' ')
    const certificate = Buffer.from(hex, 'hex')
    const numbers = { usage: Number(usage), selector: Number(selector), matchingType: Number(matchingType) }
    return { type, name, ttl, data: { ...numbers, certificate } }
  }
  if (type === 'DS') {
    const [keyTag, algorithm, digestType, hex = ''] = text.split(' ')
    const numbers = { keyTag: Number(keyTag), algorithm: Number(algorithm), digestType: Number(digestType) }
    return { type, name, ttl, data: { ...numbers, digest: Buffer.from(hex, 'hex') } }
  }
  return { type: type as 'A', name, ttl, data: text }
}
