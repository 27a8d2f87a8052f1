/** How other servers see the addresses that mail leaves from: reverse name, HELO, blocklists. */
import { isPublicAddress } from '../access/public-address.ts'
import { type Listing, listingsOf } from '../deliverability/blocklists.ts'
import { ownAddresses } from '../deliverability/own-addresses.ts'
import { confirmedName, reverseQuestion } from '../deliverability/reverse-names.ts'
import { isAbsent } from '../dns/resolver.ts'
import type { Context } from '../process/context.ts'
import { bad, type Finding, good, poor, unanswered } from './finding.ts'

/** Examines each sending address. The first finding lists them. */
export async function examineAddresses(ctx: Context): Promise<readonly Finding[]> {
  const addresses = await ownAddresses(ctx)
  if (addresses.length === 0)
    return [
      bad(
        'addresses',
        `It is not known which addresses mail leaves from: the DNS has none for ${ctx.hostname}.`,
        'Set deliverability.addresses to them, or publish A and AAAA records of the host name (setting hostname).',
      ),
    ]
  const each = await Promise.all(addresses.map((address) => examineAddress(ctx, address)))
  return [good('addresses', `Mail leaves from ${addresses.join(', ')}.`), ...each.flat()]
}

async function examineAddress(ctx: Context, address: string): Promise<readonly Finding[]> {
  if (!isPublicAddress(address))
    return [
      poor(
        `address ${address}`,
        'It is no public address, so nobody outside sees it.',
        'Set deliverability.addresses to the addresses that others see.',
      ),
    ]
  const [reverse, listings] = await Promise.all([reverseName(ctx, address), listingsOf(ctx, address)])
  return [reverse, ...listings.map((listing) => listed(address, listing))]
}

/** RFC 5321 4.1.4 forbids refusing mail for the name in HELO alone; many servers weigh it, and refuse addresses without a name. */
async function reverseName(ctx: Context, address: string): Promise<Finding> {
  const { hostname } = ctx
  const what = `reverse name of ${address}`
  const fix = `Have the provider of the address set its PTR record to ${hostname}.`
  const names = await ctx.resolver.resolve(reverseQuestion(address), 'PTR').catch((error: unknown) => {
    return isAbsent(error) ? [] : null
  })
  if (names === null) return unanswered(what, `the PTR record of ${address}`)
  const [name] = names
  if (name === undefined) return bad(what, 'It has none; many servers refuse mail from such addresses.', fix)
  const confirmed = await confirmedName(ctx, address)
  if (confirmed === null)
    return bad(
      what,
      `It is ${name}, but that name does not have the address ${address}.`,
      `${fix} Publish an A or AAAA record of ${hostname} with ${address}.`,
    )
  if (confirmed === hostname.toLowerCase()) return good(what, `It is ${confirmed}, and both ways agree.`)
  return poor(what, `It is ${confirmed}, and this server says HELO as ${hostname}.`, `${fix} Or set hostname to it.`)
}

function listed(address: string, { zone, state, reason }: Listing): Finding {
  const what = `${zone} about ${address}`
  switch (state) {
    case 'clean':
      return good(what, 'It is not listed.')
    case 'listed':
      return bad(
        what,
        `It is listed${reason === null ? '' : `: ${reason}`}`,
        `Find out why, end that, and ask ${zone} to remove it.`,
      )
    case 'refused':
      return poor(
        what,
        `The list does not serve this resolver${reason === null ? '' : `: ${reason}`}; that is no listing.`,
        'Set resolver to a resolver of your own, or take the list out of deliverability.blocklists.',
      )
    case 'broken':
      return poor(
        what,
        'The list does not answer like a working list, so its answers mean nothing.',
        'Take it out of deliverability.blocklists.',
      )
    case 'unknown':
      return unanswered(what, zone)
  }
}
