/**
 * The built-in authoritative DNS server: one port for UDP and TCP, on which it answers from the zones in the database. It queries no other
 * server.
 */
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { lookup } from 'node:dns'
import { once } from 'node:events'
import { isIP } from 'node:net'
import type { Context } from '../core/process/context.ts'
import { nameServersOf } from '../core/process/service-names.ts'
import { rootName, wireName } from '../core/zones/names.ts'
import { parseTsigKey } from '../core/zones/tsig.ts'
import { createCookies } from './cookies.ts'
import type { Answering, Client, Messages, Serving } from './exchange.ts'
import { type NotifySender, startNotify } from './notify.ts'
import { createPackets } from './packets.ts'
import { createRateLimit } from './rate-limit.ts'
import { failed, respond } from './respond.ts'
import { secondariesOf } from './secondaries.ts'
import { createTally } from './tally.ts'
import { listenTcp } from './tcp.ts'
import { createZones } from './zones.ts'

export type DnsServer = {
  /** The port on which it answers, over UDP and TCP. */
  readonly port: number
  /** Stops taking questions, and resolves when the last one has been answered or `withinMs` is over. */
  close(withinMs: number): Promise<void>
}

/** Receive buffer, in which bursts wait in the kernel. */
const receiveBytes = 1024 * 1024
/** Free UDP ports that are tried until one is free for TCP too. */
const portTriesMax = 20
const warnEveryMs = 10_000

/** Starts to listen. Rejects if the port is taken or a setting cannot be used. */
export async function startDns(
  ctx: Context,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<DnsServer> {
  const { transferKeys, rateLimit } = ctx.settings.dns
  const keys = transferKeys.map(keyOf)
  const secondaries = secondariesOf(ctx.settings.dns.secondaries)
  const { zoneOf, close: closeZones } = createZones(ctx, soundNameServers(ctx))
  const now = () => ctx.machineClock.now()
  const serving: Serving = {
    zoneOf,
    cookies: createCookies(now, (period) => ctx.secrets.tag(String(period), 'dns cookies')),
    rateLimit: createRateLimit(now, rateLimit),
    packets: createPackets(ctx.machineClock),
    transferKeys: keys,
    isSecondary: (address) => secondaries.some((each) => each.address === address),
    idleSeconds: ctx.settings.limits.dns.idleSeconds,
    now,
  }
  // The list of zones is read before anybody asks. Zones also listen to change notes before secondaries are notified of them.
  await zoneOf(rootName)
  const answer = answering(ctx, serving)
  const { udp, tcp } = await listen(ctx, answer, { host, port })
  const notify: NotifySender = startNotify(ctx, { zoneOf, secondaries, key: keys[0] ?? null })
  return {
    port: udp.address().port,
    async close(withinMs) {
      notify.stop()
      closeZones()
      udp.close()
      await tcp.close(withinMs)
    },
  }
}

function soundNameServers(ctx: Context): readonly string[] {
  const names = nameServersOf(ctx)
  for (const name of names)
    try {
      wireName(name)
    } catch {
      throw new Error(`dns.nameServers: "${name}" is not a domain name.`)
    }
  return names
}

function keyOf(text: string) {
  const key = parseTsigKey(text)
  if (key === null)
    throw new Error(
      `dns.transferKeys: ${text.split(':', 2).join(':')} is not a key: write it as algorithm:name:secret, with a domain name as its name.`,
    )
  return key
}

/** Like `respond`, but answers SERVFAIL if a zone cannot be read, and logs that from time to time. */
function answering(ctx: Context, serving: Serving): Answering {
  let warnedAt = 0
  const give = (packet: Buffer, client: Client, error: unknown): Messages => {
    const now = ctx.machineClock.now().getTime()
    if (now - warnedAt >= warnEveryMs) ctx.log.warn({ err: error }, 'a DNS question could not be answered')
    if (now - warnedAt >= warnEveryMs) warnedAt = now
    return failed(serving, packet, client)
  }
  return (packet, { address, over }) => {
    const client: Client = { address: plainAddress(address), over }
    try {
      const messages = respond(serving, packet, client)
      return messages instanceof Promise ? messages.catch((error: unknown) => give(packet, client, error)) : messages
    } catch (error) {
      return give(packet, client, error)
    }
  }
}

/** An IPv4 address in its own form, if an IPv6 socket received it as a mapped address. */
function plainAddress(address: string): string {
  return address.startsWith('::') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address
}

async function listen(
  ctx: Context,
  answer: Answering,
  { host, port }: { readonly host: string; readonly port: number },
) {
  for (let tries = 1; ; tries += 1) {
    const udp = await listenUdp(ctx, answer, { host, port })
    try {
      return { udp, tcp: await listenTcp(ctx, answer, { host, port: udp.address().port }) }
    } catch (error) {
      udp.close()
      if (port !== 0 || tries === portTriesMax) throw error
    }
  }
}

async function listenUdp(
  ctx: Context,
  answer: Answering,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<UdpSocket> {
  const isV6 = isIP(host) === 6
  const tally = createTally(ctx.metrics)
  const udp = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    recvBufferSize: receiveBytes,
    // Clients are given by address, and an ordinary lookup would cost each answer a turn of the event loop.
    lookup: (name, options, found) =>
      isIP(name) === 0 ? lookup(name, options, found) : found(null, name, isV6 ? 6 : 4),
  })
  let isOpen = true
  udp.once('close', () => {
    isOpen = false
  })
  const send = (messages: Messages, from: RemoteInfo) => {
    if (!isOpen) return
    // Without a callback, an answer that cannot be sent counts as lost on its way, and costs no turn of the event loop.
    for (const message of tally.counted('udp', messages)) udp.send(message, from.port, from.address)
  }
  udp.on('message', (packet, from) => {
    if (from.port === 0) return
    const messages = answer(packet, { address: from.address, over: 'udp' })
    if (messages instanceof Promise) void messages.then((some) => send(some, from))
    else send(messages, from)
  })
  const listening = once(udp, 'listening') // rejects on 'error'
  udp.bind(port, host)
  await listening
  udp.on('error', (error) => ctx.log.warn({ err: error }, 'the DNS socket failed'))
  return udp
}
