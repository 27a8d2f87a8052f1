/** The parts of forms. An error is shown beside its field and linked to it, for screen readers. */
import { encodeQR } from 'qr'
import type { Failure } from '../../schemas/failures.ts'
import { type Html, html } from './html.ts'

/** An error of a form: of the named field, or of the whole form (null). */
export type Refusal = { readonly field: string | null; readonly message: string; readonly fix: string }

/** Makes the error that a page shows for a refused request. */
export function refusalOf(failure: Failure): Refusal {
  const { param = null } = failure.detail
  return { field: param, message: failure.message, fix: failure.fix }
}

/** The contents of a form: the values that were typed, and their error. */
export type Typed = { readonly values: { readonly [name: string]: string }; readonly refusal: Refusal | null }
export const emptyForm: Typed = { values: {}, refusal: null }

type FieldOptions = {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password' | 'date'
  /** https://html.spec.whatwg.org/#autofill */
  readonly autocomplete: string
  readonly hint?: string
  readonly isOptional?: boolean
  readonly isFocused?: boolean
  readonly isCode?: boolean
  readonly maxLength?: number
}

/** A labelled input. A password that was typed is never put back into the form. */
export function field(typed: Typed, options: FieldOptions): Html {
  const { name, label, type = 'text', autocomplete, hint, isOptional = false, isFocused = false } = options
  const { isCode = false, maxLength = 200 } = options
  const isWrong = typed.refusal?.field === name
  const described = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? [`${name}-error`] : [])].join(' ')
  const attributes = [
    isOptional ? null : html` required`,
    isWrong ? html` aria-invalid="true"` : null,
    described === '' ? null : html` aria-describedby="${described}"`,
    isWrong || (isFocused && typed.refusal === null) ? html` autofocus` : null,
    isCode ? html` class="code" inputmode="text" spellcheck="false" autocapitalize="none"` : null,
    type === 'password' ? null : html` value="${typed.values[name] ?? ''}"`,
  ]
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${maxLength}"${attributes}>
${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`}
${isWrong ? html`<p class="error" id="${name}-error">${sentences(typed.refusal)}</p>` : null}
</div>
`
}

/** The error of a form as a whole, or of a field that is not among `fields`. Null if there is none. */
export function alert({ refusal }: Typed, fields: readonly string[] = []): Html | null {
  if (refusal === null || (refusal.field !== null && fields.includes(refusal.field))) return null
  return html`<div class="notice bad" role="alert"><p>${sentences(refusal)}</p></div>`
}

/** A notice that something was done. */
export const notice = (text: string): Html => html`<div class="notice" role="status"><p>${text}</p></div>`

/** The notice for the word `done` in the query; null when `notices` has no text for it. */
export function doneNotice({ query }: { readonly query: URLSearchParams }, notices: Done): Html | null {
  const word = query.get('done') ?? ''
  return Object.hasOwn(notices, word) ? notice(notices[word] as string) : null
}

/** The notices of a page, by the word in the query that says what was done. */
export type Done = { readonly [word: string]: string }

/** A group of radio buttons or checkboxes. */
export function choices({
  name,
  legend,
  type,
  options,
  checked,
  error = null,
}: {
  readonly name: string
  readonly legend: string
  readonly type: 'radio' | 'checkbox'
  readonly options: readonly { readonly value: string; readonly label: Html | string; readonly hint?: string }[]
  readonly checked: readonly string[]
  readonly error?: Refusal | null
}): Html {
  const isWrong = error?.field === name
  return html`<fieldset${isWrong ? html` aria-describedby="${name}-error"` : null}>
<legend>${legend}</legend>
${options.map(
  ({ value, label, hint }) => html`<div class="choice">
<input type="${type}" id="${name}-${value}" name="${name}" value="${value}"${checked.includes(value) ? html` checked` : null}>
<label for="${name}-${value}">${label}${hint === undefined ? null : html` <span class="faint">${hint}</span>`}</label>
</div>
`,
)}${isWrong ? html`<p class="error" id="${name}-error">${sentences(error)}</p>` : null}
</fieldset>
`
}

/** The hidden field that proves that a page of this service made the form. */
export const tokenField = (token: string): Html => html`<input type="hidden" name="csrf" value="${token}">`

/** A form that consists of one button. */
export function buttonForm({
  action,
  token,
  label,
  about,
  style = 'second',
  fields = {},
}: {
  readonly action: string
  readonly token: string
  readonly label: string
  /** The object of the action, for screen readers, which read out the button alone. */
  readonly about?: string
  readonly style?: 'second' | 'danger'
  readonly fields?: { readonly [name: string]: string }
}): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}">${tokenField(token)}${hidden}<button class="small ${style}"${
    about === undefined ? null : html` aria-label="${label} ${about}"`
  }>${label}</button></form>`
}

/** The button of a passkey ceremony. It is hidden until the script has found that the browser supports passkeys. */
export function passkeyForm({
  action,
  token,
  ceremony,
  options,
  label,
  style = 'second',
  fields = null,
}: {
  readonly action: string
  readonly token: string
  readonly ceremony: 'create' | 'get'
  readonly options: unknown
  readonly label: string
  readonly style?: string
  readonly fields?: Html | null
}): Html {
  return html`<form method="post" action="${action}" hidden>${tokenField(token)}${fields}
<input type="hidden" name="credential">
<button class="${style}" data-passkey="${ceremony}" data-options="${JSON.stringify(options)}">${label}</button>
<p class="error" role="alert"></p>
</form>
<noscript><p class="hint">Passkeys need JavaScript; everything else on this page works without it.</p></noscript>`
}

/** A readable time, to the minute, in UTC. */
export function time(at: string | Date): Html {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}

/** A QR code as one SVG path, with the quiet zone that readers need. */
export function qrCode(text: string, label: string): Html {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 4 })
  const path = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return html`<svg class="qr" viewBox="0 0 ${modules.length} ${modules.length}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="currentColor" d="${path}"/></svg>`
}

const sentences = (refusal: Refusal | null) => (refusal === null ? '' : `${refusal.message} ${refusal.fix}`.trim())
