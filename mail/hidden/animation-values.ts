/** What `animation` says in one list (CSS Animations 1, 3.10). */
import { splitAt } from './css-syntax.ts'

/** `animation` as what it says for each of its parts, each a list with commas; as it is while it asks for variables. */
export function animationParts(value: string): [name: string, value: string][] {
  if (value.includes('var(')) return [['animation', value]]
  const each = splitAt(value, ',').slice(0, animationsMax).map(partsOf)
  return animationNames.map((name) => [`animation-${name}`, each.map((parts) => parts?.[name] ?? '').join(',')])
}

/** Whether programs take it. */
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

/** More animations of one element are not read. */
export const animationsMax = 10

/** Each word is what it can be; of two times the second is the delay. Null when one can be nothing. */
function partsOf(text: string): Partial<Record<AnimationPart, string>> | null {
  const parts: Partial<Record<AnimationPart, string>> = {}
  for (const word of splitAt(text, ' ').filter(Boolean)) {
    const name = words.find(([known, shape]) => parts[known] === undefined && shape.test(word))?.[0]
    if (name === undefined) return null
    parts[name] = word
  }
  return parts
}

/** Seconds or milliseconds. */
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
