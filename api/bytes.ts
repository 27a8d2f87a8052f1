import { createHash } from 'node:crypto'
import type { Context as KoaContext } from 'koa'
import type { Bytes } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { sendInPieces } from './body.ts'
import type { UnderWay } from './under-way.ts'

/**
 * Answers with bytes, whole or the one range that was asked for (RFC 9110 14.2). What strangers sent is never shown in
 * place: it is downloaded, its type is not guessed, and it may run nothing. Fails with `RangeRefusal`, `unavailable`.
 */
export function sendBytes(koa: KoaContext, { content, contentType, name, version }: Bytes, underWay: UnderWay): void {
  const tag = `"${createHash('sha256').update(version).digest('base64url').slice(0, tagChars)}"`
  koa.set('ETag', tag)
  koa.set('Accept-Ranges', 'bytes')
  koa.set('Content-Security-Policy', "default-src 'none'; sandbox")
  koa.set('Content-Type', safeType(contentType))
  if (name !== null) koa.set('Content-Disposition', contentDisposition(name))
  if (isNamed(koa.get('if-none-match'), tag)) {
    koa.status = 304
    return
  }
  // Ranges are of GET alone (RFC 9110 14.2), and of the bytes that the caller knows (13.1.5).
  const mayBeRange = koa.method === 'GET' && ['', tag].includes(koa.get('if-range'))
  const range = mayBeRange ? readRange(koa.get('range'), content.length) : null
  if (range === 'unsatisfiable') {
    koa.set('Content-Range', `bytes */${content.length}`)
    throw new RangeRefusal()
  }
  // A copy, since a part would keep the whole in memory.
  sendInPieces(koa, range === null ? content : Buffer.from(content.subarray(range.first, range.last + 1)), underWay)
  koa.status = range === null ? 200 : 206
  if (range !== null) koa.set('Content-Range', `bytes ${range.first}-${range.last}/${content.length}`)
}

const tagChars = 22

/** Whether a list of entity tags has this one (RFC 9110 13.1.2: compared weakly). */
function isNamed(list: string, tag: string): boolean {
  return list.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
}

/** No byte of the range exists: an `invalid_request` whose status is 416. */
export class RangeRefusal extends Failure {
  readonly status = 416

  constructor() {
    super('invalid_request', 'The range lies outside the content.')
  }
}

type Range = { readonly first: number; readonly last: number }

/** Null: send it whole, also for several ranges and for units and forms that are not understood. */
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

/** The type as declared if it is well-formed, without what a browser could be led by. */
function safeType(contentType: string): string {
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(contentType) ? contentType.toLowerCase() : 'application/octet-stream'
}

/** Longest file name that is given to a client; many file systems end at 255 bytes. */
const nameBytesMax = 200

/** RFC 6266 with RFC 8187: an ASCII name for old clients and the real one beside it. */
export function contentDisposition(name: string): string {
  const safe = safeName(name)
  const ascii = safe.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"${ascii === safe ? '' : `; filename*=UTF-8''${encoded}`}`
}

/** A name without path, control and direction characters, which does not start with a dot and is not too long. */
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

/** Cuts the middle so that the extension stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= nameBytesMax) return name
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  let stem = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(stem) > nameBytesMax - extension.length) stem = stem.slice(0, -1)
  return stem.toWellFormed() + extension
}
