/**
 * `mailroom doctor DOMAIN`: sends a mail from the domain over the wire, judges it as receivers do, and checks everything that the mail
 * of the domain depends on. Each finding says what to change.
 */
import { isAscii } from 'node:buffer'
import { isIPv6 } from 'node:net'
import { networksOf } from '../core/access/network.ts'
import { checkOf, newCheckAddress } from '../core/deliverability/check-mailbox.ts'
import { arrivalOf, examineAuthentication } from '../core/doctor/authentication.ts'
import { bad, type Finding, good, poor } from '../core/doctor/finding.ts'
import { examineRecords, type MailServer } from '../core/doctor/published-records.ts'
import { examineAddresses } from '../core/doctor/sending-addresses.ts'
import { recentDomain, signingKeys } from '../core/mailbox/domains.ts'
import type { Context } from '../core/process/context.ts'
import { dkimSign } from '../mail/authentication/dkim-sign.ts'
import { compose } from '../mail/compose/compose.ts'
import { normaliseDomain } from '../mail/domain.ts'
import { normaliseAddress, splitAddress } from '../mail/message/address.ts'
import { dotStuffed } from '../plugins/outbound/carrier.ts'
import { networkOf } from '../plugins/outbound/network.ts'
import { findRoutes } from '../plugins/outbound/route.ts'
import { outcomeOf } from '../plugins/outbound/smtp/outcome.ts'
import { openSession, type Route, type Session } from '../plugins/outbound/smtp/session.ts'
import { newId } from '../schemas/ids.ts'
import { notADomain, notAnAddress } from '../schemas/refusals.ts'
import { withContext } from './admin-context.ts'
import { noDomain } from './arguments.ts'
import type { Io } from './io.ts'

const limits = { connectMs: 5_000, replyMs: 20_000, finalReplyMs: 60_000 }
const smtpPort = 25

const words = { ok: 'ok  ', warn: 'warn', bad: 'BAD ' } as const

/** Prints a line for each finding, and below it what to change. Returns status 1 if anything is bad. */
export const doctorDomain = withContext(async (ctx, io: Io, text: string, { to }: { readonly to?: string }) => {
  const domain = await domainNamed(ctx, text)
  const recipient = to === undefined ? null : normaliseAddress(to)
  if (to !== undefined && recipient === null) throw notAnAddress(to, 'to')
  const check = newCheckAddress(ctx)
  const reversePath = `postmaster@${domain}`
  const raw = await sampleOf(ctx, { from: reversePath, to: recipient ?? check.address })
  const sample = { domain, raw, reversePath }
  const [addresses, authentication, { findings: records, servers }, delivery] = await Promise.all([
    examineAddresses(ctx),
    examineAuthentication(ctx, sample),
    examineRecords(ctx, domain),
    recipient === null ? deliverHere(ctx, sample, check) : deliverTo(ctx, sample, recipient),
  ])
  const reached = await Promise.all(servers.map((server) => reach(ctx, server)))
  const findings = [...delivery, ...authentication, ...addresses, ...records, ...reached]
  for (const { what, state, found, fix } of findings) {
    io.out(`${words[state]} ${what}: ${found}\n`)
    if (fix !== null) io.out(`     -> ${fix}\n`)
  }
  return findings.some(({ state }) => state === 'bad') ? 1 : 0
})

async function domainNamed(ctx: Context, text: string): Promise<string> {
  const domain = normaliseDomain(text)
  if (domain === null) throw notADomain(text, 'domain')
  if ((await recentDomain(ctx, domain)) === null) throw noDomain(domain)
  return domain
}

/** A sample mail of the domain, signed with both keys. */
async function sampleOf(ctx: Context, { from, to }: { from: string; to: string }): Promise<Buffer> {
  const { domain } = splitAddress(from)
  const at = ctx.clock.now()
  const { raw } = await compose({
    from: { name: '', address: from },
    to: [{ name: '', address: to }],
    cc: [],
    bcc: [],
    subject: `How mail of ${domain} arrives`,
    text: `Sent by "mailroom doctor ${domain}" to see how mail of the domain arrives.\n`,
    attachments: [],
    messageId: `${newId('em', at)}@${domain}`,
    date: at,
    autoSubmitted: 'auto-generated',
  })
  return dkimSign(raw, await signingKeys(ctx, domain), at)
}

type Sample = { readonly raw: Buffer; readonly reversePath: string }

/** Sends the mail to the check mailbox through our own inbound door. */
async function deliverHere(
  ctx: Context,
  sample: Sample,
  { id, address: recipient }: { id: string; address: string },
): Promise<readonly Finding[]> {
  const { host, port, proxies } = ctx.settings.smtp
  if (port === 0) return [poor('delivery', 'The port of inbound mail is not known.', 'Set smtp.port to a number.')]
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  // A connection to an address of this machine also comes from that address.
  const preface = networksOf('smtp.proxies', proxies).has(address) ? proxyLine(address, port) : undefined
  const route = { name: ctx.hostname, address, port }
  const { findings, isTaken } = await send(ctx, route, { ...sample, recipient, preface })
  const found = isTaken ? await checkOf(ctx, id) : null
  return found === null ? findings : [...findings, arrivalOf(found)]
}

/** The line that a load balancer begins a connection with (PROXY protocol, version 1), for a client on this machine. */
function proxyLine(address: string, port: number): string {
  return `PROXY ${isIPv6(address) ? 'TCP6' : 'TCP4'} ${address} ${address} ${port} ${port}\r\n`
}

/** Sends the mail to somebody, over the servers of the address. */
async function deliverTo(ctx: Context, sample: Sample, recipient: string): Promise<readonly Finding[]> {
  const { domain } = splitAddress(recipient)
  const routes = await findRoutes(networkOf(ctx), { domain, seed: recipient })
  if ('status' in routes) return [bad('delivery', routes.response, 'Give another address, or fix the DNS.')]
  for (const [n, route] of routes.entries()) {
    const { findings, isReached } = await send(ctx, route, { ...sample, recipient })
    if (isReached || n === routes.length - 1) return findings
  }
  return []
}

type Sent = { readonly findings: readonly Finding[]; readonly isReached: boolean; readonly isTaken: boolean }

async function send(
  ctx: Context,
  route: Route,
  mail: Sample & { readonly recipient: string; readonly preface?: string | undefined },
): Promise<Sent> {
  const where = `${route.address}:${route.port}`
  const session = await open(ctx, route, mail.preface)
  if ('command' in session) {
    const found = `${where} does not accept mail: ${session.trouble || session.reply}`
    const fix = 'Check that the service runs there, and that nothing in between blocks the port.'
    return { findings: [bad('delivery', found, fix)], isReached: false, isTaken: false }
  }
  const { raw, reversePath: sender, recipient } = mail
  const dialogue = await session.send({
    sender,
    recipient,
    content: [dotStuffed(raw), Buffer.from('.\r\n')],
    sizeBytes: raw.length,
    is8Bit: !isAscii(raw),
    needsUtf8: !isAscii(Buffer.from(sender + recipient)),
    isHeld: async () => true,
    sevenBit: async () => null,
  })
  session.quit()
  const { status, response } = outcomeOf(dialogue, { mx: route.name, at: ctx.clock.now() })
  const isTaken = status === 'delivered'
  const delivery = isTaken
    ? good('delivery', `${where} accepted the mail to ${recipient}: ${response}`)
    : bad('delivery', `${where} did not accept the mail: ${response}`, 'Fix what it names, and try again.')
  return { findings: [delivery, tlsOf('TLS', route.name, session)], isReached: true, isTaken }
}

function open(ctx: Context, route: Route, preface?: string) {
  const tls = { kind: 'opportunistic', isWatched: true } as const
  return openSession({
    route,
    name: ctx.hostname,
    tls,
    tryTls: true,
    limits,
    ...(preface !== undefined && { preface }),
  })
}

/** Connects to a mail server of the domain as other servers do. */
async function reach(ctx: Context, { name, address }: MailServer): Promise<Finding> {
  const what = `MX ${name}`
  const session = await open(ctx, { name, address, port: smtpPort })
  if ('command' in session)
    return bad(
      what,
      `${address}:${smtpPort} does not answer as a mail server: ${session.trouble || session.reply}`,
      'Open port 25 to the world, and forward it to smtp.port. Many providers block it until you ask them.',
    )
  session.quit()
  return tlsOf(what, name, session)
}

function tlsOf(what: string, name: string, { tls, tlsFailure }: Session): Finding {
  if (!tls)
    return bad(
      what,
      `${name} answers without TLS.`,
      'Let it offer STARTTLS, and make sure that nothing in front of it removes the offer.',
    )
  if (tlsFailure === null) return good(what, `${name} answers, with TLS and a certificate that others trust.`)
  return poor(
    what,
    `${name} answers with TLS, but others do not trust its certificate: ${tlsFailure.detail ?? tlsFailure.type}.`,
    `Give it a certificate of a public authority for ${name}.`,
  )
}
