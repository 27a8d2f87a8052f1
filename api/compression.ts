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

/** The content in the best coding that the client accepts (RFC 9110 12.5.3), which the headers of the answer then name. */
export async function inCoding(koa: KoaContext, content: Buffer): Promise<Buffer> {
  koa.vary('Accept-Encoding')
  const coding = content.length < shortBytes ? 'identity' : koa.acceptsEncodings(['br', 'gzip', 'identity'])
  if (coding !== 'br' && coding !== 'gzip') return content
  koa.set('Content-Encoding', coding)
  return codings[coding](content)
}
