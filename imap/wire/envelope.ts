/**
 * ENVELOPE (RFC 9051 7.5.2), in ASCII so that it is the same for nearly every client. Other text is written as encoded words.
 * These cannot carry an address (RFC 2047 5), so a client that enabled UTF-8 gets local parts in UTF-8 (RFC 6855 3).
 */
import { normaliseDomain } from '../../mail/domain.ts'
import { unstructured } from '../../mail/encoding/encode.ts'
import { type AddressItem, readAddressItems, splitAddress } from '../../mail/message/address.ts'
import { firstHeader, type HeaderField } from '../../mail/message/headers.ts'
import { isAscii, nstring, utf8 } from './text.ts'

/** How local parts that are not ASCII are written. */
type LocalForm = 'encoded' | 'utf8'

export function envelopeOf(fields: readonly HeaderField[], form: LocalForm = 'encoded'): string {
  const addresses = (name: string, otherwise = 'NIL') => addressesOf(fields, name, form) ?? otherwise
  const from = addresses('from')
  return `(${[
    nstring(textOf(firstHeader(fields, 'date'))),
    nstring(textOf(firstHeader(fields, 'subject'))),
    from,
    addresses('sender', from),
    addresses('reply-to', from),
    addresses('to'),
    addresses('cc'),
    addresses('bcc'),
    nstring(textOf(firstHeader(fields, 'in-reply-to'))),
    nstring(textOf(firstHeader(fields, 'message-id'))),
  ].join(' ')})`
}

/** Returns the value of a field as written if that is ASCII, otherwise as encoded words. */
export function textOf(field: HeaderField | null): string | null {
  if (field === null) return null
  return isAscii(field.rawValue) ? field.rawValue : unstructured(field.value, 0)
}

const encoded = (text: string) => (isAscii(text) ? text : unstructured(text, 0))

const addressFields = /^(?:from|sender|reply-to|to|cc|bcc)$/i

/** Whether the envelope may depend on the form of local parts. */
export const hasAddressInUtf8 = (fields: readonly HeaderField[]): boolean =>
  fields.some(({ name, rawValue }) => addressFields.test(name) && !isAscii(rawValue))

function addressesOf(fields: readonly HeaderField[], name: string, form: LocalForm): string | null {
  const items = fields.flatMap((field) => (field.name.toLowerCase() === name ? readAddressItems(field.rawValue) : []))
  return items.length === 0 ? null : `(${items.map((item) => addressOf(item, form)).join('')})`
}

function addressOf(item: AddressItem, form: LocalForm): string {
  if ('groupEnd' in item) return '(NIL NIL NIL NIL)'
  if ('group' in item) return `(NIL NIL ${nstring(encoded(item.group))} NIL)`
  const { local, domain } = splitAddress(item.address)
  const name = item.name === '' ? null : encoded(item.name)
  const mailbox = form === 'utf8' ? utf8(unquoted(local)) : encoded(unquoted(local))
  const host = isAscii(domain) ? domain : (normaliseDomain(domain) ?? encoded(domain))
  return `(${nstring(name)} ${nstring(item.route ?? null)} ${nstring(mailbox)} ${nstring(host)})`
}

/** RFC 9051 7.5.2: removes the quoting of RFC 5322. */
const unquoted = (local: string) => (/^".*"$/s.test(local) ? local.slice(1, -1).replace(/\\(.)/gs, '$1') : local)
