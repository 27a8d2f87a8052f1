/** Folder names with wildcards (RFC 9051 6.3.9): `*` matches anything, `%` anything within one level. */

/** Returns a predicate for a pattern. `INBOX` matches in any case. */
export function folderPattern(reference: string, pattern: string): (path: string) => boolean {
  const whole = `${reference}${pattern}`.replaceAll(/[*%]+/g, (wild) => (wild.includes('*') ? '*' : '%'))
  const wanted = whole.normalize('NFC').replace(/^inbox(?=$|\/)/i, 'INBOX')
  return (path) => fits(wanted, path) || (path === 'INBOX' && fits(wanted.toUpperCase(), 'INBOX'))
}

/** Walks the name once and keeps the set of pattern positions reached so far, so that no pattern takes exponential time. */
function fits(pattern: string, path: string): boolean {
  let reached = new Set([0])
  const close = (places: Set<number>) => {
    for (const at of places) if (pattern[at] === '*' || pattern[at] === '%') places.add(at + 1)
    return places
  }
  close(reached)
  for (const character of path) {
    const next = new Set<number>()
    for (const at of reached) {
      const wanted = pattern[at]
      if (wanted === '*' || (wanted === '%' && character !== '/')) next.add(at)
      if (wanted === character) next.add(at + 1)
    }
    reached = close(next)
    if (reached.size === 0) return false
  }
  return reached.has(pattern.length)
}
