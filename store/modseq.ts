/**
 * Makes the function that gives the modseq for a reservation that is taken without asking its folder first: higher than those
 * before it in this process, and than those of all processes up to `at`, as far as clocks agree. Microseconds, so that
 * the numbers to which a folder counts on by itself stay behind the clock.
 */
export function createModseqs(): (at: Date) => number {
  let last = 0
  return (at) => {
    last = Math.max(last + 1, at.getTime() * 1000)
    return last
  }
}
