/** Checks whether DNS blocklists list an address (RFC 5782). */
import ipaddr from 'ipaddr.js'
import { isAbsent } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'
import { reverseQuestion } from './reverse-names.ts'

export type Listing = {
  /** The zone of the blocklist. */
  readonly zone: string
  /**
   * `refused`: the list answers that it does not serve us, which does not mean that the address is listed. `broken`: it lists an address
   * that no list may list (RFC 5782 5), or answers outside 127.0.0.0/8. `unknown`: it did not answer.
   */
  readonly state: 'clean' | 'listed' | 'refused' | 'broken' | 'unknown'
  /** The reason that the list gives; null if it gives none. */
  readonly reason: string | null
}

const codes = ipaddr.IPv4.parseCIDR('127.0.0.0/8')
/** Answers of lists to those whom they do not serve, such as public resolvers, too many queries, or misspelt zones. */
const refusals = ipaddr.IPv4.parseCIDR('127.255.255.0/24')
/** An address that a working list never lists (RFC 5782 5). */
const neverListed = '127.0.0.1'
const reasonCharsMax = 300

/** Queries the blocklists of the setting `deliverability.blocklists` about an address. Never rejects. */
export function listingsOf(ctx: Context, address: string): Promise<readonly Listing[]> {
  const { blocklists } = ctx.settings.deliverability
  return Promise.all(blocklists.map((zone) => listingOf(ctx, address, zone)))
}

async function listingOf(ctx: Context, address: string, zone: string): Promise<Listing> {
  const without = (state: Listing['state']): Listing => ({ zone, state, reason: null })
  const found = await codesOf(ctx, address, zone)
  if (found === null) return without('unknown')
  if (found.length === 0) return without('clean')
  if (found.some((code) => code.match(refusals))) return without('refused')
  if (!found.every((code) => code.match(codes))) return without('broken')
  const never = await codesOf(ctx, neverListed, zone)
  if (never !== null && never.length > 0) return without('broken')
  const texts = await ctx.resolver.resolve(reverseQuestion(address, zone), 'TXT').catch(() => [])
  return { zone, state: 'listed', reason: texts[0]?.join('').slice(0, reasonCharsMax) ?? null }
}

/** The answers of a list about an address; null if it does not answer. */
async function codesOf({ resolver }: Context, address: string, zone: string): Promise<readonly ipaddr.IPv4[] | null> {
  try {
    const answers = await resolver.resolve(reverseQuestion(address, zone), 'A')
    return answers.filter((answer) => ipaddr.IPv4.isValid(answer)).map((answer) => ipaddr.IPv4.parse(answer))
  } catch (error) {
    return isAbsent(error) ? [] : null
  }
}
