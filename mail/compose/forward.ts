/** Writes a forwarded message below the text of the person who forwards it. */

import { formatDate } from '../encoding/date.ts'
import { formatNamedAddress, type NamedAddress } from '../message/address.ts'

export type Forwarded = {
  readonly from: NamedAddress | null
  readonly to: readonly NamedAddress[]
  readonly cc: readonly NamedAddress[]
  readonly subject: string | null
  readonly date: Date | null
}

const title = '---------- Forwarded message ----------'

/** The text of the person who forwards (`own`), then the header and the text of the message. Line ends are LF. */
export function forwardText(own: string | undefined, message: Forwarded & { readonly text: string }): string {
  const head = fieldsOf(message).map(([name, value]) => `${name}: ${value}`)
  return [...(own === undefined ? [] : [own.trimEnd(), '']), title, ...head, '', message.text].join('\n')
}

/** The same as HTML. `own` and `html` must be safe already (`sanitiseHtml`); the header is escaped here. */
export function forwardHtml(own: string | undefined, message: Forwarded & { readonly html: string }): string {
  const head = fieldsOf(message).map(([name, value]) => `${name}: ${escapeHtml(value)}`)
  return `${own === undefined ? '' : `${own}<br>`}<div>${[title, ...head].join('<br>')}<br><br></div>${message.html}`
}

/** HTML that shows a text unchanged. */
export function textAsHtml(text: string): string {
  return `<div style="white-space: pre-wrap">${escapeHtml(text)}</div>`
}

function fieldsOf({ from, to, cc, subject, date }: Forwarded): (readonly [name: string, value: string])[] {
  const list = (mailboxes: readonly NamedAddress[]) => mailboxes.map(formatNamedAddress).join(', ')
  return [
    ['From', from === null ? '' : formatNamedAddress(from)] as const,
    ['Date', date === null ? '' : formatDate(date)] as const,
    ['Subject', subject ?? ''] as const,
    ['To', list(to)] as const,
    ['Cc', list(cc)] as const,
  ].filter(([, value]) => value !== '')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
