/** Search of the handbook by section: an index in memory, built at the first search. */
import { type Html, html } from '../pages/html.ts'
import { type Entry, entries, pathOf } from './contents.ts'
import { render } from './markdown.ts'
import { markdownOf, type Shown } from './sources.ts'

export type Hit = {
  readonly path: string
  readonly page: string
  readonly heading: string
  /** The text around the first match. */
  readonly extract: Html
}

/** One section of the handbook. */
type Place = { readonly path: string; readonly page: string; readonly heading: string; readonly content: string }

/** Longer questions are cut. */
const questionCharsMax = 200
const hitsMax = 20
const extractChars = 180

/** Returns a function that searches, best hits first: for all words, or if nothing matches, for any of them. */
export async function createSearch(shown: Shown): Promise<(question: string) => readonly Hit[]> {
  const { default: MiniSearch } = await import('minisearch')
  const places = (await Promise.all(entries.map((entry) => placesOf(entry, shown)))).flat()
  const index = new MiniSearch({ idField: 'n', fields: ['heading', 'page', 'content'] })
  index.addAll(places.map((place, n) => ({ ...place, n })))
  const options = { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15 }
  return (question) => {
    const words = question.slice(0, questionCharsMax)
    const strict = index.search(words, { ...options, combineWith: 'AND' })
    const found = strict.length > 0 ? strict : index.search(words, options)
    return found.slice(0, hitsMax).flatMap(({ id, terms }) => {
      const place = places[Number(id)]
      return place === undefined ? [] : [{ ...place, extract: extractOf(place.content, terms) }]
    })
  }
}

async function placesOf(entry: Entry, shown: Shown): Promise<readonly Place[]> {
  const { sections } = await render(entry, await markdownOf(entry, shown))
  return sections.map(({ content, id, level, text }) => ({
    path: level === 1 ? pathOf(entry) : `${pathOf(entry)}#${id}`,
    page: entry.title,
    heading: text,
    content,
  }))
}

/** An excerpt of the content with the terms marked. */
function extractOf(content: string, terms: readonly string[]): Html {
  const folded = content.toLowerCase()
  const firsts = terms.map((term) => folded.indexOf(term)).filter((at) => at >= 0)
  const around = firsts.length === 0 ? 0 : Math.max(0, Math.min(...firsts) - extractChars / 3)
  const from = around === 0 ? 0 : content.indexOf(' ', around) + 1
  const piece = content.slice(from, from + extractChars)
  const end = from + extractChars >= content.length ? piece.length : Math.max(piece.lastIndexOf(' '), 0)
  const parts = marked(piece.slice(0, end), terms)
  return html`${from > 0 ? '… ' : null}${parts}${end < piece.length ? ' …' : null}`
}

function marked(text: string, terms: readonly string[]): readonly (Html | string)[] {
  const folded = text.toLowerCase()
  const parts: (Html | string)[] = []
  let at = 0
  while (at < text.length) {
    const next = terms
      .map((term) => ({ term, from: folded.indexOf(term, at) }))
      .filter(({ from }) => from >= 0)
      .sort((a, b) => a.from - b.from || b.term.length - a.term.length)[0]
    if (next === undefined || next.term === '') break
    parts.push(text.slice(at, next.from), html`<mark>${text.slice(next.from, next.from + next.term.length)}</mark>`)
    at = next.from + next.term.length
  }
  return [...parts, text.slice(at)]
}
