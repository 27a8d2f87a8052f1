/** Computes statistics of measurements, and prints them. */

/** The quantile of numbers at `share` (0 to 1); NaN for an empty list. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The median of numbers; NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** A number with three significant digits; `-` for one that was not measured. */
export function shown(number: number | undefined): string {
  if (number === undefined || !Number.isFinite(number)) return '-'
  return number >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(3)))
}

/** Numbers as `median (min-max)`. */
export function spread(numbers: readonly number[]): string {
  if (numbers.length === 0) return '-'
  return `${shown(median(numbers))} (${shown(Math.min(...numbers))}-${shown(Math.max(...numbers))})`
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
