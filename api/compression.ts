/**
 * Compresses answers. Only those in which nothing comes from strangers: who sees how long an answer is and can put words of theirs
 * into it, as everybody can who sends a mail, guesses the other words in it by the length (the BREACH attack).
 */
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { Context as KoaContext } from 'koa'

/** A shorter answer hardly gets shorter. */
const shortBytes = 2_000
/** Of Brotli's eleven; the best takes many times as long for little. */
const quality = { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } }
const codings = {
  br: (content: Buffer) => promisify(brotliCompress)(content, quality),
  gzip: (content: Buffer) => promisify(gzip)(content),
} as const

export type Coding = keyof typeof codings

/** The content in the best coding that the client accepts (RFC 9110 12.5.3), which the headers of the answer then name. */
export async function inCoding(koa: KoaContext, content: Buffer): Promise<Buffer> {
  const coding = codingFor(koa, content)
  return coding === null ? content : encoded(content, coding)
}

/** The coding in which the content is to be sent, which the headers of the answer then name; null for none. */
export function codingFor(koa: KoaContext, content: Buffer): Coding | null {
  koa.vary('Accept-Encoding')
  const coding = content.length < shortBytes ? 'identity' : koa.acceptsEncodings(['br', 'gzip', 'identity'])
  if (coding !== 'br' && coding !== 'gzip') return null
  koa.set('Content-Encoding', coding)
  return coding
}

export const encoded = (content: Buffer, coding: Coding): Promise<Buffer> => codings[coding](content)
