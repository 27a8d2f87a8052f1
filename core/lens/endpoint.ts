/**
 * Asks an OpenAI-compatible endpoint, which the operator names in the settings. Its key is sent there, and appears in no log,
 * error or answer. One time limit covers everything from the first byte sent to the last one read; the size of the answer is
 * limited too, and redirects are not followed.
 */
import type { Pool } from 'undici'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { perProcess } from '../process/per-process.ts'

/** Stops endless answers: the values of fifty fields with their quotations are far shorter. */
export const answerBytesMax = 256 * 1024
const headerBytesMax = 16 * 1024
/** Most concurrent questions of a process; the others wait their turn, and the wait counts towards their time limit. */
const connectionsMax = 8
const idleMs = 4 * secondMs

/** The HTTP client is large, and most installations ask no model: it is loaded on first use. */
const loadClient = loadOnce(() => import('undici'))

/** Why there is no answer, in words for the log. */
export class NoAnswer extends Error {}

/** Posts a question to `/chat/completions`. Returns the body of the answer; rejects with `NoAnswer`. */
export async function askEndpoint(ctx: Context, question: object): Promise<string> {
  const { url, key, timeoutMs } = ctx.settings.lens
  if (url === null) throw new NoAnswer('no endpoint is set')
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { pathname, search } = new URL(url)
    const pool = await poolOf(ctx)()
    const answer = await pool.request({
      method: 'POST',
      path: `${pathname.replace(/\/+$/, '')}/chat/completions${search}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'Mailroom-Lens/1',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(question),
      signal,
    })
    const body = await readWhole(answer.body)
    if (answer.statusCode !== 200) throw new NoAnswer(`the endpoint answered ${answer.statusCode}`)
    return body
  } catch (error) {
    if (error instanceof NoAnswer) throw error
    if (signal.aborted) throw new NoAnswer(`the endpoint did not answer within ${timeoutMs} ms`)
    // The message of an error may repeat what was sent.
    throw new NoAnswer(`the connection to the endpoint failed (${codeOf(error)})`)
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error ? String(error.code) : error.name
}

/** The connections to the endpoint of the settings. */
const poolOf = perProcess(({ settings: { lens } }) =>
  loadOnce(async (): Promise<Pool> => {
    const { Pool } = await loadClient()
    return new Pool(new URL(lens.url ?? '').origin, {
      connections: connectionsMax,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headerBytesMax,
      connect: { timeout: lens.timeoutMs },
    })
  }),
)

/** Reads a whole body, up to `answerBytesMax`. Leaving the loop early ends the connection. */
async function readWhole(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    parts.push(part)
    length += part.length
    if (length > answerBytesMax) throw new NoAnswer(`the endpoint answered with more than ${answerBytesMax} bytes`)
  }
  return Buffer.concat(parts).toString('utf8')
}
