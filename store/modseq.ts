/**
 * Creates the function that assigns the modseq for a reservation taken without reading its folder first. The modseq is higher than all
 * earlier ones of this process, and than those of all processes up to `at`, as far as their clocks agree. It counts microseconds, so
 * that the modseqs that a folder increments by itself stay behind the clock.
 */
export function createModseqs(): (at: Date) => number {
  let last = 0
  return (at) => {
    last = Math.max(last + 1, at.getTime() * 1000)
    return last
  }
}
