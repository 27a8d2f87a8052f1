/**
 * Processor time held against processor time: that of a whole against that of its parts, or against that of ordinary work done
 * just now. A machine that is slow or busy is so in both, so nothing here is bound to milliseconds.
 */
import { expect } from 'chai'
import { threadMs } from '../processor-time.ts'

/**
 * A whole may take so many times as long as its eighths together: 1 where each piece is looked at once, 8 where each is held
 * against each. At this bound the second kind of work takes two thirds of the whole, and twice as much takes three times as long.
 */
const growthMax = 2.4
/** What looks like this needs no other look; of several, the least times count, since what disturbs only adds. */
const clearlyLinear = 1.5
/** Where others take the memory's time the longer text suffers more, for seconds: so many looks are hardly all disturbed. */
const looks = 12
/** Of what takes less, an eighth is over before it can be measured. */
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
 * Expects that the whole of some work takes hardly longer than its eighths; `eighth` is the first of the whole unless given. Returns
 * the first cost of the whole.
 */
export function expectLinear<In extends string | Buffer, Out>(
  what: string,
  whole: In,
  work: (input: In) => Out,
  eighth: In = firstEighth(whole),
): { readonly ms: number; readonly result: Out } {
  const costOfWhole = () => {
    const own = fresh(whole)
    return costOf(() => work(own))
  }
  const costOfEighths = () => {
    const own = Array.from({ length: 8 }, () => fresh(eighth))
    return costOf(() => {
      for (const each of own) work(each)
    })
  }
  const first = costOfWhole()
  let [wholeMs, eighthsMs] = [first.ms, Number.POSITIVE_INFINITY]
  for (let look = 0; look < looks; look++) {
    if (wholeMs < measurableMs) return first
    eighthsMs = Math.min(eighthsMs, costOfEighths().ms)
    if (wholeMs <= eighthsMs * clearlyLinear) return first
    wholeMs = Math.min(wholeMs, costOfWhole().ms)
  }
  if (wholeMs >= measurableMs)
    expect(wholeMs / eighthsMs, `${what}: as many times as long as its eighths`).to.be.below(growthMax)
  return first
}

/** Another string of the same characters: V8 remembers how it split one, when that is not too long, and so the eighth costs nothing. */
function fresh<In extends string | Buffer>(input: In): In {
  if (typeof input !== 'string') return input
  const encoding = /[^\0-\xff]/.test(input) ? 'utf16le' : 'latin1'
  return Buffer.from(input, encoding).toString(encoding) as In
}

function firstEighth<In extends string | Buffer>(whole: In): In {
  const end = Math.floor(whole.length / 8)
  return (typeof whole === 'string' ? whole.slice(0, end) : whole.subarray(0, end)) as In
}
