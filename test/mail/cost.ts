/**
 * Processor time held against processor time: against that of half as much, or of ordinary work done just now. A machine
 * that is slow or busy is so in both, so nothing here is bound to milliseconds.
 */
import { expect } from 'chai'
import { threadMs } from '../processor-time.ts'

/** Twice as much takes twice as long where each piece is looked at once, four times where each is held against each. */
const growthMax = 3
/** What looks like this needs no other look; of several, the least times count, since what disturbs only adds. */
const clearlyLinear = 2.5
/** Where others take the memory's time the longer text suffers more, for seconds: so many are hardly all disturbed. */
const looks = 12
/** Of what takes less, half is over before it can be measured. */
const measurableMs = 150

/** The processor time of some work, and what came of it. */
export function costOf<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const began = threadMs()
  const result = work()
  return { ms: threadMs() - began, result }
}

/** The least of several tries: what disturbs only adds. */
export function leastMs(tries: number, work: () => unknown): number {
  return Math.min(...Array.from({ length: tries }, () => costOf(work).ms))
}

/**
 * Expects that twice as much takes less than three times as long; `half` is the first half of the whole unless given. Returns
 * the first cost of the whole.
 */
export function expectLinear<In extends string | Buffer, Out>(
  what: string,
  whole: In,
  work: (input: In) => Out,
  half: In = firstHalf(whole),
): { readonly ms: number; readonly result: Out } {
  const costOfFresh = (input: In) => {
    const own = fresh(input)
    return costOf(() => work(own))
  }
  const first = costOfFresh(whole)
  let [wholeMs, halfMs] = [first.ms, Number.POSITIVE_INFINITY]
  for (let look = 0; look < looks; look++) {
    if (wholeMs < measurableMs) return first
    halfMs = Math.min(halfMs, costOfFresh(half).ms)
    if (wholeMs <= halfMs * clearlyLinear) return first
    wholeMs = Math.min(wholeMs, costOfFresh(whole).ms)
  }
  if (wholeMs >= measurableMs)
    expect(wholeMs / halfMs, `${what}: as many times as long as half of it`).to.be.below(growthMax)
  return first
}

/** Another string of the same characters: V8 remembers how it split one, when that is not too long, and so the half costs nothing. */
function fresh<In extends string | Buffer>(input: In): In {
  if (typeof input !== 'string') return input
  const encoding = /[^\0-\xff]/.test(input) ? 'utf16le' : 'latin1'
  return Buffer.from(input, encoding).toString(encoding) as In
}

function firstHalf<In extends string | Buffer>(whole: In): In {
  const end = Math.floor(whole.length / 2)
  return (typeof whole === 'string' ? whole.slice(0, end) : whole.subarray(0, end)) as In
}
