/** HTML (and XML) by a tagged template that escapes everything inserted into it: markup can only come from another template. */

/** Markup that is safe to show. A class, so that text from a person is never mistaken for it. */
class Markup {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}
export type Html = Markup

/** Accepts as markup what a library of ours made from files of this project; never use it for input of others. */
export function ownMarkup(markup: string): Html {
  return new Markup(markup)
}

type Part = Html | string | number | null | readonly Part[]

/** `null` inserts nothing. Attributes must be quoted, so that an inserted part cannot end one. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Markup(texts.reduce((before, text, n) => before + rendered(parts[n - 1] ?? null) + text))
}

function rendered(part: Part): string {
  if (part === null) return ''
  if (part instanceof Markup) return part.toString()
  return typeof part === 'object' ? part.map(rendered).join('') : escaped(String(part))
}

const names: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (char) => names[char] ?? char)
