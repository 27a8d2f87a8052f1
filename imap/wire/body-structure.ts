/** BODY and BODYSTRUCTURE (RFC 9051 7.5.2), in ASCII. */
import { parseParameters } from '../../mail/encoding/parameters.ts'
import { firstHeader } from '../../mail/message/headers.ts'
import type { Part } from '../../mail/message/structure.ts'
import { envelopeOf, textOf } from './envelope.ts'
import { isAscii, nstring, quoted, utf8 } from './text.ts'

/** Returns BODYSTRUCTURE with `isExtended`, otherwise BODY. */
export function bodyStructureOf(part: Part, isExtended: boolean): string {
  const [type = '', subtype = ''] = part.contentType.split('/')
  if (part.children.length > 0) {
    const inner = part.children.map((child) => bodyStructureOf(child, isExtended)).join('')
    const more = isExtended ? ` ${parameters(part.params)} ${common(part)}` : ''
    return `(${inner} ${quoted(subtype.toUpperCase())}${more})`
  }
  const { embedded } = part
  // An embedded message that was not parsed, because it is encoded or nested too deep, is described as a file.
  const isUnread = type === 'message' && embedded === null && (subtype === 'rfc822' || subtype === 'global')
  const media = isUnread ? ['APPLICATION', 'OCTET-STREAM'] : [type.toUpperCase(), subtype.toUpperCase()]
  const isMultipart = type === 'multipart'
  const fields = [
    ...(isMultipart ? ['"TEXT"', '"PLAIN"'] : media.map(quoted)),
    parameters(part.params),
    nstring(textOf(firstHeader(part.fields, 'content-id'))),
    nstring(textOf(firstHeader(part.fields, 'content-description'))),
    quoted(part.encoding.toUpperCase()),
    String(part.bodyEnd - part.bodyStart),
    ...(embedded === null ? [] : [envelopeOf(embedded.fields), bodyStructureOf(embedded, isExtended)]),
    ...(embedded !== null || type === 'text' || isMultipart ? [String(part.lines)] : []),
    ...(isExtended ? [nstring(textOf(firstHeader(part.fields, 'content-md5'))), common(part)] : []),
  ]
  return `(${fields.join(' ')})`
}

/** The extension data that all parts share: disposition, language, location. */
function common(part: Part): string {
  const { disposition, dispositionParams } = part
  const shown = disposition === null ? 'NIL' : `(${quoted(utf8(disposition))} ${parameters(dispositionParams)})`
  return `${shown} ${languages(part)} ${nstring(textOf(firstHeader(part.fields, 'content-location')))}`
}

function languages(part: Part): string {
  const field = firstHeader(part.fields, 'content-language')
  const tags = field === null ? [] : (parseParameters(field.rawValue).value.match(/[A-Za-z0-9-]+/g) ?? [])
  if (tags.length === 0) return 'NIL'
  return tags.length === 1 ? quoted(tags[0]!) : `(${tags.map(quoted).join(' ')})`
}

/** Values that are not ASCII are encoded by RFC 2231. */
function parameters(params: ReadonlyMap<string, string>): string {
  if (params.size === 0) return 'NIL'
  const pairs = [...params].map(([name, value]) =>
    isAscii(value)
      ? `${quoted(utf8(name.toUpperCase()))} ${quoted(value)}`
      : `${quoted(utf8(`${name.toUpperCase()}*`))} ${quoted(`utf-8''${encodeURIComponent(value.toWellFormed())}`)}`,
  )
  return `(${pairs.join(' ')})`
}
