import libmime from 'libmime'
import { type Mailbox, parseAddressList } from './address.ts'
import { parseDate } from './date.ts'
import { firstHeader, type HeaderField } from './headers.ts'
import { limits } from './limits.ts'
import { type Part, readStructure } from './structure.ts'
import { decodedSize } from './transfer.ts'
import { cleanLine } from './words.ts'

export type { Part } from './structure.ts'

export type AttachmentInfo = {
  /** The IMAP section of the part, stable for these bytes: `2`, `2.1`. */
  readonly partId: string
  /** A plain file name: no path, no control or direction characters, never empty. */
  readonly name: string
  readonly contentType: string
  /** Decoded bytes. */
  readonly sizeBytes: number
  /** Shown in the body (an image of the HTML, or disposition inline) and not listed as a file by its sender. */
  readonly inline: boolean
  readonly contentId: string | null
}

export type ParsedMessage = {
  readonly headers: readonly HeaderField[]
  readonly root: Part
  /** Of the most nested entity; 0 for a message of one part. */
  readonly depth: number
  readonly subject: string | null
  readonly from: Mailbox | null
  readonly sender: Mailbox | null
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly bcc: readonly Mailbox[]
  readonly replyTo: readonly Mailbox[]
  /** Without angle brackets, like `inReplyTo` and `references`. */
  readonly messageId: string | null
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly date: Date | null
  /** The keyword of Auto-Submitted (RFC 3834 5), lower-case. */
  readonly autoSubmitted: string | null
  readonly attachments: readonly AttachmentInfo[]
  /** The parts a reader of plain text, and of HTML, is shown in order (RFC 8621 4.1.4). */
  readonly textParts: readonly Part[]
  readonly htmlParts: readonly Part[]
  readonly hasText: boolean
  readonly hasHtml: boolean
  readonly encrypted: 'pgp' | 'smime' | null
  /** True when a limit left fields, parts or attachments out. */
  readonly truncated: boolean
}

/**
 * Reads a message: header fields, structure, and what attachments it has. Bodies are not decoded.
 * Malformed mail gives what can be made out of it. Linear in the size, bounded by `limits`. Never throws.
 */
export function parseMessage(raw: Buffer): ParsedMessage {
  const { root, depth, truncated } = readStructure(raw)
  const { fields } = root
  const lists: Lists = { text: [], html: [], attachments: [] }
  sortParts([root], 'mixed', false, lists.text, lists.html, lists)
  const listed = lists.attachments.slice(0, limits.attachmentsMax)
  return {
    headers: fields,
    root,
    depth,
    subject: firstHeader(fields, 'subject')?.value ?? null,
    from: addresses(fields, 'from')[0] ?? null,
    sender: addresses(fields, 'sender')[0] ?? null,
    to: addresses(fields, 'to'),
    cc: addresses(fields, 'cc'),
    bcc: addresses(fields, 'bcc'),
    replyTo: addresses(fields, 'reply-to'),
    messageId: messageIds(firstHeader(fields, 'message-id'))[0] ?? null,
    inReplyTo: messageIds(firstHeader(fields, 'in-reply-to'))[0] ?? null,
    references: latestIds(messageIds(firstHeader(fields, 'references'))),
    date: parseDate(firstHeader(fields, 'date')?.rawValue ?? ''),
    autoSubmitted: keyword(firstHeader(fields, 'auto-submitted')),
    attachments: listed.map(({ part, related }) => attachmentInfo(raw, part, related)),
    textParts: lists.text,
    htmlParts: lists.html,
    hasText: lists.text.some((part) => part.contentType === 'text/plain'),
    hasHtml: lists.html.some((part) => part.contentType === 'text/html'),
    encrypted: encryption(raw, root, lists.text),
    truncated: truncated || listed.length < lists.attachments.length,
  }
}

/** The part with that section number anywhere in the message, embedded messages included, or null. */
export function findPart(root: Part, partId: string): Part | null {
  if (root.id === partId) return root
  for (const child of root.children) {
    const found = findPart(child, partId)
    if (found) return found
  }
  return root.embedded ? findPart(root.embedded, partId) : null
}

type Lists = {
  readonly text: Part[]
  readonly html: Part[]
  readonly attachments: { readonly part: Part; readonly related: boolean }[]
}

/**
 * Decides which parts are body and which are attachments, as RFC 8621 4.1.4 does, except that images shown inline are
 * attachments too (ours say so with `inline`). A null list means: the other alternative was chosen there.
 */
function sortParts(
  parts: readonly Part[],
  kind: string,
  inAlternative: boolean,
  text: Part[] | null,
  html: Part[] | null,
  lists: Lists,
): void {
  const textBefore = text?.length ?? -1
  const htmlBefore = html?.length ?? -1
  for (const [index, part] of parts.entries()) {
    if (part.children.length > 0) {
      const inner = part.contentType.slice('multipart/'.length)
      sortParts(part.children, inner, inAlternative || inner === 'alternative', text, html, lists)
      continue
    }
    const isBody =
      isText(part) && part.disposition !== 'attachment' && (index === 0 || (kind !== 'related' && !hasName(part)))
    if (!isBody) {
      lists.attachments.push({ part, related: kind === 'related' })
    } else if (kind === 'alternative') {
      if (part.contentType === 'text/plain') text?.push(part)
      else html?.push(part)
    } else if (inAlternative) {
      if (part.contentType === 'text/plain') html = null
      else text = null
      text?.push(part)
      html?.push(part)
    } else {
      text?.push(part)
      html?.push(part)
    }
  }
  if (kind !== 'alternative' || !text || !html) return
  if (textBefore === text.length && htmlBefore !== html.length) text.push(...html.slice(htmlBefore))
  if (htmlBefore === html.length && textBefore !== text.length) html.push(...text.slice(textBefore))
}

function isText({ contentType }: Part): boolean {
  return contentType === 'text/plain' || contentType === 'text/html'
}

function hasName(part: Part): boolean {
  return part.dispositionParams.has('filename') || part.params.has('name')
}

function attachmentInfo(raw: Buffer, part: Part, related: boolean): AttachmentInfo {
  const { id, contentType, contentId, disposition } = part
  return {
    partId: id,
    name: attachmentName(part),
    contentType,
    sizeBytes: decodedSize(raw, part.bodyStart, part.bodyEnd, part.encoding),
    inline: disposition === 'inline' || (disposition !== 'attachment' && related && contentId !== null),
    contentId,
  }
}

function attachmentName(part: Part): string {
  const given = safeName(part.dispositionParams.get('filename') ?? part.params.get('name') ?? '')
  if (given !== '') return given
  if (part.embedded) {
    const subject = safeName(firstHeader(part.embedded.fields, 'subject')?.value ?? '')
    return `${subject || 'message'}.eml`
  }
  const extension = libmime.detectExtension(part.contentType)
  return `attachment-${part.id}.${extension === 'bin' && part.contentType.startsWith('text/') ? 'txt' : extension}`
}

/**
 * Makes a file name safe to show and to store: the last path segment, without control, direction or reserved
 * characters and without leading dots; at most `fileNameCharsMax` characters, the extension kept. May be ''.
 */
export function safeName(text: string): string {
  const last = text.slice(-500).split(/[\\/]/).at(-1) ?? ''
  const name = cleanLine(last.normalize('NFC'))
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const chars = [...name]
  if (chars.length <= limits.fileNameCharsMax) return name
  const extension = /\.[^. ]{1,10}$/u.exec(name)?.[0] ?? ''
  return chars.slice(0, limits.fileNameCharsMax - extension.length).join('') + extension
}

function addresses(fields: readonly HeaderField[], name: string): readonly Mailbox[] {
  const field = firstHeader(fields, name)
  return field ? parseAddressList(field.rawValue) : []
}

/** Every `<id>` of a field, or its one bare word when it has no brackets. */
function messageIds(field: HeaderField | null): string[] {
  if (!field) return []
  const found: string[] = []
  for (const match of field.rawValue.matchAll(/<([^<>\s]+)>/g)) {
    if ((match[1] as string).length <= limits.messageIdCharsMax) found.push(match[1] as string)
  }
  if (found.length > 0) return found
  return /^[^<>\s]+@[^<>\s]+$/.test(field.rawValue) && field.rawValue.length <= limits.messageIdCharsMax
    ? [field.rawValue]
    : []
}

/** Of too many references the first (the thread's root) and the last (the parents) matter. */
function latestIds(ids: readonly string[]): string[] {
  if (ids.length <= limits.ancestorsMax) return [...ids]
  return [ids[0] as string, ...ids.slice(1 - limits.ancestorsMax)]
}

function keyword(field: HeaderField | null): string | null {
  return field ? field.rawValue.replace(/[\s;(].*$/s, '').toLowerCase() || null : null
}

function encryption(raw: Buffer, root: Part, textParts: readonly Part[]): 'pgp' | 'smime' | null {
  if (root.contentType === 'multipart/encrypted') {
    return /pkcs7/i.test(root.params.get('protocol') ?? '') ? 'smime' : 'pgp' // RFC 3156 4, RFC 1847 2.2
  }
  if (/^application\/(?:x-)?pkcs7-mime$/.test(root.contentType)) {
    // RFC 8551 3.2.2: signed-data and certs-only can be read by anyone.
    return /^(?:signed-data|certs-only|compressed-data)$/.test((root.params.get('smime-type') ?? '').toLowerCase())
      ? null
      : 'smime'
  }
  const first = textParts[0]
  const head = first ? raw.toString('latin1', first.bodyStart, Math.min(first.bodyEnd, first.bodyStart + 200)) : ''
  return head.trimStart().startsWith('-----BEGIN PGP MESSAGE-----') ? 'pgp' : null
}
