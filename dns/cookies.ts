/**
 * DNS cookies (RFC 7873) in the form that all servers of a zone understand (RFC 9018). A client that shows the cookie it was given
 * really has its address, rather than being impersonated by somebody else. Nothing is stored: the secret is derived from the time in
 * the cookie, and is the same on every node.
 */
import { timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import siphash from 'siphash'

export type Cookies = {
  /** Whether the cookie was issued here to this address within the last hour. */
  isValid(cookie: Buffer, address: string): boolean
  /** The client's half of a cookie with a new server half. */
  answer(cookie: Buffer, address: string): Buffer
}

const clientBytes = 8
const serverBytes = 16
const version = 1
/** RFC 9018 4.3. */
const ageSecondsMax = 3_600
const aheadSecondsMax = 300
/** How long a secret is used (RFC 9018 5). */
const secretSeconds = 7 * 86_400

/** `secretOf` returns the secret of a period, at least 16 bytes. */
export function createCookies(now: () => Date, secretOf: (period: number) => Buffer): Cookies {
  const secrets = new Map<number, readonly number[]>()
  const keyAt = (seconds: number): readonly number[] => {
    const period = Math.floor(seconds / secretSeconds)
    const known = secrets.get(period)
    if (known !== undefined) return known
    const secret = secretOf(period)
    const words = [0, 4, 8, 12].map((at) => secret.readUInt32LE(at))
    // Two are kept: the current secret, and that of the last hour.
    for (const old of secrets.keys()) if (secrets.size > 1) secrets.delete(old)
    secrets.set(period, words)
    return words
  }
  const hashOf = (cookie: Buffer, seconds: number, address: string) => {
    const { h, l } = siphash.hash(
      keyAt(seconds),
      Buffer.concat([cookie.subarray(0, clientBytes + 8), addressBytes(address)]),
    )
    const hash = Buffer.alloc(8)
    hash.writeUInt32LE(l >>> 0, 0)
    hash.writeUInt32LE(h >>> 0, 4)
    return hash
  }
  const seconds = () => Math.floor(now().getTime() / 1_000)
  return {
    isValid(cookie, address) {
      if (cookie.length !== clientBytes + serverBytes || cookie[clientBytes] !== version) return false
      const at = cookie.readUInt32BE(clientBytes + 4)
      // Serial number arithmetic (RFC 1982): the seconds have 32 bits.
      const age = (seconds() - at) | 0
      if (age > ageSecondsMax || age < -aheadSecondsMax) return false
      return timingSafeEqual(hashOf(cookie, at, address), cookie.subarray(clientBytes + 8))
    },
    answer(cookie, address) {
      const whole = Buffer.alloc(clientBytes + serverBytes)
      cookie.copy(whole, 0, 0, clientBytes)
      whole[clientBytes] = version
      whole.writeUInt32BE(seconds() >>> 0, clientBytes + 4)
      hashOf(whole, seconds(), address).copy(whole, clientBytes + 8)
      return whole
    },
  }
}

function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number)
  return Uint8Array.from(ipaddr.process(address).toByteArray())
}
