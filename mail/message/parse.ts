import { readCms } from '../containers/cms.ts'
import { parseDate } from '../encoding/date.ts'
import { firstOfLine, readWords } from '../encoding/header-words.ts'
import { type Hidden, hiddenExcerpt, showInvisible } from '../encoding/invisible-characters.ts'
import { lookAlikeDomains } from '../encoding/look-alikes.ts'
import { decodeTransfer } from '../encoding/transfer.ts'
import { limits } from '../limits.ts'
import { type NamedAddress, nameWithoutAddress, parseAddressList, readAddressItems, splitAddress } from './address.ts'
import { type AttachmentInfo, attachmentsOf, type Listed } from './attachments.ts'
import { firstHeader, type HeaderField } from './headers.ts'
import { type Part, readStructure } from './structure.ts'
import { rootAndLatest } from './threading.ts'

export type { Part } from './structure.ts'

export type ParsedMessage = {
  readonly headers: readonly HeaderField[]
  readonly root: Part
  /** Nesting depth of the deepest entity; 0 for a message of one part. */
  readonly depth: number
  readonly subject: string | null
  /** All addresses in the From fields. */
  readonly authors: readonly NamedAddress[]
  /** The first of `authors`. */
  readonly from: NamedAddress | null
  /** The name in From when From gives no address. */
  readonly authorName: string | null
  readonly sender: NamedAddress | null
  readonly to: readonly NamedAddress[]
  readonly cc: readonly NamedAddress[]
  readonly bcc: readonly NamedAddress[]
  readonly replyTo: readonly NamedAddress[]
  /** Whether From, To, Cc, Bcc or Reply-To names a group. */
  readonly hasGroups: boolean
  /** Without angle brackets, like `inReplyTo` and `references`. */
  readonly messageId: string | null
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly date: Date | null
  /** The keyword of Auto-Submitted (RFC 3834 5), lower-case. */
  readonly autoSubmitted: string | null
  readonly attachments: readonly AttachmentInfo[]
  /** The parts to show, in order, to a reader of plain text and to a reader of HTML (RFC 8621 4.1.4). */
  readonly textParts: readonly Part[]
  readonly htmlParts: readonly Part[]
  readonly hasText: boolean
  readonly hasHtml: boolean
  readonly encrypted: 'pgp' | 'smime' | null
  /** The message inside an opaque S/MIME signature. The signature is not verified; the message's parts are not in `root`. */
  readonly signedContent: SignedContent | null
  /** True when a limit left out fields, parts or attachments. */
  readonly truncated: boolean
}

export type SignedContent = { readonly raw: Buffer; readonly parsed: ParsedMessage }

/**
 * Reads a message: header fields, structure and the list of attachments. Bodies are not decoded.
 * Malformed mail gives whatever can be read of it. Linear in the size, bounded by `limits`. Never throws.
 */
export function parseMessage(raw: Buffer): ParsedMessage {
  return parseEntity(raw, 0)
}

function parseEntity(raw: Buffer, signedDepth: number): ParsedMessage {
  const { root, depth, truncated } = readStructure(raw)
  const { fields } = root
  const signed = signedContentOf(raw, root, signedDepth)
  const lists: Lists = { text: [], html: [], attachments: [] }
  if (!signed) sortParts([root], 'mixed', false, lists.text, lists.html, lists)
  if (lists.text.length === 0 && lists.html.length === 0) readAsPlain(lists)
  const found = signed
    ? signed.parsed.attachments.map((each) => ({ ...each, partId: `${root.id}/${each.partId}` }))
    : attachmentsOf(raw, [...lists.text, ...lists.html], lists.attachments)
  const attachments = found.slice(0, limits.attachmentsMax)
  const authors = addresses(fields, 'from')
  return {
    headers: fields,
    root,
    depth: depth + (signed?.parsed.depth ?? 0),
    subject: subjectOf(fields),
    authors,
    from: authors[0] ?? null,
    authorName: authors.length > 0 ? null : nameWithoutAddress(firstHeader(fields, 'from')?.rawValue ?? ''),
    sender: addresses(fields, 'sender')[0] ?? null,
    to: addresses(fields, 'to'),
    cc: addresses(fields, 'cc'),
    bcc: addresses(fields, 'bcc'),
    replyTo: addresses(fields, 'reply-to'),
    hasGroups: fields.some(isGroup),
    messageId: messageIds(firstHeader(fields, 'message-id'))[0] ?? null,
    inReplyTo: messageIds(firstHeader(fields, 'in-reply-to'))[0] ?? null,
    references: rootAndLatest(messageIds(firstHeader(fields, 'references')), limits.ancestorsMax),
    date: parseDate(firstHeader(fields, 'date')?.rawValue ?? ''),
    autoSubmitted: keyword(firstHeader(fields, 'auto-submitted')),
    attachments,
    textParts: lists.text,
    htmlParts: lists.html,
    hasText: signed?.parsed.hasText ?? lists.text.some((part) => part.contentType === 'text/plain'),
    hasHtml: signed?.parsed.hasHtml ?? lists.html.some((part) => part.contentType === 'text/html'),
    encrypted: signed?.parsed.encrypted ?? encryption(raw, root, lists.text),
    signedContent: signed,
    truncated: truncated || attachments.length < found.length || signed?.parsed.truncated === true,
  }
}

/**
 * Reports what a reader does not see in the subject and in the names of people, and domains of authors that look like others.
 * At most `hiddenInHeaderMax` reports, which leaves room for those of the body.
 */
export function hiddenInHeader({ headers, authors }: ParsedMessage): Hidden[] {
  const fields = headers.filter(({ name }) => shownFields.has(name.toLowerCase()))
  const domains = lookAlikeDomains(authors.map(({ address }) => splitAddress(address).domain).join(' '))
  return [
    ...domains.map((domain): Hidden => ({ kind: 'lookalike_domain', excerpt: hiddenExcerpt(domain) })),
    ...fields.flatMap(({ rawValue }) => readWords(rawValue).hidden),
  ].slice(0, hiddenInHeaderMax)
}

const shownFields = new Set(['subject', 'from', 'sender', 'reply-to', 'to', 'cc', 'bcc'])
const hiddenInHeaderMax = 5

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
  readonly attachments: Listed[]
}

/**
 * Decides which parts are body and which are attachments, as RFC 8621 4.1.4 does, except that images shown inline are
 * attachments too (marked `inline`). A list is null where the other form of the text was chosen.
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
      sortParts(rootFirst(part), inner, inAlternative || inner === 'alternative', text, html, lists)
      continue
    }
    // The alternative forms of one text are not files, even if they have names.
    const isUnnamed = kind === 'alternative' || !hasName(part)
    const isBody =
      isText(part) && part.disposition !== 'attachment' && (index === 0 || (kind !== 'related' && isUnnamed))
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

/** Text of an unknown subtype is read as plain text (RFC 2046 4.1.4) if there is no other text and it is not a file. */
function readAsPlain({ text, html, attachments }: Lists): void {
  const at = attachments.findIndex(
    ({ part }) =>
      /^text\/(?!calendar$)/.test(part.contentType) &&
      part.disposition !== 'attachment' &&
      !hasName(part) &&
      !isText(part),
  )
  if (at < 0) return
  for (const { part } of attachments.splice(at, 1)) {
    text.push(part)
    html.push(part)
  }
}

/** The parts of a multipart. In multipart/related the root, which refers to the others, comes first (RFC 2387 3.2). */
function rootFirst({ contentType, params, children }: Part): readonly Part[] {
  if (contentType !== 'multipart/related') return children
  const start = params.get('start')?.replace(/^<|>$/g, '')
  const [first] = children
  // Without `start` the first part is the root, unless it is something like an image, which refers to no other part.
  const isRoot = first === undefined || isText(first) || first.children.length > 0
  const root =
    (start === undefined ? undefined : children.find(({ contentId }) => contentId === start)) ??
    (isRoot ? undefined : children.find((part) => isText(part) || part.children.length > 0))
  return root === undefined ? children : [root, ...children.filter((part) => part !== root)]
}

function isText({ contentType }: Part): boolean {
  return contentType === 'text/plain' || contentType === 'text/html'
}

function hasName(part: Part): boolean {
  return part.dispositionParams.has('filename') || part.params.has('name') || part.params.has('filename')
}

/** RFC 8551 3.5.2: a message that is a single file, signed but readable by anyone. */
function signedContentOf(raw: Buffer, root: Part, depth: number): SignedContent | null {
  if (!isPkcs7(root) || depth >= limits.insideDepthMax) return null
  const cms = readCms(decodeTransfer(raw, root.bodyStart, root.bodyEnd, root.encoding))
  return cms?.content ? { raw: cms.content, parsed: parseEntity(cms.content, depth + 1) } : null
}

function isPkcs7({ contentType, params, dispositionParams }: Part): boolean {
  if (contentType === 'application/pkcs7-mime' || contentType === 'application/x-pkcs7-mime') return true
  // RFC 8551 3.2.1: gateways that do not know the type keep the file name.
  const name = dispositionParams.get('filename') ?? params.get('name') ?? ''
  return contentType === 'application/octet-stream' && /\.p7m$/i.test(name)
}

/** The addresses of all fields with that name: some programs write one field for each recipient. */
function addresses(fields: readonly HeaderField[], wanted: string): readonly NamedAddress[] {
  const own = fields.filter(({ name }) => name.toLowerCase() === wanted)
  return own.flatMap(({ rawValue }) => parseAddressList(rawValue)).slice(0, limits.addressesMax)
}

const addressFields = new Set(['from', 'to', 'cc', 'bcc', 'reply-to'])

const isGroup = ({ name, rawValue }: HeaderField): boolean =>
  rawValue.includes(':') &&
  addressFields.has(name.toLowerCase()) &&
  readAddressItems(rawValue).some((item) => 'group' in item)

function subjectOf(fields: readonly HeaderField[]): string | null {
  const subject = firstHeader(fields, 'subject')?.value
  return subject === undefined ? null : firstOfLine(subject, limits.subjectCharsMax)
}

/** Every `<id>` of a field, or its words when all are bare ids. Ids with invisible characters are left out. */
function messageIds(field: HeaderField | null): readonly string[] {
  if (!field) return []
  const isId = (text: string) => text.length <= limits.messageIdCharsMax && showInvisible(text) === text
  const found = [...field.rawValue.matchAll(/<([^<>\s]+)>/g)].map((match) => match[1] as string).filter(isId)
  if (found.length > 0) return found
  const words = field.rawValue.trim().split(/\s+/)
  // The length is checked first, because this pattern takes quadratic time.
  return words.every((word) => isId(word) && /^[^<>]+@[^<>]+$/.test(word)) ? words : []
}

function keyword(field: HeaderField | null): string | null {
  return field ? field.rawValue.replace(/[\s;(].*$/s, '').toLowerCase() || null : null
}

function encryption(raw: Buffer, root: Part, textParts: readonly Part[]): 'pgp' | 'smime' | null {
  if (root.contentType === 'multipart/encrypted') {
    return /pkcs7/i.test(root.params.get('protocol') ?? '') ? 'smime' : 'pgp' // RFC 3156 4, RFC 1847 2.2
  }
  if (isPkcs7(root)) {
    // RFC 8551 3.2.2: a message that is only signed or compressed can be read by anyone.
    const named = (root.params.get('smime-type') ?? '').toLowerCase()
    if (named !== '') return readable.has(named) ? null : 'smime'
    return readCms(decodeTransfer(raw, root.bodyStart, root.bodyEnd, root.encoding))?.type === 'signed' ? null : 'smime'
  }
  const first = textParts[0]
  if (!first) return null
  const { bodyStart, bodyEnd, encoding } = first
  const head = decodeTransfer(raw, bodyStart, Math.min(bodyEnd, bodyStart + 200), encoding).toString('latin1')
  return head.trimStart().startsWith('-----BEGIN PGP MESSAGE-----') ? 'pgp' : null
}

const readable: ReadonlySet<string> = new Set(['signed-data', 'certs-only', 'compressed-data'])
