import { addRules, type StyleRules, styleRules } from './cascade.ts'
import { mediaApplies } from './css-conditions.ts'
import { sheetIn } from './data-sheets.ts'
import { feed } from './markup.ts'
import { isCounted } from './visibility.ts'

type Attributes = Readonly<Record<string, string>>

/** The style sheets of a document, and the attributes of its html and body elements. */
export type Sheets = {
  readonly rules: StyleRules
  readonly page: { readonly html?: Attributes; readonly body?: Attributes }
}

/**
 * Reads the style sheets of a document before anything else, because one at its end applies to all of it. Keeps
 * declarations of `names`; see `styleRules`. Linear. Never throws.
 */
export function readSheets(html: string, names?: ReadonlySet<string>): Sheets {
  const rules = styleRules(names)
  const page: { html?: Attributes; body?: Attributes } = {}
  if (!/<(?:style|link)/i.test(html)) return { rules, page }
  let css: string | null = null
  feed(html, {
    onopentag(name, attributes) {
      if (name === 'style' && isRead(attributes)) css = ''
      if (name === 'link' && isLinked(attributes) && isRead(attributes))
        addRules(rules, sheetIn(attributes.href ?? '') ?? '')
      if (name === 'html' || name === 'body') page[name] ??= attributes
    },
    ontext(text) {
      if (css !== null) css += text
    },
    onclosetag(name) {
      if (name === 'style' && css !== null) addRules(rules, css)
      if (name === 'style') css = null
    },
  })
  if (rules.asksCounts) countChildren(html, rules)
  return { rules, page }
}

/** Counts the children of each element. Elements are numbered from 1 in the order in which they open; 0 is the page. */
function countChildren(html: string, { childCounts }: StyleRules): void {
  const stack = [{ name: 'body', number: 0, count: 0 }]
  let opened = 0
  const end = () => {
    const last = stack.pop()
    if (last && last.count > 0) childCounts.set(last.number, last.count)
  }
  feed(html, {
    onopentag(name) {
      const parent = stack.at(-1)
      if (parent && isCounted(parent.name, parent.count, name)) parent.count++
      stack.push({ name, number: ++opened, count: 0 })
    },
    onclosetag: end,
  })
  end()
}

/** Whether a link is to a style sheet that applies without being chosen. */
function isLinked({ rel = '', disabled }: Attributes): boolean {
  const kinds = rel.toLowerCase().split(/\s+/, kindsMax)
  return kinds.includes('stylesheet') && !kinds.includes('alternate') && disabled === undefined
}

const kindsMax = 20

function isRead({ type = '', media = '' }: Attributes): boolean {
  return /^(?:\s*|text\/css\s*(?:;.*)?)$/i.test(type) && mediaApplies(media)
}
