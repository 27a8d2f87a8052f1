/**
 * Texts with `{{name}}` tokens, filled for one recipient (decisions.md 2, send-batch; interface.md, Batch send). A name consists of
 * letters, digits and `_ . -`; anything else in braces is text.
 */
const token = /\{\{\s*([\p{L}\p{N}_.-]{1,100})\s*\}\}/gu

/** The texts that may contain tokens. */
export type TemplateTexts = { readonly subject?: string; readonly text?: string; readonly html?: string }
/** Values by the name of their token. */
export type TemplateValues = { readonly [name: string]: string }

/** The names a template uses, each once, in the order of their first use: subject, text, html. */
export function variablesOf({ subject = '', text = '', html = '' }: TemplateTexts): readonly string[] {
  const names = [subject, text, html].flatMap((part) => [...part.matchAll(token)].map((match) => String(match[1])))
  return [...new Set(names)]
}

/** The tokens in a text, as they are written. */
export function tokensIn(text: string): readonly string[] {
  return [...text.matchAll(token)].map(([each]) => each)
}

/**
 * The texts with their tokens replaced by values, or by '' where there is none. Values are escaped in HTML, and lose CR and LF in the
 * subject.
 */
export function fillTexts({ subject, text, html }: TemplateTexts, values: TemplateValues): TemplateTexts {
  return {
    ...(subject !== undefined && { subject: fill(subject, values, oneLine) }),
    ...(text !== undefined && { text: fill(text, values, unchanged) }),
    ...(html !== undefined && { html: fill(html, values, escaped) }),
  }
}

/** How many characters a subject has when it is filled with values, computed without filling it. */
export function filledSubjectChars(subject: string): (values: TemplateValues) => number {
  const uses = usesOf(subject)
  const own = charsOf(subject.replace(token, ''))
  return (values) =>
    [...uses].reduce(
      (sum, [name, count]) => sum + (Object.hasOwn(values, name) ? count * charsOf(oneLine(values[name] ?? '')) : 0),
      own,
    )
}

/**
 * How many bytes the texts have when they are filled with values, computed without filling them: a text full of tokens and one long
 * value would not fit into memory. The texts are read once for all recipients.
 */
export function filledBytes({ subject = '', text = '', html = '' }: TemplateTexts): (values: TemplateValues) => number {
  const parts = [
    { uses: usesOf(subject), safe: oneLine },
    { uses: usesOf(text), safe: unchanged },
    { uses: usesOf(html), safe: escaped },
  ]
  const ownBytes = [subject, text, html].reduce((sum, part) => sum + Buffer.byteLength(part.replace(token, '')), 0)
  return (values) =>
    parts
      .flatMap(({ uses, safe }) =>
        [...uses].map(([name, count]) =>
          Object.hasOwn(values, name) ? count * Buffer.byteLength(safe(values[name] ?? '')) : 0,
        ),
      )
      .reduce((sum, bytes) => sum + bytes, ownBytes)
}

/** How often each token occurs in a text. */
function usesOf(text: string): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  for (const [, name = ''] of text.matchAll(token)) uses.set(name, (uses.get(name) ?? 0) + 1)
  return uses
}

function fill(text: string, values: TemplateValues, safe: (value: string) => string): string {
  return text.replace(token, (_, name: string) => (Object.hasOwn(values, name) ? safe(values[name] ?? '') : ''))
}

/** How many characters a text has; those beyond 16 bits count once, as in schemas. */
const charsOf = (text: string) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

const unchanged = (value: string) => value

const oneLine = (value: string) => value.replaceAll(/[\r\n]+/g, ' ').replaceAll(/\p{Cc}/gu, '')

function escaped(value: string): string {
  const entities: { readonly [character: string]: string } = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return value.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
