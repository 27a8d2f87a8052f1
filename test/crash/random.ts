/** Random numbers that can be repeated: the same seed gives the same rounds, as far as the timing of the machine allows. */
export type Random = {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  token(): string
}

/** The generator Mulberry32: 32 bits, period 2^32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return { below: (limit) => next() % limit, token: () => next().toString(36) }
}
