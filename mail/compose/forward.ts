/** What a forwarded message looks like below the words of the one who forwards it. */

import { formatDate } from '../encoding/date.ts'
import { formatMailbox, type Mailbox } from '../message/address.ts'

export type Forwarded = {
  readonly from: Mailbox | null
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly subject: string | null
  readonly date: Date | null
}

const title = '---------- Forwarded message ----------'

/** `own` words, then the message as text. */
export function forwardText(own: string | undefined, message: Forwarded & { readonly text: string }): string {
  const head = fieldsOf(message).map(([name, value]) => `${name}: ${value}`)
  return [...(own === undefined ? [] : [own.trimEnd(), '']), title, ...head, '', message.text].join('\n')
}

/** `own` words as HTML, then the message; `html` must be safe already. */
export function forwardHtml(own: string | undefined, message: Forwarded & { readonly html: string }): string {
  const head = fieldsOf(message).map(([name, value]) => `${name}: ${escapeHtml(value)}`)
  return `${own === undefined ? '' : `${own}<br>`}<div>${[title, ...head].join('<br>')}<br><br></div>${message.html}`
}

/** A text as HTML that shows it as it is. */
export function textAsHtml(text: string): string {
  return `<div style="white-space: pre-wrap">${escapeHtml(text)}</div>`
}

function fieldsOf({ from, to, cc, subject, date }: Forwarded): (readonly [name: string, value: string])[] {
  const list = (mailboxes: readonly Mailbox[]) => mailboxes.map(formatMailbox).join(', ')
  return [
    ['From', from === null ? '' : formatMailbox(from)] as const,
    ['Date', date === null ? '' : formatDate(date)] as const,
    ['Subject', subject ?? ''] as const,
    ['To', list(to)] as const,
    ['Cc', list(cc)] as const,
  ].filter(([, value]) => value !== '')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
