/** Confirmed names of addresses: the name that the DNS has for an address, if that name resolves to the address (RFC 8601 2.7.3). */
import ipaddr from 'ipaddr.js'
import type { Context } from '../process/context.ts'

/** Names looked up for one address; stops hosts that have very many. */
const namesMax = 3

/** The DNS name to query about an address, such as `10.2.0.192.in-addr.arpa`. `zone` replaces the last part. */
export function reverseQuestion(address: string, zone?: string): string {
  const parsed = ipaddr.process(address)
  const bytes = parsed.toByteArray()
  if (parsed.kind() === 'ipv4') return `${bytes.reverse().join('.')}.${zone ?? 'in-addr.arpa'}`
  const nibbles = bytes.flatMap((byte) => [byte >> 4, byte & 15]).reverse()
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.${zone ?? 'ip6.arpa'}`
}

/** The confirmed name of an address; null if it has none or the DNS does not answer. */
export async function confirmedName({ resolver }: Pick<Context, 'resolver'>, address: string): Promise<string | null> {
  try {
    const names = await resolver.resolve(reverseQuestion(address), 'PTR')
    const type = ipaddr.process(address).kind() === 'ipv4' ? 'A' : 'AAAA'
    for (const name of names.slice(0, namesMax)) {
      const found = await resolver.resolve(name, type).catch(() => [])
      if (found.some((each) => ipaddr.isValid(each) && ipaddr.process(each).toString() === address))
        return name.toLowerCase().replace(/\.$/, '')
    }
    return null
  } catch {
    return null // the name is absent or cannot be resolved now; it only helps the reader
  }
}

/** The confirmed names of several addresses, as far as they were found within `withinMs`. */
export async function confirmedNames(
  ctx: Pick<Context, 'resolver'>,
  addresses: readonly string[],
  withinMs: number,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, withinMs)
  })
  const asked = addresses.map(async (address) => {
    const name = await confirmedName(ctx, address)
    if (name !== null) names.set(address, name)
  })
  await Promise.race([Promise.all(asked), late])
  clearTimeout(timer)
  return new Map(names)
}
