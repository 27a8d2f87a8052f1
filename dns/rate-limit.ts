/**
 * Limits how often a network is told the same thing over UDP (response rate limiting), so that nobody who asks in the name of a
 * victim makes this server send to it. Counts of the current second, in bounded memory; no timer runs.
 */
import { networkOf, networksOf } from '../core/access/network.ts'

export type RateLimitSettings = {
  /** The same answer to one network in a second; 0: no limit. */
  readonly answersPerSecond: number
  /** All answers to one network in a second; 0: no limit. */
  readonly networkPerSecond: number
  /** Each how many-th answer past the limit is cut short instead of left out; 0: none. */
  readonly slip: number
  /** Addresses and networks without a limit. */
  readonly exempt: readonly string[]
}

/** `slip`: answer in a way that makes an honest client come back by other means; `drop`: be silent. */
export type Limited = 'no' | 'slip' | 'drop'

export type RateLimit = {
  /** Counts an answer about to be sent. `subject` is the same for answers that are as good as the same. */
  take(address: string, subject: string): Limited
}

/**
 * Subjects counted in one second. Past it further ones are not: a flood that is spread over so many networks brings
 * little to each.
 */
const subjectsMax = 100_000
/** Networks whose exemption is remembered. */
const networksMax = 10_000

/** Throws when an exempt network is none. */
export function createRateLimit(now: () => Date, settings: RateLimitSettings): RateLimit {
  const { answersPerSecond, networkPerSecond, slip } = settings
  const exempt = networksOf('dns.rateLimit.exempt', settings.exempt)
  const networks = new Map<string, string | null>()
  let counts = new Map<string, number>()
  let second = 0
  /** The network of an address; null when it is exempt. */
  const networkIn = (address: string): string | null => {
    const known = networks.get(address)
    if (known !== undefined) return known
    const network = exempt.has(address) ? null : networkOf(address)
    if (networks.size === networksMax) networks.clear()
    networks.set(address, network)
    return network
  }
  /** How often beyond its limit this was. */
  const beyond = (key: string, limit: number): number => {
    const count = counts.get(key) ?? 0
    if (count === 0 && counts.size >= subjectsMax) return 0
    counts.set(key, count + 1)
    return limit === 0 ? 0 : count + 1 - limit
  }
  return {
    take(address, subject) {
      if (answersPerSecond === 0 && networkPerSecond === 0) return 'no'
      const network = networkIn(address)
      if (network === null) return 'no'
      const current = Math.floor(now().getTime() / 1_000)
      if (current !== second) {
        second = current
        counts = new Map()
      }
      const over = Math.max(beyond(`${network} ${subject}`, answersPerSecond), beyond(network, networkPerSecond))
      if (over <= 0) return 'no'
      return slip > 0 && over % slip === 0 ? 'slip' : 'drop'
    },
  }
}
