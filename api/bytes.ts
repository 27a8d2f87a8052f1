import { createHash } from 'node:crypto'
import type { Context as KoaContext } from 'koa'
import type { InFlight } from '../core/process/in-flight.ts'
import type { Bytes, StoredFile } from '../operations/registry.ts'
import { sendAsRead, sendInPieces } from './body.ts'
import { HttpRefusal } from './refusals.ts'

/**
 * Sends bytes: all of them, or the one range that was requested (RFC 9110 14.2). Strangers wrote this content, so browsers are told
 * to download it, not to guess its type, and to run nothing in it. Fails with an `HttpRefusal` (416) or `unavailable`.
 */
export function sendBytes(
  koa: KoaContext,
  { content, contentType, name, version, policy }: Bytes | StoredFile,
  inFlight: InFlight,
): void {
  const length = Buffer.isBuffer(content) ? content.length : content.sizeBytes
  const tag = `"${createHash('sha256').update(version).digest('base64url').slice(0, tagChars)}"`
  koa.set('ETag', tag)
  koa.set('Accept-Ranges', 'bytes')
  koa.set('Content-Security-Policy', policy ?? "default-src 'none'; sandbox")
  if (policy !== undefined) koa.set('X-Frame-Options', 'SAMEORIGIN')
  koa.set('Content-Type', safeType(contentType))
  if (name !== null) koa.set('Content-Disposition', contentDisposition(name))
  if (isNamed(koa.get('if-none-match'), tag)) {
    koa.status = 304
    return
  }
  // Range is for GET alone (RFC 9110 14.2); with If-Range, only for a caller who already has a part of these bytes (13.1.5).
  const mayBeRange = koa.method === 'GET' && ['', tag].includes(koa.get('if-range'))
  const range = mayBeRange ? readRange(koa.get('range'), length) : null
  if (range === 'unsatisfiable') {
    koa.set('Content-Range', `bytes */${length}`)
    throw new HttpRefusal(416, 'The range lies outside the content.', 'Ask for a range within the content.')
  }
  if (!Buffer.isBuffer(content)) sendAsRead(koa, content, range ?? { first: 0, last: length - 1 }, inFlight)
  // Copied, because a slice of the content would keep all of it in memory.
  else
    sendInPieces(koa, range === null ? content : Buffer.from(content.subarray(range.first, range.last + 1)), inFlight)
  koa.status = range === null ? 200 : 206
  if (range !== null) koa.set('Content-Range', `bytes ${range.first}-${range.last}/${length}`)
}

const tagChars = 22

/** Whether the list of entity tags in If-None-Match contains this one, by weak comparison (RFC 9110 13.1.2). */
function isNamed(list: string, tag: string): boolean {
  return list.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
}

type Range = { readonly first: number; readonly last: number }

/**
 * Returns null if everything is to be sent: without a range, for several ranges, and for an unknown form or unit.
 */
function readRange(header: string, length: number): Range | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.trim())
  if (match === null) return null
  const [, from = '', to = ''] = match
  if (from === '' && to === '') return null
  if (from === '') {
    const suffix = Number(to)
    return suffix === 0 || length === 0 ? 'unsatisfiable' : { first: Math.max(0, length - suffix), last: length - 1 }
  }
  const first = Number(from)
  if (to !== '' && Number(to) < first) return null
  return first >= length ? 'unsatisfiable' : { first, last: to === '' ? length - 1 : Math.min(Number(to), length - 1) }
}

/** The declared media type if it is well-formed, without parameters; else `application/octet-stream`. */
function safeType(contentType: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(contentType) ? contentType.toLowerCase() : 'application/octet-stream'
}

/** Longest file name in a response; many file systems allow 255 bytes. */
const nameBytesMax = 200

/** RFC 6266 with RFC 8187: an ASCII name for old clients, and the real name if it differs. */
export function contentDisposition(name: string): string {
  const safe = safeName(name)
  const ascii = safe.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"${ascii === safe ? '' : `; filename*=UTF-8''${encoded}`}`
}

/** The last segment of a path, without control and direction characters and leading dots, at most `nameBytesMax` long. */
function safeName(name: string): string {
  const base = name.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const clean = base
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^\.+/, '')
    .replace(/[. ]+$/, '')
  return shortened(clean) || 'attachment'
}

/** Cuts the end of the stem, so that the extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= nameBytesMax) return name
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  let stem = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(stem) > nameBytesMax - extension.length) stem = stem.slice(0, -1)
  return stem.toWellFormed() + extension
}
