import { limits } from './limits.ts'

/** What selectors know of an element. Names are lower-case. */
export type Named = { readonly name: string; readonly id: string; readonly classes: readonly string[] }

/** `table.a td#b .c`: the last compound is the element itself, the others are ancestors. */
export type Selector = {
  readonly text: string
  readonly last: Compound
  /** Nearest first; a child combinator counts as any ancestor. */
  readonly above: readonly Compound[]
  /** Specificity (Selectors 4, 17) as one number. */
  readonly weight: number
}

type Compound = Named

/** Reads a selector of tags, classes and ids; null for any other. Linear. */
export function readSelector(text: string): Selector | null {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/\s*>\s*/g, ' ')
  if (plain === '' || plain.length > 200 || !/^[a-z0-9\s.#*_-]+$/.test(plain)) return null
  const compounds = plain.split(/\s+/).map(readCompound)
  if (compounds.length > limits.cssAncestorsMax + 1) return null
  const known = compounds.filter((compound) => compound !== null)
  const last = known.at(-1)
  if (known.length < compounds.length || !last) return null
  return {
    text: plain,
    last,
    above: known.slice(0, -1).reverse(),
    weight: known.reduce((sum, one) => sum + weightOf(one), 0),
  }
}

/** The part of a compound that fewest elements have. */
export function keyOf({ name, id, classes }: Named): string {
  if (id !== '') return `#${id}`
  return classes.length > 0 ? `.${classes[0]}` : name === '' ? '*' : name
}

export function matches(compound: Compound, element: Named): boolean {
  if (compound.name !== '' && compound.name !== element.name) return false
  if (compound.id !== '' && compound.id !== element.id) return false
  return compound.classes.every((name) => element.classes.includes(name))
}

/** Whether the ancestors that a selector asks for are there, in their order. */
export function matchesAncestors({ above }: Selector, ancestors: readonly Named[]): boolean {
  let at = ancestors.length - 1
  for (const compound of above) {
    while (at >= 0 && !matches(compound, ancestors[at] as Named)) at--
    if (at < 0) return false
    at--
  }
  return true
}

/** Name, id and classes of an element as its tag gives them. */
export function namedOf(name: string, { id = '', class: classes = '' }: Readonly<Record<string, string>>): Named {
  if (id === '' && classes === '') return { name, id, classes: none }
  return {
    name,
    id: id.toLowerCase(),
    classes: classes.toLowerCase().split(/\s+/, limits.cssClassesMax).filter(Boolean),
  }
}

const none: readonly string[] = []

function readCompound(text: string): Compound | null {
  const found = /^(\*|[a-z][a-z0-9]*)?((?:[.#][a-z0-9_-]+)*)$/.exec(text)
  if (!found || text === '') return null
  const [, name = '', rest = ''] = found
  const marks = rest.match(/[.#][a-z0-9_-]+/g) ?? []
  const ids = marks.filter((mark) => mark.startsWith('#')).map((mark) => mark.slice(1))
  const classes = marks.filter((mark) => mark.startsWith('.')).map((mark) => mark.slice(1))
  return ids.length > 1 ? null : { name: name === '*' ? '' : name, id: ids[0] ?? '', classes }
}

function weightOf({ name, id, classes }: Compound): number {
  return (id === '' ? 0 : 10_000) + classes.length * 100 + (name === '' ? 0 : 1)
}
