/** Whether two colours cannot be told from each other. Each is six hexadecimal digits; others are told from all. */
export function isNear(one: string, other: string): boolean {
  if (!isColour.test(one) || !isColour.test(other)) return false
  const difference = [0, 2, 4].map((at) => Math.abs(channel(one, at) - channel(other, at)))
  return Math.max(...difference) <= nearMax
}

const isColour = /^[\da-f]{6}$/i
const channel = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16)
/** Of 255. */
const nearMax = 8
