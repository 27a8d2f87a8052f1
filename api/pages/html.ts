/** HTML (and XML) from a tagged template that escapes every inserted value; only the result of another template is inserted as markup. */

/** Markup that is safe to show. It is a class, so that text that a person typed can never pass for markup. */
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

/** Trusts text as markup. Only for what a library made from files of this project, never for anything that was received. */
export function ownMarkup(markup: string): Html {
  return new Markup(markup)
}

type Part = Html | string | number | null | readonly Part[]

/** Makes markup. `null` inserts nothing. Attributes must be quoted, so that a value inside one cannot end it. */
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
