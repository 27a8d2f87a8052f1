/** Tells what animations make of the style of an element (CSS Animations 1). */
import { type AnimationPart, animationsMax, timeShape } from './animation-values.ts'
import { type Declarations, type Declared, splitAt, statementsOf, unescaped, withoutComments } from './css-syntax.ts'
import { numberOf } from './css-values.ts'
import { declaredIn, faintMax, hiddenByVisibility, hidingOf, opacityOf, sizeOf, tinyMax } from './hiding-styles.ts'

/** The course that each property takes over time. */
export type Keyframes = ReadonlyMap<string, Course>
type Frame = { readonly offset: number; readonly value: string }
/** The frames of a property in the order of time, the first one that hides, and the first one that does not. */
type Course = { readonly frames: readonly Frame[]; readonly hiding: Frame | null; readonly showing: Frame | null }

/** Reads the content of `@keyframes`; keeps the declarations whose name `isKept` accepts. Linear. */
export function keyframesOf(block: string, isKept: (name: string) => boolean): Keyframes {
  const found = new Map<string, Frame[]>()
  let count = 0
  for (const { prelude, block: own } of statementsOf(block)) {
    if (own === null || count >= framesMax) continue
    const declared = declaredIn(own).filter(({ name, important }) => !important && isKept(name) && !isOfAnimation(name))
    for (const offset of splitAt(withoutComments(prelude, ' '), ',').flatMap(offsetOf))
      for (const { name, value } of declared.slice(0, framesMax - count)) {
        count++
        const frames = found.get(name) ?? []
        found.set(name, frames)
        frames.push({ offset, value })
      }
  }
  // Of two frames for the same moment the last one counts.
  return new Map([...found].map(([name, frames]) => [name, courseOf(name, frames)]))
}

function courseOf(name: string, all: readonly Frame[]): Course {
  const frames = all.toSorted((a, b) => a.offset - b.offset)
  const hide = frames.map((frame) => hidesAlone(name, frame))
  return { frames, hiding: frames[hide.indexOf(true)] ?? null, showing: frames[hide.indexOf(false)] ?? null }
}

/** The name of keyframes, written as `"name"` or `name`. */
export function keyframesName(text: string): string {
  return unescaped(text.trim().replace(/^["']|["']$/g, '')).toLowerCase()
}

/** The values that animations set while a mail is read, by rising weight. Takes one step of `budget` for each value looked at. */
export function animated(
  style: Declarations,
  keyframes: ReadonlyMap<string, Keyframes>,
  budget: { stepsLeft: number },
): Declared[] {
  const names = splitAt(style.get('animation-name') ?? '', ',').slice(0, animationsMax)
  return names.flatMap((given, at) => {
    const courses = keyframes.get(keyframesName(given))
    if (!courses) return []
    const partOf = (name: string) => {
      const all = splitAt(style.get(`animation-${name}`) ?? '', ',')
      return (all[at % all.length] as string).trim()
    }
    const moment = momentOf(partOf)
    return moment === null
      ? []
      : [...courses].flatMap(([name, course]) => {
          const frame = frameAt(course, moment, budget)
          return frame ? [{ name, value: frame.value, important: false }] : []
        })
  })
}

const isOfAnimation = (name: string) => name.startsWith('animation-')

/** Most values of one `@keyframes` that are read. */
const framesMax = 200

/** Milliseconds after which an opened mail is being read: what an animation shows then is what is seen. */
const readAfterMs = 10_000

/** How far an animation is, from 0 to 1, and whether it jumps at the start of a step. `repeats`: after one round it continues. */
type Moment = { readonly progress: number; readonly leaps: boolean } | 'repeats'

/** The moment of an animation while a mail is read; null when it has no effect then. */
function momentOf(partOf: (name: AnimationPart) => string): Moment | null {
  const duration = Math.max(0, millisecondsOf(partOf('duration')))
  const elapsed = (partOf('play-state') === 'paused' ? 0 : readAfterMs) - millisecondsOf(partOf('delay'))
  const given = partOf('iteration-count')
  const count = given === 'infinite' ? Number.POSITIVE_INFINITY : (numberOf(given) ?? 1)
  const fill = partOf('fill-mode')
  const leaps = /^(?:step-start|steps\(.*\bstart\b.*\))$/.test(partOf('timing-function'))
  const at = (times: number, isEnd: boolean) => ({ progress: progressOf(times, isEnd, partOf('direction')), leaps })
  if (elapsed < 0) return /^(?:backwards|both)$/.test(fill) ? { ...at(0, false), leaps: false } : null
  if (duration === 0 || elapsed >= duration * count)
    return /^(?:forwards|both)$/.test(fill) ? { ...at(Number.isFinite(count) ? count : 1, true), leaps: false } : null
  return elapsed >= duration && partOf('play-state') !== 'paused' ? 'repeats' : at(elapsed / duration, false)
}

/** How far a round is after `times` rounds, in its direction; at the end of the last round it is complete. */
function progressOf(times: number, isEnd: boolean, direction: string): number {
  const isWhole = isEnd && times > 0 && Number.isInteger(times)
  const round = isWhole ? times - 1 : Math.floor(times)
  const progress = isWhole ? 1 : times - round
  const isBack = direction.startsWith('alternate')
    ? (round % 2 === 1) !== direction.endsWith('reverse')
    : direction === 'reverse'
  return isBack ? 1 - progress : progress
}

function millisecondsOf(text: string): number {
  if (!timeShape.test(text)) return 0
  return text.endsWith('ms') ? Number(text.slice(0, -2)) : Number(text.slice(0, -1)) * 1000
}

/** The nearest frame at a moment; null where the element's own value applies. */
function frameAt({ frames, hiding, showing }: Course, moment: Moment, budget: { stepsLeft: number }): Frame | null {
  budget.stepsLeft -= frames.length
  // Beyond the budget a frame that hides is assumed: it is better to leave text out and report it.
  if (budget.stepsLeft < 0) return hiding
  const starts = (frames[0] as Frame).offset === 0
  const ends = (frames.at(-1) as Frame).offset === 1
  if (moment === 'repeats') return starts && ends ? (showing ?? hiding) : null
  const { progress, leaps } = moment
  const all = [...(starts ? [] : [null]), ...frames, ...(ends ? [] : [null])]
  const offsetAt = (i: number) => all[i]?.offset ?? (i === 0 ? 0 : 1)
  let nearest = 0
  for (let i = 1; i < all.length; i++) {
    const [before, here] = [offsetAt(nearest), offsetAt(i)]
    if (leaps ? before <= progress : Math.abs(here - progress) <= Math.abs(before - progress)) nearest = i
  }
  return all[nearest] ?? null
}

function hidesAlone(name: string, { value }: Frame): boolean {
  const style = new Map([[name, value]])
  return (
    hidingOf(style) !== null ||
    hiddenByVisibility(style) === true ||
    (opacityOf(style) ?? 1) < faintMax ||
    (sizeOf(style, 16) ?? 16) <= tinyMax
  )
}

function offsetOf(text: string): number[] {
  const word = text.trim().toLowerCase()
  if (word === 'from') return [0]
  if (word === 'to') return [1]
  const share = /^\+?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%$/.test(word) ? Number(word.slice(0, -1)) / 100 : Number.NaN
  return share >= 0 && share <= 1 ? [share] : []
}
