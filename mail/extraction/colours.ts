/** Whether two colours look the same. Each is six hexadecimal digits; anything else looks like no other colour. */
export function isNear(one: string, other: string): boolean {
  if (!isColour.test(one) || !isColour.test(other)) return false
  const difference = [0, 2, 4].map((at) => Math.abs(channel(one, at) - channel(other, at)))
  return Math.max(...difference) <= nearMax
}

const isColour = /^[\da-f]{6}$/i
const channel = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16)
/** Largest difference of a channel, of 255. */
const nearMax = 8
