import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { cleanLine, decodeWords, firstOfLine } from '../encoding/header-words.ts'
import { showInvisible } from '../encoding/invisible-characters.ts'
import { limits } from '../limits.ts'

/**
 * A display name with an address: the "mailbox" of RFC 5322 3.4 (elsewhere in this code a mailbox stores mail). `name` is ''
 * when none was given; `address` is canonical (`normaliseAddress`) where it is valid.
 */
export type NamedAddress = { readonly name: string; readonly address: string }

/**
 * Canonical form of an address: local part NFC and lower-case, unquoted where that is possible, domain as lower-case
 * A-labels (RFC 5321 4.1.2, RFC 6531). Returns null when `text` is not an address or passes 64 / 255 octets.
 */
export function normaliseAddress(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed.length <= plainCharsMax && plain.test(trimmed) && !aLabel.test(trimmed)) return trimmed.toLowerCase()
  if (trimmed.length > addressCharsMax) return null
  const at = trimmed.lastIndexOf('@')
  if (at < 1) return null
  const local = canonicalLocal(trimmed.slice(0, at))
  const domain = canonicalDomain(trimmed.slice(at + 1))
  return local === null || domain === null ? null : `${local}@${domain}`
}

/** Cuts an address at its last `@`; the domain is '' when there is none. */
export function splitAddress(address: string): { readonly local: string; readonly domain: string } {
  const at = address.lastIndexOf('@')
  return at < 0 ? { local: address, domain: '' } : { local: address.slice(0, at), domain: address.slice(at + 1) }
}

/** Cuts the plus tag off: `user+tag@d` has base `user@d` and tag `tag`; `tag` is null when there is none. */
export function withoutTag(address: string): { readonly base: string; readonly tag: string | null } {
  const { local, domain } = splitAddress(address)
  const plus = local.indexOf('+')
  if (plus < 1 || local.startsWith('"')) return { base: address, tag: null }
  return { base: `${local.slice(0, plus)}@${domain}`, tag: local.slice(plus + 1) }
}

/** Reads `Name <a@b>` or `a@b` as a person types it. Null unless it is exactly one valid address. */
export function parseNamedAddress(text: string): NamedAddress | null {
  const list = readList(text, 2)
  const first = list[0]
  if (list.length !== 1 || !first) return null
  const address = normaliseAddress(first.address)
  return address === null ? null : { name: first.name, address }
}

/**
 * Reads an address header field (RFC 5322 3.4, obsolete forms included): groups are flattened, comments may serve as
 * names, encoded words are decoded. `headerValue` is unfolded but not decoded. Returns at most `addressesMax` mailboxes, each
 * with an `@`. An address that is not valid but can be displayed stays as written, lower-cased. U+FFFD replaces invisible
 * characters. Never throws.
 */
export function parseAddressList(headerValue: string): NamedAddress[] {
  return readList(headerValue, limits.addressesMax).map(({ name, address }) => ({
    name,
    address: showInvisible(normaliseAddress(address) ?? address.toLowerCase()),
  }))
}

/** An address as it is written, with the obsolete route before it (RFC 5322 4.4), if any: `@a,@b`. */
type RoutedAddress = NamedAddress & { readonly route?: string }

/** One item of an address header field: an address as it is written, or the start or end of a group (RFC 5322 3.4). */
export type AddressItem = RoutedAddress | { readonly group: string } | { readonly groupEnd: true }

/** Reads an address header field as `parseAddressList` does, but keeps its groups, and addresses as they are written. */
export const readAddressItems = (headerValue: string): AddressItem[] => readItems(headerValue, limits.addressesMax)

/** The name in an address header field that gives no address with a domain; null when there is none. Never throws. */
export function nameWithoutAddress(headerValue: string): string | null {
  const [, before = '', bracket = ''] = /^([^<]*)(?:<([^<>]*)>?)?/.exec(headerValue) ?? []
  const name =
    displayName(
      before
        .trim()
        .replace(/^"(.*)"$/s, '$1')
        .replace(/\\(.)/g, '$1'),
    ) || displayName(bracket)
  return name === '' ? null : name
}

/** `Name <a@b>` as people write it (not encoded for a header), or the bare address. */
export function formatNamedAddress({ name, address }: NamedAddress): string {
  if (name === '') return address
  return /[()<>[\]:;@\\,."]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : `${name} <${address}>`
}

/** Longer than any valid address (RFC 5321 4.5.3.1), in characters. */
const addressCharsMax = 400

/** The fast path for most addresses: canonical apart from case, and so short that no part of it can be too long. */
const plainCharsMax = 64
const plain =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z]{2,}$/i
/** The start of an A-label, whose encoding may be invalid (RFC 5890 2.3.2.1). */
const aLabel = /[@.]xn--/i

// RFC 5322 3.2.3 atext, and every non-ASCII character (RFC 6531 3.3) except spaces, controls and U+FFFD.
const atom = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\p{ASCII}\p{Z}\p{C}\ufffd])+$/u

function canonicalLocal(text: string): string | null {
  let content = text
  if (text.startsWith('"')) {
    if (text.length < 3 || !text.endsWith('"')) return null
    const inner = text.slice(1, -1)
    if (!/^(?:[^"\\\p{Cc}\p{Cf}\ufffd]|\\[^\p{Cc}\p{Cf}\ufffd])*$/u.test(inner)) return null
    content = inner.replace(/\\(.)/gu, '$1')
  }
  content = content.normalize('NFC').toLowerCase().normalize('NFC')
  const isDotAtom = content.split('.').every((part) => atom.test(part))
  if (!isDotAtom && !text.startsWith('"')) return null
  const local = isDotAtom ? content : `"${content.replace(/["\\]/g, '\\$&')}"`
  return Buffer.byteLength(local) <= 64 ? local : null // RFC 5321 4.5.3.1.1
}

function canonicalDomain(text: string): string | null {
  if (text.startsWith('[')) return addressLiteral(text)
  if (/[^A-Za-z0-9._\-\P{ASCII}]/u.test(text) || text.endsWith('.')) return null
  const domain = domainToASCII(text)
  const labels = domain.split('.')
  if (domain.length > 255 || !labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)))
    return null
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : domain
}

// RFC 5321 4.1.3
function addressLiteral(text: string): string | null {
  if (!text.endsWith(']')) return null
  const inner = text.slice(1, -1).toLowerCase()
  const isValid = inner.startsWith('ipv6:') ? isIP(inner.slice(5)) === 6 : isIP(inner) === 4
  return isValid ? `[${inner}]` : null
}

/**
 * What has been read of one mailbox so far. `raw` keeps quotes, `phrase` has them removed; `beforeAngle` is the length of
 * `phrase` at the `<`.
 */
type Pending = { raw: string; phrase: string; comment: string; angle: string | null; beforeAngle: number }

const groupEnd = { groupEnd: true } as const

const nothingRead = (): Pending => ({ raw: '', phrase: '', comment: '', angle: null, beforeAngle: 0 })

const readList = (text: string, max: number): NamedAddress[] => readItems(text, max).filter((item) => 'address' in item)

function readItems(text: string, max: number): AddressItem[] {
  const found: AddressItem[] = []
  let inGroup = false
  const lasts = { quote: text.lastIndexOf('"'), paren: text.lastIndexOf(')') }
  let pending = nothingRead()
  for (let at = 0; at < text.length && found.length < max; ) {
    const char = text[at]
    const isEnd = char === ',' || char === ';'
    if (!isEnd && char !== ':') {
      // The comma between two bracketed addresses is missing.
      if (char === '<' && pending.angle !== null && bareAddress(pending.angle) !== null) {
        const { phrase, beforeAngle } = pending
        found.push(...finish({ ...pending, phrase: phrase.slice(0, beforeAngle) }))
        pending = { ...nothingRead(), phrase: phrase.slice(beforeAngle) }
        continue
      }
      at = readPiece(text, at, pending, lasts)
      continue
    }
    // The text before a colon is the name of a group.
    found.push(...(isEnd ? finish(pending) : [{ group: displayName(pending.phrase) }]))
    if (inGroup && char !== ',') found.push(groupEnd)
    if (char !== ',') inGroup = char === ':'
    pending = nothingRead()
    at++
  }
  if (found.length < max) found.push(...finish(pending))
  if (inGroup) found.push(groupEnd)
  return found
}

/**
 * Reads a quoted string, a comment, an address in angle brackets, or plain text, and returns the index after it. A quote or
 * parenthesis that never closes counts as an ordinary character: otherwise one stray character would hide the address.
 * `lasts` holds the index of the last `"` and of the last `)`.
 */
function readPiece(text: string, at: number, pending: Pending, lasts: { quote: number; paren: number }): number {
  const char = text[at]
  if (char === '"' && at < lasts.quote) {
    const end = closingQuote(text, at)
    pending.raw += text.slice(at, end)
    pending.phrase += text.slice(at + 1, end - 1).replace(/\\(.)/g, '$1')
    return end
  }
  if (char === '(' && at < lasts.paren) {
    const end = closingParen(text, at)
    pending.comment ||= text.slice(at + 1, end - 1)
    pending.raw += ' '
    return end
  }
  if (char === '<') {
    const end = closingAngle(text, at)
    pending.angle = text.slice(at + 1, end)
    pending.beforeAngle = pending.phrase.length
    return end + 1
  }
  // An encoded word is read as a whole, because some programs leave commas and colons in it.
  const end = encodedWordEnd(text, at) ?? nextSpecial(text, at + 1)
  pending.raw += text.slice(at, end)
  pending.phrase += text.slice(at, end)
  return end
}

/** The mailbox that was read, or nothing when there is no address in it. */
function finish({ raw, phrase, comment, angle }: Pending): readonly RoutedAddress[] {
  if (angle !== null) {
    const address = bareAddress(angle)
    const route = /^\s*(@[^:]*):/.exec(cleanLine(angle))?.[1]
    // RFC 5322 3.4: old programs give the name in a comment.
    const name = displayName(phrase) || displayName(comment)
    return address === null ? [] : [{ name, address, ...(route !== undefined && { route }) }]
  }
  // RFC 822's `a@b (Name)`, or a name and address without brackets.
  const text = cleanLine(raw)
  const quoted = /^\s*("(?:[^"\\]|\\.)*"@\S+)\s*$/.exec(text)?.[1]
  if (quoted) return quoted.length > addressCharsMax ? [] : [{ name: displayName(comment), address: quoted }]
  const words = text.trim().split(/\s+/)
  const index = words.findLastIndex((word) => word.lastIndexOf('@') > 0)
  const address = index < 0 ? null : bareAddress(words[index] as string)
  if (address === null) return []
  return [{ name: displayName(words.toSpliced(index, 1).join(' ') || comment), address }]
}

// Drops an obsolete route (`@a,@b:user@host`, RFC 5322 4.4), comments and white space outside quotes.
function bareAddress(text: string): string | null {
  let address = cleanLine(text).trim()
  if (address.startsWith('@')) address = address.slice(address.indexOf(':') + 1).trim()
  if (!address.startsWith('"')) address = address.replace(/\([^()]*\)|\s+/g, '')
  const at = address.lastIndexOf('@')
  return at > 0 && at < address.length - 1 && address.length <= addressCharsMax ? address : null
}

function displayName(text: string): string {
  const name = firstOfLine(decodeWords(text).replace(/\s+/g, ' ').trim(), limits.nameCharsMax)
  return name.length > 1 && name.startsWith("'") && name.endsWith("'") ? name.slice(1, -1).trim() : name
}

/** Index after the quote that closes the one at `start`, or the end of the text. */
function closingQuote(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
  }
  return text.length
}

function closingParen(text: string, start: number): number {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '(') depth++
    else if (text[i] === ')' && --depth === 0) return i + 1
  }
  return text.length
}

/** Index of the `>` that closes the address opened at `start` (a quoted local part may hold a `>`), or before a new `<`. */
function closingAngle(text: string, start: number): number {
  let i = text[start + 1] === '"' ? closingQuote(text, start + 1) : start + 1
  for (; i < text.length; i++) {
    if (text[i] === '>') return i
    if (text[i] === '<') return i - 1
  }
  return i
}

function encodedWordEnd(text: string, start: number): number | null {
  if (text[start] !== '=' || text[start + 1] !== '?') return null
  const word = /=\?[\w*-]{1,80}\?[bq]\?[^?\s]*\?=/iy
  word.lastIndex = start
  return word.test(text) ? word.lastIndex : null
}

function nextSpecial(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // " ( , : ; < and the start of an encoded word
    if (code === 0x3d && text.charCodeAt(i + 1) === 0x3f) return i
    if (code === 0x22 || code === 0x28 || code === 0x2c || code === 0x3a || code === 0x3b || code === 0x3c) return i
  }
  return text.length
}
