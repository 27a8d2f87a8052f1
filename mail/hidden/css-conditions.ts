import { closing, splitAt } from './css-syntax.ts'
import { numberOf } from './css-values.ts'

/** Whether the query of `@media` matches the usual reader: a light screen of 1024 by 768 (Media Queries 5). */
export function mediaApplies(query: string): boolean {
  const text = query.trim().toLowerCase()
  return text === '' || text.length > conditionCharsMax || splitAt(text, ',').some((one) => queryApplies(one.trim()))
}

/** Whether today's mail programs support what `@supports` asks for. */
export function supportsApplies(text: string): boolean {
  return text.length > conditionCharsMax || holds(text.trim().toLowerCase(), isSupported, 0)
}

/** Whether the condition of `@container` matches the usual width. The name of the container is ignored. */
export function containerApplies(text: string): boolean {
  const condition = text.trim().toLowerCase()
  return text.length > conditionCharsMax || holds(condition.slice(condition.indexOf('(')), featureApplies, 0)
}

/** Longer conditions are not read and count as true: reading them takes quadratic time. */
const conditionCharsMax = 2000
const depthMax = 5

function queryApplies(text: string): boolean {
  const head = /^(?:(not|only)\s+)?(?!not\b)([a-z][\w-]*)(?:\s+and\b\s*|$)/.exec(text)
  if (!head) return holds(text, featureApplies, 0)
  const rest = text.slice(head[0].length)
  const applies = (head[2] === 'all' || head[2] === 'screen') && (rest === '' || holds(rest, featureApplies, 0))
  return applies !== (head[1] === 'not')
}

/** Evaluates `(feature) and (not ((feature) or (feature)))`. A malformed condition is false. */
function holds(text: string, applies: (feature: string) => boolean, depth: number): boolean {
  let rest = text
  let result: boolean | null = null
  let isOr = false
  while (rest !== '' && depth < depthMax) {
    const negation = /^not\b\s*/.exec(rest)?.[0] ?? ''
    const open = rest.indexOf('(')
    if (open < 0) return false
    const close = closing(rest, open)
    const inside = rest.slice(open + 1, close).trim()
    const isNested = /^(?:\(|not\b)/.test(inside)
    const value = (isNested ? holds(inside, applies, depth + 1) : applies(inside)) !== (negation !== '')
    result = result === null ? value : isOr ? result || value : result && value
    const next = /^\s*(and|or)\b\s*/.exec(rest.slice(close + 1))
    if (!next) break
    isOr = next[1] === 'or'
    rest = rest.slice(close + 1 + next[0].length)
  }
  return result ?? false
}

function featureApplies(text: string): boolean {
  const feature = text.replace(/^-webkit-(?=min-|max-)/, '')
  const [, limit, name = feature, given] = /^(?:(min|max)-)?([a-z-]+?)\s*(?::\s*(.+))?$/.exec(feature) ?? []
  if (limit !== undefined && given !== undefined) return isWithin(limit === 'min' ? '>=' : '<=', name, given)
  if (/[<>=]/.test(feature)) return inRange(feature)
  const here = Object.hasOwn(words, name) ? words[name] : Object.hasOwn(measures, name) ? measures[name] : undefined
  if (given === undefined) return here !== undefined && !/^(?:0|none|no-preference)$/.test(String(here))
  return typeof here === 'number' ? numberOf(given) === here : here === given
}

/** `width >= 600px`, `600px < width <= 900px` */
function inRange(feature: string): boolean {
  const parts = feature.split(/\s*([<>]=?|=)\s*/, 5)
  const at = parts.findIndex((part, i) => i % 2 === 0 && Object.hasOwn(measures, part))
  const name = parts[at] ?? ''
  const before = at === 2 ? isWithin(turned[parts[1] as string] as string, name, parts[0] as string) : true
  const after = parts[at + 1] === undefined ? true : isWithin(parts[at + 1] as string, name, parts[at + 2] as string)
  return at >= 0 && before && after
}

function isWithin(comparison: string, name: string, given: string): boolean {
  const here = Object.hasOwn(measures, name) ? (measures[name] as number) : undefined
  const bound = numberOf(given.replace(/(?<=\d)(?:dppx|x)$/, '').replace(/^(\d+)\s*\/\s*(\d+)$/, 'calc($1 / $2)'))
  if (here === undefined || bound === null) return false
  if (comparison === '=') return here === bound
  if (here === bound) return comparison.endsWith('=')
  return comparison.startsWith('>') ? here > bound : here < bound
}

const turned: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' }

const measures: Readonly<Record<string, number>> = {
  width: 1024,
  height: 768,
  'inline-size': 1024,
  'block-size': 768,
  'device-width': 1024,
  'device-height': 768,
  'aspect-ratio': 4 / 3,
  'device-aspect-ratio': 4 / 3,
  resolution: 1,
  'device-pixel-ratio': 1,
  color: 8,
  'color-index': 0,
  monochrome: 0,
  grid: 0,
}

const words: Readonly<Record<string, string>> = {
  orientation: 'landscape',
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-reduced-transparency': 'no-preference',
  'prefers-contrast': 'no-preference',
  'forced-colors': 'none',
  'inverted-colors': 'none',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  scripting: 'none',
  update: 'fast',
  'color-gamut': 'srgb',
  'dynamic-range': 'standard',
  'overflow-block': 'scroll',
  'overflow-inline': 'scroll',
  'display-mode': 'browser',
  scan: 'progressive',
}

// Senders use the features of the first line to address a single program.
function isSupported(feature: string): boolean {
  if (/-ms-|-moz-|touch-callout|overflow-scrolling|^-webkit-hyphens|marquee/.test(feature)) return false
  const display = /^display\s*:\s*(.+)$/.exec(feature)?.[1]
  return display === undefined || isDisplay(display.trim())
}

/** Whether a value of `display` is one that programs know (CSS Display 3). */
export function isDisplay(value: string): boolean {
  return /^(?:(?:(?:block|inline|flow|flow-root|table|flex|grid|ruby|math|list-item|run-in)(?:\s+|$)){1,3}|(?:none|contents|inherit|initial|unset|revert|revert-layer|inline-(?:block|flex|grid|table)|table-(?:row|cell|column|caption|row-group|header-group|footer-group|column-group)|ruby-(?:base|text|base-container|text-container)|-(?:webkit|moz|ms)-(?:inline-)?(?:box|flex|flexbox|grid))$)/.test(
    value,
  )
}
