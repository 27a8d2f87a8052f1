/** Reads the shorthand `animation` (CSS Animations 1, 3.10). */
import { splitAt } from './css-syntax.ts'

/** The parts of an `animation`, each as a list with commas; `animation` unchanged while it uses variables. */
export function animationParts(value: string): [name: string, value: string][] {
  if (value.includes('var(')) return [['animation', value]]
  const each = splitAt(value, ',').slice(0, animationsMax).map(partsOf)
  return animationNames.map((name) => [`animation-${name}`, each.map((parts) => parts?.[name] ?? '').join(',')])
}

/** Whether mail programs accept the value. */
export function isAnimation(value: string): boolean {
  return splitAt(value, ',').every((one) => partsOf(one) !== null)
}

/** The parts of an animation. */
export const animationNames = [
  'name',
  'duration',
  'delay',
  'iteration-count',
  'direction',
  'fill-mode',
  'play-state',
  'timing-function',
] as const
export type AnimationPart = (typeof animationNames)[number]

/** Most animations of one element that are read. */
export const animationsMax = 10

/** Assigns each word to the first free part that it fits; of two times the second is the delay. Null when a word fits none. */
function partsOf(text: string): Partial<Record<AnimationPart, string>> | null {
  const parts: Partial<Record<AnimationPart, string>> = {}
  for (const word of splitAt(text, ' ').filter(Boolean)) {
    const name = words.find(([known, shape]) => parts[known] === undefined && shape.test(word))?.[0]
    if (name === undefined) return null
    parts[name] = word
  }
  return parts
}

/** A time in seconds or milliseconds. */
export const timeShape = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?m?s$/
const words: readonly (readonly [AnimationPart, RegExp])[] = [
  ['duration', timeShape],
  ['delay', timeShape],
  ['iteration-count', /^(?:infinite|\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/],
  ['direction', /^(?:normal|reverse|alternate|alternate-reverse)$/],
  ['fill-mode', /^(?:none|forwards|backwards|both)$/],
  ['play-state', /^(?:running|paused)$/],
  ['timing-function', /^(?:ease|ease-in|ease-out|ease-in-out|linear|step-start|step-end|[a-z-]+\(.*)$/],
  ['name', /^(?:["']|-?[a-z_\\]|--|[^\0-\x7f])/],
]
