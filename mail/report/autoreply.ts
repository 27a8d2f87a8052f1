import { parseAddressList } from '../message/address.ts'
import { firstHeader, type HeaderField } from '../message/headers.ts'

/**
 * Whether a message was sent by a program or a list and must not be answered automatically (RFC 3834 2).
 * @param reversePath the envelope sender, '' for the null sender; when it is unknown, a Return-Path field is read
 */
export function isAutomatic(headers: readonly HeaderField[], reversePath?: string | null): boolean {
  const word = (name: string) =>
    firstHeader(headers, name)
      ?.rawValue.replace(/^(?:\s|\([^()]*\))+/, '')
      .replace(/[\s;(].*$/s, '')
      .toLowerCase() ?? ''
  const submitted = word('auto-submitted')
  if (submitted !== '' && submitted !== 'no') return true // RFC 3834 5
  if (/^(?:bulk|junk|list|auto[-_]?reply)$/.test(word('precedence'))) return true
  if (markers.some((name) => firstHeader(headers, name) !== null)) return true
  const suppress = firstHeader(headers, 'x-auto-response-suppress')?.value.toLowerCase() ?? ''
  if (/\b(?:all|oof|autoreply)\b/.test(suppress)) return true
  const path = reversePath ?? firstHeader(headers, 'return-path')?.rawValue
  if (path !== undefined && /^(?:<\s*>)?$/.test(path.trim())) return true
  if (firstHeader(headers, 'content-type')?.rawValue.toLowerCase().startsWith('multipart/report')) return true
  const from = firstHeader(headers, 'from')
  const senders = [path ?? '', from ? (parseAddressList(from.rawValue)[0]?.address ?? '') : '']
  return senders.some((address) => robots.test(address.replace(/^<|>$/g, '')))
}

// RFC 2369, RFC 2919 and the fields that the larger services write.
const markers = [
  'list-id',
  'list-unsubscribe',
  'list-post',
  'x-autoreply',
  'x-autorespond',
  'x-auto-reply',
  'x-loop',
  'feedback-id',
]

// RFC 3834 2 names `owner-` and `-request`; the rest is RFC 2142 custom.
const robots =
  /^(?:mailer-daemon|mail-daemon|no[-_.]?reply|do[-_.]?not[-_.]?reply|bounces?|listserv|majordomo|owner-[^@]*|[^@]+-(?:request|bounces?|owner))(?:[+=-][^@]*)?@/i
