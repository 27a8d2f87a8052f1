/** Converts offsets to code points, the unit of evidence. */

/** Returns a function from UTF-16 offsets of a text to offsets in code points. Each call looks at no more than `step` characters. */
export function codePointsOf(text: string): (offset: number) => number {
  // Most texts have no surrogate pairs, so both offsets are the same.
  if (!/[\ud800-\udbff]/.test(text)) return (offset) => offset
  const marks: number[] = [0]
  let points = 0
  for (let at = 0; at < text.length; at++) {
    if (at > 0 && at % step === 0) marks.push(points)
    if (!isSecondHalf(text, at)) points++
  }
  return (offset) => {
    const mark = Math.min(Math.floor(offset / step), marks.length - 1)
    let found = marks[mark] as number
    for (let at = mark * step; at < offset; at++) if (!isSecondHalf(text, at)) found++
    return found
  }
}

const step = 1024

function isSecondHalf(text: string, at: number): boolean {
  return at > 0 && /[\udc00-\udfff]/.test(text[at] as string) && /[\ud800-\udbff]/.test(text[at - 1] as string)
}
