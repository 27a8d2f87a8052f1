/**
 * Answers that are the same for everybody: made when first requested, kept while they are in use, with an entity tag, and compressed
 * once.
 */
import { createHash } from 'node:crypto'
import type { Context } from '../../core/process/context.ts'
import { createKept } from '../../core/process/kept.ts'
import { type Coding, codingFor, encoded } from '../compression.ts'
import type { Exchange } from '../routes.ts'

export type Answer = {
  /** The key under which the answer is kept. */
  readonly key: string
  readonly type: string
  make(): Promise<string | Buffer>
  /** The Cache-Control header. Default: clients may keep it, but have to ask each time whether it changed. */
  readonly lasts?: string
}

type Made = { readonly content: Buffer; readonly tag: string; readonly codings: Map<Coding, Promise<Buffer>> }

/** More than the number of pages and files, each as HTML and as Markdown. */
const answersMax = 300
/** An answer that nobody used for this long is dropped when the next one is made. */
const idleMs = 3_600_000
const tagChars = 22

/** Returns the function that answers a request. Fails as `make` does; a failure is not kept. */
export function createAnswers({ machineClock }: Context): (exchange: Exchange, answer: Answer) => Promise<void> {
  const kept = createKept<Promise<Made>>(machineClock, { max: answersMax, ttlMs: idleMs, renewOnUse: true })
  const madeOf = ({ key, make }: Answer) => {
    const there = kept.get(key)
    if (there !== undefined) return there
    const making = make().then((made) => {
      const content = Buffer.from(made)
      const tag = createHash('sha256').update(content).digest('base64url').slice(0, tagChars)
      return { content, tag, codings: new Map() }
    })
    kept.set(key, making)
    making.catch(() => kept.delete(key))
    return making
  }
  return async (exchange, answer) => {
    const { content, tag, codings } = await madeOf(answer)
    exchange.status = 200
    exchange.set('Cache-Control', answer.lasts ?? 'public, no-cache')
    exchange.type = `${answer.type}; charset=utf-8`
    const coding = codingFor(exchange, content)
    // Weak, because one tag stands for several codings of the same content (RFC 9110 8.8.3.3).
    exchange.set('ETag', `W/"${tag}"`)
    if (exchange.fresh) {
      exchange.remove('Content-Encoding')
      exchange.status = 304
      return
    }
    if (coding === null) {
      exchange.body = content
      return
    }
    const coded = codings.get(coding) ?? encoded(content, coding)
    codings.set(coding, coded)
    exchange.body = await coded
  }
}
