/** Whether DNS blocklists name an address (RFC 5782). */
import ipaddr from 'ipaddr.js'
import { isAbsent } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'
import { reverseQuestion } from './reverse-names.ts'

export type Listing = {
  /** Of the blocklist. */
  readonly zone: string
  /**
   * `refused`: the list answers that it does not serve us, which is no listing. `broken`: it lists what no list may (RFC 5782 5), or
   * answers with what is no code. `unknown`: it did not answer.
   */
  readonly state: 'clean' | 'listed' | 'refused' | 'broken' | 'unknown'
  /** What the list says why; null when it says nothing. */
  readonly reason: string | null
}

const codes = ipaddr.IPv4.parseCIDR('127.0.0.0/8')
/** Where lists answer whom they do not serve: public resolvers, too many questions, misspelt zones. */
const refusals = ipaddr.IPv4.parseCIDR('127.255.255.0/24')
/** RFC 5782 5: never listed by a list that works. */
const neverListed = '127.0.0.1'
const reasonCharsMax = 300

/** Asks the blocklists of the setting `deliverability.blocklists` about an address. Never rejects. */
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

/** The answers of a list about an address; null when it does not answer. */
async function codesOf({ resolver }: Context, address: string, zone: string): Promise<readonly ipaddr.IPv4[] | null> {
  try {
    const answers = await resolver.resolve(reverseQuestion(address, zone), 'A')
    return answers.filter((answer) => ipaddr.IPv4.isValid(answer)).map((answer) => ipaddr.IPv4.parse(answer))
  } catch (error) {
    return isAbsent(error) ? [] : null
  }
}
