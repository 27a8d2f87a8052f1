/** The DNS records of a domain other than its keys: its mail servers, its policies, and where reports go. */
import { organisationOf } from '../../mail/domain.ts'
import { createStsPolicies, namesServer } from '../deliver/mta-sts.ts'
import { ownAddresses } from '../deliverability/own-addresses.ts'
import { isAbsent, type Records, type RecordType } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'
import { bad, type Finding, good, poor, unanswered } from './finding.ts'
import { type ToPublish, toPublish } from './to-publish.ts'

/** A mail server of a domain, with one of its addresses. */
export type MailServer = { readonly name: string; readonly address: string }

/** Mail servers that are examined: more than domains usually have. */
const serversMax = 5

/** Examines the records. `servers` are the mail servers that the DNS names, for the caller to connect to. */
export async function examineRecords(
  ctx: Context,
  domain: string,
): Promise<{ readonly findings: readonly Finding[]; readonly servers: readonly MailServer[] }> {
  const wanted = await toPublish(ctx, domain)
  const [{ finding: mx, names, servers }, policy] = await Promise.all([
    mxOf(ctx, domain, wanted),
    dmarcPolicyOf(ctx, domain, wanted),
  ])
  // Names below the shared domain have neither policy nor reports of their own.
  if (wanted.isBelowShared) return { findings: [mx, policy], servers }
  const [sts, reports] = await Promise.all([stsOf(ctx, domain, { names, wanted }), tlsReportingOf(ctx, domain, wanted)])
  return { findings: [mx, sts, policy, reports], servers }
}

/** The records at a name; empty when there are none, null when the DNS does not answer. */
function recordsAt<T extends RecordType>({ resolver }: Context, name: string, type: T): Promise<Records[T][] | null> {
  return resolver.resolve(name, type).catch((error: unknown) => (isAbsent(error) ? [] : null))
}

async function textsAt(ctx: Context, name: string, version: RegExp): Promise<readonly string[] | null> {
  const records = await recordsAt(ctx, name, 'TXT')
  return records?.map((strings) => strings.join('')).filter((text) => version.test(text)) ?? null
}

async function mxOf(ctx: Context, domain: string, wanted: ToPublish) {
  const { hostname } = ctx
  const none = { names: [], servers: [] }
  const fix = `Publish ${wanted.mx}.`
  const records = await recordsAt(ctx, domain, 'MX')
  if (records === null) return { finding: unanswered('MX', domain), ...none }
  if (records.length === 0)
    return { finding: bad('MX', `${domain} has no MX record, so no mail comes here.`, fix), ...none }
  const sorted = [...records].sort((a, b) => a.priority - b.priority).slice(0, serversMax)
  const names = sorted.map(({ exchange }) => exchange.toLowerCase())
  const found = await Promise.all(
    names.map(async (name) =>
      (await ctx.resolver.addresses(name).catch(() => [])).map(({ address }) => ({ name, address })),
    ),
  )
  const own = new Set(await ownAddresses(ctx))
  const isOurs = (name: string) => name === hostname.toLowerCase()
  const leadsHere = found.some((ofOne, n) => isOurs(names[n]!) || ofOne.some(({ address }) => own.has(address)))
  const finding = leadsHere
    ? good('MX', `Mail for ${domain} goes to ${names.join(', ')}.`)
    : bad('MX', `Mail for ${domain} goes to ${names.join(', ')}, which is not this server.`, fix)
  return { finding, names, servers: found.flatMap((ofOne) => ofOne.slice(0, 1)) }
}

async function stsOf(
  ctx: Context,
  domain: string,
  { names, wanted }: { readonly names: readonly string[]; readonly wanted: ToPublish },
): Promise<Finding> {
  const what = 'MTA-STS'
  const { stsPolicy, stsHost } = wanted
  const policy = await createStsPolicies(ctx).reported(domain)
  if (policy === null)
    return poor(
      what,
      `${domain} has no policy, so others may send to it without encryption.`,
      `Publish ${stsPolicy} and ${stsHost}`,
    )
  if (policy.problem !== null)
    return bad(
      what,
      `The policy cannot be fetched: ${policy.problem}`,
      `Publish ${stsHost}, and see that https://mta-sts.${domain}/.well-known/mta-sts.txt answers, with a certificate that others trust (https.port and acme.directory, or a proxy in front).`,
    )
  const unnamed = names.filter((server) => !policy.servers.some((pattern) => namesServer(pattern, server)))
  if (unnamed.length > 0)
    return bad(
      what,
      `The policy does not name ${unnamed.join(', ')}.`,
      `The policy that this service serves names ${ctx.hostname}: remove other servers from the MX records. If another service serves the policy, have it name every server, and give its TXT record a new id.`,
    )
  if (policy.mode === 'testing')
    return poor(
      what,
      'The policy is in testing mode, and not in force.',
      `When TLS reports show no failures, run "mailroom domain sts ${domain} enforce", and publish the record that it shows.`,
    )
  return good(what, 'The policy is in force, and names the servers.')
}

async function dmarcPolicyOf(ctx: Context, domain: string, wanted: ToPublish): Promise<Finding> {
  const what = 'DMARC policy'
  const names = [...new Set([domain, organisationOf(domain)])].map((name) => `_dmarc.${name}`)
  for (const name of names) {
    const texts = await textsAt(ctx, name, /^v=DMARC1\b/i)
    if (texts === null) return unanswered(what, name)
    const [text] = texts
    if (text !== undefined) return policyIn(text, wanted)
  }
  return bad(what, 'There is no DMARC record.', `Publish ${wanted.dmarc}`)
}

function policyIn(text: string, { reportsOf, reportAddress: address }: ToPublish): Finding {
  const what = 'DMARC policy'
  const policy = /;\s*p\s*=\s*(\w+)/i.exec(text)?.[1]?.toLowerCase() ?? 'none'
  if (!text.toLowerCase().includes(address))
    return poor(what, `It is ${policy}, and no reports come here.`, `Add rua=mailto:${address} to the record.`)
  if (policy === 'none')
    return poor(
      what,
      'It is none: receivers report, and let forged mail through.',
      `When "mailroom domain reports ${reportsOf}" shows that your own mail passes, publish p=quarantine, and then p=reject.`,
    )
  return good(what, `It is ${policy}, and reports come here.`)
}

async function tlsReportingOf(
  ctx: Context,
  domain: string,
  { reportAddress: address, tlsReports: record }: ToPublish,
): Promise<Finding> {
  const what = 'TLS reports'
  const name = `_smtp._tls.${domain}`
  const texts = await textsAt(ctx, name, /^v=TLSRPTv1\b/)
  if (texts === null) return unanswered(what, name)
  if (texts.length === 0) return poor(what, 'The domain asks nobody for them.', `Publish TXT ${name}: ${record}`)
  if (texts.length > 1) return bad(what, `${name} has several records, which count as none.`, `Leave one: ${record}`)
  return texts[0]!.toLowerCase().includes(address)
    ? good(what, 'They come here.')
    : poor(what, 'They go elsewhere.', `Add mailto:${address} to the rua of ${name}.`)
}
