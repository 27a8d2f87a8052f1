/** Whether receivers can verify that a mail is really from its domain: SPF, DKIM keys, DMARC. */
import { authenticate, beginSpf, type DNSResolver } from '../../mail/authentication/authenticate.ts'
import { readHeaders } from '../../mail/message/headers.ts'
import { isLoopback } from '../access/network.ts'
import { isPublicAddress } from '../access/public-address.ts'
import type { Check } from '../deliverability/check-mailbox.ts'
import { ownAddresses, spfMechanism } from '../deliverability/own-addresses.ts'
import { isAbsent, type RecordType } from '../dns/resolver.ts'
import { recentDomain } from '../mailbox/domains.ts'
import type { Context } from '../process/context.ts'
import { bad, type Finding, good, poor, unanswered } from './finding.ts'
import { type ToPublish, toPublish } from './to-publish.ts'

/** A mail from the domain as it is sent, and its reverse-path. */
export type Sample = { readonly domain: string; readonly raw: Buffer; readonly reversePath: string }

/** Judges a mail as a receiver does when it comes from our sending addresses. */
export async function examineAuthentication(ctx: Context, sample: Sample): Promise<readonly Finding[]> {
  const publicAddresses = (await ownAddresses(ctx)).filter(isPublicAddress)
  const wanted = await toPublish(ctx, sample.domain)
  const [spf, dkim, dmarc] = await Promise.all([
    Promise.all(publicAddresses.map((client) => spfOf(ctx, sample, { client, wanted }))),
    dkimOf(ctx, sample),
    dmarcOf(ctx, sample, { client: publicAddresses[0] ?? null, wanted }),
  ])
  return [...spf, ...dkim, ...dmarc]
}

const resolverOf =
  ({ resolver }: Context): DNSResolver =>
  (name, type) =>
    resolver.resolve(name, type as RecordType) as Promise<string[]>

async function spfOf(
  ctx: Context,
  { domain, reversePath }: Sample,
  { client, wanted }: { readonly client: string; readonly wanted: ToPublish },
): Promise<Finding> {
  const what = `SPF of ${client}`
  const { hostname } = ctx
  const { result } = await beginSpf({ client, helo: hostname, reversePath, hostname }, resolverOf(ctx))
  switch (result) {
    case 'pass':
      return good(what, `It may send for ${domain}.`)
    case 'none':
      return bad(what, `${domain} has no SPF record.`, `Publish ${wanted.spf}`)
    case 'temperror':
      return unanswered(what, `the SPF record of ${domain}`)
    case 'permerror':
      return bad(
        what,
        `The SPF record of ${domain} is wrong, or there are several.`,
        `Publish in place of all of them ${wanted.spf}`,
      )
    default:
      return bad(
        what,
        `The SPF record of ${domain} does not let it send (${result}).`,
        `Write ${spfMechanism(ctx)} into it, before its last term. If it is there already, it does not cover this address: set domains.spf to a mechanism that does, such as ip${client.includes(':') ? 6 : 4}:${client}.`,
      )
  }
}

async function dkimOf(ctx: Context, sample: Sample): Promise<readonly Finding[]> {
  const own = await recentDomain(ctx, sample.domain)
  const signer = own?.parent == null ? own : await recentDomain(ctx, own.parent)
  // Only the keys that sign now: keys that do not sign yet, or not any more, are published as well (store/documents/domains.ts).
  const keys = signer?.dkim.filter(({ use }) => use === undefined) ?? []
  if (signer === null || keys.length === 0)
    return [
      bad('DKIM', `${sample.domain} has no keys, so its mail is not signed.`, 'Delete the domain and add it again.'),
    ]
  const { infos } = await verified(ctx, sample, null)
  return Promise.all(
    keys.map(async ({ selector, algorithm, publicRecord }) => {
      const what = `DKIM ${algorithm}`
      const name = `${selector}._domainkey.${signer._id}`
      const result = infos.map((info) => resultFor(info, selector)).find((found) => found !== null) ?? 'none'
      if (result === 'pass') return good(what, `The signature verifies with the key at ${name}.`)
      const published = await ctx.resolver.resolve(name, 'TXT').catch((error: unknown) => (isAbsent(error) ? [] : null))
      if (published === null) return unanswered(what, name)
      const found = published.map((strings) => keyIn(strings.join('')))
      if (found.includes(keyIn(publicRecord)))
        return bad(
          what,
          `The signature does not verify (${result}), although its key is at ${name}.`,
          `Publish there, and nothing else: ${publicRecord}`,
        )
      const wrong = found.length === 0 ? 'There is no TXT record' : 'The TXT record has another key'
      return bad(what, `${wrong} at ${name}.`, `Publish there: ${publicRecord}`)
    }),
  )
}

/** The public key in a DKIM record, without white space (RFC 6376 3.6.1). */
const keyIn = (record: string) => /(?:^|;)\s*p\s*=([^;]*)/.exec(record)?.[1]?.replaceAll(/\s/g, '') ?? ''

/** The DKIM result in a line of Authentication-Results (RFC 8601 2.2), if the line is about the key of this selector. */
function resultFor(info: string, selector: string): string | null {
  return new RegExp(`\\bheader\\.s=${selector}\\b`).test(info) ? (/^dkim=(\w+)/.exec(info)?.[1] ?? null) : null
}

async function dmarcOf(
  ctx: Context,
  sample: Sample,
  { client, wanted }: { readonly client: string | null; readonly wanted: ToPublish },
): Promise<readonly Finding[]> {
  const { domain } = sample
  const { dmarc, spf, dkim } = await verified(ctx, sample, client)
  const how = [
    ...(dkim.some(({ result }) => result === 'pass') ? ['DKIM'] : []),
    ...(spf === 'pass' ? ['SPF'] : []),
  ].join(' and ')
  switch (dmarc) {
    case 'pass':
      return [good('DMARC', `It passes, by ${how}.`)]
    case 'none':
      return [bad('DMARC', `${domain} has no DMARC record.`, `Publish ${wanted.dmarc}`)]
    case 'temperror':
      return [unanswered('DMARC', `the DMARC record of ${domain}`)]
    case 'fail':
      return [
        bad(
          'DMARC',
          'It fails: neither SPF nor DKIM passes for the domain.',
          'Correct SPF and DKIM as described above.',
        ),
      ]
    default:
      return [
        bad('DMARC', `The record of ${domain} cannot be used (${dmarc}).`, `Publish in its place ${wanted.dmarc}`),
      ]
  }
}

function verified(ctx: Context, { raw, reversePath }: Sample, client: string | null) {
  const { hostname } = ctx
  return authenticate(raw, readHeaders(raw), { client, helo: hostname, reversePath, hostname }, resolverOf(ctx))
}

/** The finding of our own server when the mail arrived. SPF says nothing about a mail that this machine sent to itself. */
export function arrivalOf({ client, results }: Pick<Check, 'client' | 'results'>): Finding {
  const what = 'arrival'
  const found = (results ?? [])
    .map((info) => info.split(/[\s;(]/, 1)[0] ?? '')
    .filter((word) => word.includes('=') && !(isLoopback(client) && word.startsWith('spf=')))
  if (found.length === 0)
    return poor(what, 'The mail arrived, and nothing was verified.', 'Set resolver to a DNS server of your own.')
  if (found.includes('dkim=pass')) return good(what, `Our own server found ${found.join(', ')}.`)
  return poor(
    what,
    `Our own server found ${found.join(', ')}.`,
    'Correct what DKIM reports below. If it passes there, the server uses other name servers than this machine, or a filter in between changes mail.',
  )
}
