/** ENVELOPE (RFC 9051 7.5.2): in ASCII, so that it is the same for every client; what is not is written in encoded words. */
import { unstructured } from '../../mail/encoding/encode.ts'
import { type AddressItem, readAddressItems, splitAddress } from '../../mail/message/address.ts'
import { firstHeader, type HeaderField } from '../../mail/message/headers.ts'
import { isAscii, nstring } from './text.ts'

export function envelopeOf(fields: readonly HeaderField[]): string {
  const from = addresses(fields, 'from')
  return `(${[
    nstring(textOf(firstHeader(fields, 'date'))),
    nstring(textOf(firstHeader(fields, 'subject'))),
    from,
    addresses(fields, 'sender', from),
    addresses(fields, 'reply-to', from),
    addresses(fields, 'to'),
    addresses(fields, 'cc'),
    addresses(fields, 'bcc'),
    nstring(textOf(firstHeader(fields, 'in-reply-to'))),
    nstring(textOf(firstHeader(fields, 'message-id'))),
  ].join(' ')})`
}

/** The value of a field as it stands, when that is ASCII. */
export function textOf(field: HeaderField | null): string | null {
  if (field === null) return null
  return isAscii(field.rawValue) ? field.rawValue : unstructured(field.value, 0)
}

const encoded = (text: string) => (isAscii(text) ? text : unstructured(text, 0))

function addresses(fields: readonly HeaderField[], name: string, otherwise = 'NIL'): string {
  const items = fields.flatMap((field) => (field.name.toLowerCase() === name ? readAddressItems(field.rawValue) : []))
  return items.length === 0 ? otherwise : `(${items.map(addressOf).join('')})`
}

function addressOf(item: AddressItem): string {
  if ('groupEnd' in item) return '(NIL NIL NIL NIL)'
  if ('group' in item) return `(NIL NIL ${nstring(encoded(item.group))} NIL)`
  const { local, domain } = splitAddress(item.address)
  const name = item.name === '' ? null : encoded(item.name)
  return `(${nstring(name)} ${nstring(item.route ?? null)} ${nstring(encoded(unquoted(local)))} ${nstring(encoded(domain))})`
}

/** RFC 9051 7.5.2: without the quotes of RFC 5322. */
const unquoted = (local: string) => (/^".*"$/s.test(local) ? local.slice(1, -1).replace(/\\(.)/gs, '$1') : local)
