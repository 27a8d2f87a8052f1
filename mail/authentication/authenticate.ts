/**
 * Finds out who a message is really from: SPF (RFC 7208), DKIM (RFC 6376), ARC (RFC 8617) and DMARC (RFC 7489, RFC 9989), by
 * mailauth, as strictly as the RFCs say. The DNS is a function that the caller passes. Invariant: trouble with the DNS is never
 * reported as a verdict about the sender. What could not be decided is `temperror`, and `undecided` when the author's domain may ask
 * for a policy.
 */
import { createHash } from 'node:crypto'
import type { DMARCResult, DNSResolver } from 'mailauth'
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import { spf as verifySpf } from 'mailauth/lib/spf/index.js'
import { formatAuthHeaderRow } from 'mailauth/lib/tools.js'
import { sameOrganisation } from '../domain.ts'
import { parseAddressList, splitAddress } from '../message/address.ts'
import type { HeaderBlock } from '../message/headers.ts'
import { type AuthResult, resultOf } from './authentication-results.ts'
import { askAhead, type Signature, verifySignatures } from './dkim-verify.ts'

export type { DNSResolver } from 'mailauth'

export type Policy = 'none' | 'quarantine' | 'reject'

export type Authentication = {
  readonly spf: AuthResult
  readonly dkim: readonly { readonly domain: string; readonly result: AuthResult }[]
  readonly dmarc: AuthResult
  readonly arc: AuthResult
  /** The domain of From, when SPF or DKIM authenticated it. */
  readonly alignedFrom: string | null
  /** What the author's domain asks receivers to do with this message; 'none' unless DMARC failed. */
  readonly policy: Policy
  /** Whether trouble with the DNS left DMARC undecided, and the author's domain may ask for a policy. */
  readonly undecided: boolean
  /** Whether the sender might have been authenticated if the DNS had answered. */
  readonly perhapsAligned: boolean
  /** The results in the form of Authentication-Results (RFC 8601 2.2). */
  readonly infos: readonly string[]
}

export type Envelope = {
  /** IP address of the client; null when it says nothing about where the message comes from. */
  readonly client: string | null
  readonly helo: string
  /** '' is the null sender. */
  readonly reversePath: string
  /** Name of this server. */
  readonly hostname: string
  /** The SPF result from before the message arrived (`beginSpf`). */
  readonly spf?: Promise<Spf | null> | undefined
}

/** RFC 7208 4.6.4 asks for at least 20 seconds; the other DNS queries run at the same time. */
const timeMaxMs = 20_000
/** Most author domains looked up for a message that names several (RFC 7489 6.6.1). */
const authorsMax = 3

/** Authenticates a message. */
export async function authenticate(
  raw: Buffer,
  header: HeaderBlock,
  envelope: Envelope,
  resolver: DNSResolver,
): Promise<Authentication> {
  const resolve = withDeadline(resolver)
  const author = authorOf(header)
  if (envelope.client !== null && author.domain !== null) askAhead(resolve, [policyName(author.domain)])
  const [spf, { dkim, arc, arcInfo }] = await Promise.all([
    spfOf(envelope, resolve),
    verifySignatures(raw, header, { from: author.domain, resolve }),
  ])
  const identifiers = [spf, ...dkim]
  // Without a client SPF cannot pass; if nothing else has passed either, the policy of the author's domain is not looked up.
  const known = envelope.client !== null || identifiers.some(({ result }) => result === 'pass')
  const asFound = known ? await checkDmarc(author, { spf, dkim, resolve }) : noDmarc
  const alignedFrom = alignedOf(author.domain, asFound, identifiers)
  const perhapsAligned =
    alignedFrom === null &&
    author.domain !== null &&
    (asFound.result === 'temperror' || identifiers.some(mayAlignLater(author.domain)))
  const dmarc = perhapsAligned && asFound.result === 'fail' ? undecidedDmarc(asFound, author.domain) : asFound
  const enforced = envelope.client !== null
  return {
    spf: spf.result,
    dkim: dkim.map(({ domain, result }) => ({ domain, result })),
    dmarc: dmarc.result,
    arc,
    alignedFrom,
    policy: enforced && dmarc.result === 'fail' ? sampled(dmarc, raw.subarray(0, header.bodyStart)) : 'none',
    undecided: enforced && perhapsAligned && dmarc.result === 'temperror' && dmarc.policy !== 'none',
    perhapsAligned,
    infos: [...dkim.map(({ info }) => info), spf.info, dmarc.info, arcInfo].filter((info) => info !== null),
  }
}

type Identifier = Pick<Signature, 'domain' | 'result'>
export type Spf = Identifier & { readonly info: string | null }

/** The SPF result from before, unless the DNS did not answer then. */
async function spfOf(envelope: Envelope, resolve: DNSResolver): Promise<Spf> {
  const before = await envelope.spf
  return before == null || before.result === 'temperror' ? checkSpf(envelope, resolve) : before
}

/**
 * Looks up what it can before the message arrives: SPF, and at the same time the policy of the sender's domain, which may be the
 * author's domain too.
 */
export function beginSpf(envelope: Envelope, resolver: DNSResolver): Promise<Spf> {
  const resolve = withDeadline(resolver)
  const { domain } = splitAddress(envelope.reversePath)
  if (envelope.client !== null && domain !== '') askAhead(resolve, [policyName(domain)])
  return checkSpf(envelope, resolve)
}

/** The first name that DMARC queries for the policy of a domain. */
const policyName = (domain: string) => `_dmarc.${domain}`

async function checkSpf({ client, helo, reversePath, hostname }: Envelope, resolver: DNSResolver): Promise<Spf> {
  if (client === null) return { domain: '', result: 'none', info: null }
  const { domain, status } = await verifySpf({
    sender: reversePath,
    ip: client,
    helo: helo || `[${client}]`,
    mta: hostname,
    resolver,
    strict: true,
    maxElapsedTime: timeMaxMs,
  })
  // The library's comment contains the local part and words of the record. A sender could write `; dkim=pass` there, and programs
  // that ignore the grammar would take it for a result of ours.
  const comment = commentOf(status.result, client)
  return {
    domain: domain ?? '',
    result: resultOf(status.result),
    info: formatAuthHeaderRow('spf', { ...status, comment }, { strict: true }),
  }
}

function commentOf(result: string, client: string): string | undefined {
  if (result === 'pass') return `${client} is a permitted sender`
  return result === 'fail' || result === 'softfail' ? `${client} is no permitted sender` : undefined
}

type Author = {
  /** Every address in From. */
  readonly addresses: readonly string[]
  readonly fields: number
  /** Domain of the first address; null without one. */
  readonly domain: string | null
}

function authorOf({ fields }: HeaderBlock): Author {
  const from = fields.filter(({ name }) => name.toLowerCase() === 'from')
  const addresses = from.flatMap(({ rawValue }) => parseAddressList(rawValue).map(({ address }) => address))
  const domain = splitAddress(addresses[0] ?? '').domain
  return { addresses, fields: from.length, domain: domain === '' ? null : domain }
}

type Dmarc = {
  readonly result: AuthResult
  readonly info: string | null
  /** null when unknown. */
  readonly policy: Policy | null
  /** The record that was applied. */
  readonly record: string
}

const noDmarc: Dmarc = { result: 'none', info: null, policy: 'none', record: '' }

async function checkDmarc(
  author: Author,
  { spf, dkim, resolve }: { spf: Spf; dkim: readonly Signature[]; resolve: DNSResolver },
): Promise<Dmarc> {
  const passed = (identifiers: readonly Identifier[]) =>
    identifiers.filter(({ result }) => result === 'pass').map(({ domain }) => domain)
  const evaluate = async (headerFrom: readonly string[], fromFields: number) => {
    const { response } = await evaluateDmarc({
      headerFrom: [...headerFrom],
      fromFields,
      spfDomains: passed([spf]),
      dkimDomains: passed(dkim).map((domain) => ({ domain })),
      resolver: resolve,
      strict: true,
    })
    return response === false ? null : dmarcOf(response)
  }
  const whole = await evaluate(author.addresses, author.fields)
  if (whole !== null) return whole
  const domains = new Set(author.addresses.map((address) => splitAddress(address).domain).filter((each) => each !== ''))
  if (domains.size === 0) return noDmarc
  // RFC 7489 6.6.1: with several authors the strictest policy that fails counts; a pass for one says nothing about the others.
  const each = await Promise.all([...domains].slice(0, authorsMax).map((domain) => evaluate([`author@${domain}`], 1)))
  const worst = each
    .filter((dmarc) => dmarc !== null)
    .filter(({ result }) => result === 'fail' || result === 'temperror')
    .sort((a, b) => strength(b.policy) - strength(a.policy))[0]
  return worst ?? { ...noDmarc, result: 'permerror', info: 'dmarc=permerror (more than one author)' }
}

function dmarcOf({ status, info, policy, rr = '' }: DMARCResult): Dmarc {
  const result = resultOf(status.result)
  const known = policy === 'quarantine' || policy === 'reject' || policy === 'none'
  return { result, info, policy: result === 'none' ? 'none' : known ? policy : null, record: rr }
}

/** Turns a failure into `temperror`, because an identifier that could have passed was not checked. */
function undecidedDmarc(dmarc: Dmarc, from: string | null): Dmarc {
  return {
    ...dmarc,
    result: 'temperror',
    info: `dmarc=temperror (not everything could be checked) header.from=${from}`,
  }
}

const strength = (policy: Policy | null) => ['none', 'quarantine', 'reject', null].indexOf(policy)

/**
 * The policy for this message. `pct` (RFC 7489 6.6.4) limits the policy to a share of messages; the others get the next weaker one.
 * The header decides to which a message belongs, so that a repeat gets the same answer.
 */
function sampled({ policy, record }: Dmarc, header: Buffer): Policy {
  const share = /;\s*pct\s*=\s*(\d{1,3})\s*(?:;|$)/i.exec(record)?.[1]
  if (policy === null || policy === 'none') return 'none'
  if (share === undefined || Number(share) >= 100) return policy
  const drawn = createHash('sha256').update(header).digest().readUInt32BE(0) % 100
  return drawn < Number(share) ? policy : policy === 'reject' ? 'quarantine' : 'none'
}

/** The authenticated domain of From: decided by DMARC where there is a policy, otherwise by relaxed alignment. */
function alignedOf(from: string | null, dmarc: Dmarc, identifiers: readonly Identifier[]): string | null {
  if (from === null || dmarc.result === 'permerror') return null
  if (dmarc.result === 'pass') return from
  const passed = identifiers.filter(({ result }) => result === 'pass')
  // With an unknown policy only an equal domain counts, which every policy accepts.
  if (dmarc.result === 'temperror') return passed.some(({ domain }) => domain === from) ? from : null
  if (dmarc.result === 'none' && passed.some(({ domain }) => sameOrganisation(domain, from))) return from
  return null
}

const mayAlignLater =
  (from: string) =>
  ({ domain, result }: Identifier): boolean =>
    result === 'temperror' && sameOrganisation(domain, from)

/** The same resolver, which rejects every query once the time is over. */
function withDeadline(resolve: DNSResolver): DNSResolver {
  const end = performance.now() + timeMaxMs
  return (name, type) => {
    if (performance.now() < end) return resolve(name, type)
    return Promise.reject(Object.assign(new Error('The time for DNS questions is over.'), { code: 'ETIMEOUT' }))
  }
}
