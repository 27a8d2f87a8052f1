/** Figures out of measurements, and how they are shown. */

/** The value below which `share` of the numbers lie; NaN of none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The middle one; of an even count the mean of the middle two. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** Three digits that count, `-` for what was not measured. */
export function shown(number: number | undefined): string {
  if (number === undefined || !Number.isFinite(number)) return '-'
  return number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(3)))
}

/** `median (min-max)`. */
export function spread(numbers: readonly number[]): string {
  if (numbers.length === 0) return '-'
  return `${shown(median(numbers))} (${shown(Math.min(...numbers))}-${shown(Math.max(...numbers))})`
}

/** A table in markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
