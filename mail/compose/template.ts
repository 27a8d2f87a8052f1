/**
 * Texts with `{{name}}` tokens, filled for one recipient (decisions.md 2, send-batch; interface.md, Batch send). A name is of
 * letters, digits and `_ . -`; anything else in braces is text.
 */
const token = /\{\{\s*([\p{L}\p{N}_.-]{1,100})\s*\}\}/gu

/** The texts that tokens may stand in. */
export type TemplateTexts = { readonly subject?: string; readonly text?: string; readonly html?: string }
/** Values by the name of their token. */
export type TemplateValues = { readonly [name: string]: string }

/** The names a template uses, each once, in the order of their first use: subject, text, html. */
export function variablesOf({ subject = '', text = '', html = '' }: TemplateTexts): readonly string[] {
  const names = [subject, text, html].flatMap((part) => [...part.matchAll(token)].map((match) => String(match[1])))
  return [...new Set(names)]
}

/** The texts with values in the place of tokens; one without a value becomes ''. Values are escaped in HTML, and lose CR and LF in the subject. */
export function fillTexts({ subject, text, html }: TemplateTexts, values: TemplateValues): TemplateTexts {
  return {
    ...(subject !== undefined && { subject: fill(subject, values, oneLine) }),
    ...(text !== undefined && { text: fill(text, values, (value) => value) }),
    ...(html !== undefined && { html: fill(html, values, escaped) }),
  }
}

function fill(text: string, values: TemplateValues, safe: (value: string) => string): string {
  return text.replace(token, (_, name: string) => (Object.hasOwn(values, name) ? safe(values[name] ?? '') : ''))
}

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
