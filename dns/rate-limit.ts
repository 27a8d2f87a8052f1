/**
 * Limits how often a network is given the same answer over UDP (response rate limiting), so that nobody can make this server flood a
 * victim by asking in its name. Counts only the current second, in bounded memory; no timer runs.
 */
import { networkOf, networksOf } from '../core/access/network.ts'

export type RateLimitSettings = {
  /** Equal answers to one network per second; 0: no limit. */
  readonly answersPerSecond: number
  /** All answers to one network per second; 0: no limit. */
  readonly networkPerSecond: number
  /** Every `slip`-th answer beyond the limit is truncated instead of dropped; 0: all are dropped. */
  readonly slip: number
  /** Addresses and networks without a limit. */
  readonly exempt: readonly string[]
}

/** `slip`: answer in a way that makes an honest client come back by other means; `drop`: do not answer. */
export type Limited = 'no' | 'slip' | 'drop'

export type RateLimit = {
  /** Counts an answer about to be sent. `subject` is the same for answers that are practically equal. */
  take(address: string, subject: string): Limited
}

/**
 * Subjects counted in one second; further ones are not limited. A flood that is spread over so many networks brings little to
 * each.
 */
const subjectsMax = 100_000
/** Addresses whose network, or exemption, is remembered. */
const networksMax = 10_000

/** Throws if an exempt network is not valid. */
export function createRateLimit(now: () => Date, settings: RateLimitSettings): RateLimit {
  const { answersPerSecond, networkPerSecond, slip } = settings
  const exempt = networksOf('dns.rateLimit.exempt', settings.exempt)
  const networks = new Map<string, string | null>()
  let counts = new Map<string, number>()
  let second = 0
  /** The network of an address; null if it is exempt. */
  const networkIn = (address: string): string | null => {
    const known = networks.get(address)
    if (known !== undefined) return known
    const network = exempt.has(address) ? null : networkOf(address)
    if (networks.size === networksMax) networks.clear()
    networks.set(address, network)
    return network
  }
  /** Counts one more; returns by how much the limit is exceeded. */
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
