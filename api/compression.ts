/**
 * Compresses answers that contain nothing from strangers. Somebody who sees the length of a compressed answer and can put text into
 * it, as everybody can who sends a mail, could guess the rest of it by its length (the BREACH attack).
 */
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { Context as KoaContext } from 'koa'

/** Shorter answers hardly shrink. */
const shortBytes = 2_000
/** Of Brotli's eleven levels; the best one takes many times as long for little gain. */
const quality = { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } }
const codings = {
  br: (content: Buffer) => promisify(brotliCompress)(content, quality),
  gzip: (content: Buffer) => promisify(gzip)(content),
} as const

export type Coding = keyof typeof codings

/** The content in the best coding that the client accepts (RFC 9110 12.5.3); sets the headers of the answer to match. */
export async function inCoding(koa: KoaContext, content: Buffer): Promise<Buffer> {
  const coding = codingFor(koa, content)
  return coding === null ? content : encoded(content, coding)
}

/** The coding for the content, null for none; sets the headers of the answer to match. */
export function codingFor(koa: KoaContext, content: Buffer): Coding | null {
  koa.vary('Accept-Encoding')
  const coding = content.length < shortBytes ? 'identity' : koa.acceptsEncodings(['br', 'gzip', 'identity'])
  if (coding !== 'br' && coding !== 'gzip') return null
  koa.set('Content-Encoding', coding)
  return coding
}

export const encoded = (content: Buffer, coding: Coding): Promise<Buffer> => codings[coding](content)
