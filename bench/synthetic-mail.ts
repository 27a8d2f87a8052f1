/** Generates messages: a few hundred bytes of header, and a body of words, some of which are much more common than others. */

/** A word of the vocabulary; the lower its rank, the more common it is. */
export const word = (rank: number): string => words[rank]!

export type MessageSpec = { readonly number: number; readonly address: string; readonly when: Date }

/** Composes messages. The same seed gives the same messages. */
export type Writer = {
  message(which: MessageSpec): Buffer
  /** A random number from 0 (included) to 1 (excluded). */
  random(): number
}

const bodyWords = 110
const vocabulary = 20_000
const sendersMax = 200
const words = Array.from({ length: vocabulary }, (_, n) => wordOf(n))

export function createWriter(seed: number): Writer {
  const random = createRandom(seed)
  const common = () => words[Math.floor(vocabulary ** random()) - 1]!
  return { random, message: (which) => composeMessage(which, common, random) }
}

function composeMessage({ number, address, when }: MessageSpec, common: () => string, random: () => number): Buffer {
  const sender = Math.floor(random() * sendersMax)
  const body = Array.from({ length: bodyWords }, common)
  const lines = Array.from({ length: Math.ceil(bodyWords / 12) }, (_, n) => body.slice(n * 12, n * 12 + 12).join(' '))
  return Buffer.from(
    [
      `From: ${common()} ${common()} <person${sender}@company${sender % 40}.example>`,
      `To: ${address}`,
      `Subject: ${Array.from({ length: 5 }, common).join(' ')} ORD-${number}`,
      `Date: ${when.toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <${number}.${when.getTime()}@bench.example>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      ...lines,
      '',
    ].join('\r\n'),
  )
}

/** The word with this number: two to six letters, different for each number. */
function wordOf(number: number): string {
  const consonants = 'bdfgklmnprst'
  const vowels = 'aeiou'
  let text = ''
  for (let rest = number + 1; rest > 0; ) {
    text += consonants[rest % consonants.length]! + vowels[Math.floor(rest / consonants.length) % vowels.length]!
    rest = Math.floor(rest / (consonants.length * vowels.length))
  }
  return text
}

/** The generator xorshift32. */
function createRandom(seed: number): () => number {
  // Without the multiplication, small seeds would give similar first numbers.
  let state = Math.imul(seed, 0x9e37_79b1)
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
