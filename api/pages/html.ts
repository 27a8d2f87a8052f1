/** HTML (and XML) by a tagged template that escapes whatever is put into it: markup can only come out of another template. */

/** Markup that is safe to show. A class, so that a text that a person typed is never taken for one. */
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

/** Takes for markup what a library of ours made of files of this project; never of what somebody sent. */
export function ownMarkup(markup: string): Html {
  return new Markup(markup)
}

type Part = Html | string | number | null | readonly Part[]

/** `null` puts in nothing. Attributes must be quoted: a part that stands in one cannot end it. */
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
