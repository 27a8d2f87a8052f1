/**
 * A client of Rspamd (HTTP, /checkv2). Haraka's own plugin reads the message from Haraka's stream, which stays empty here
 * because the bytes are kept exactly as they came (plugins/inbound).
 */
import { loadOnce } from '../../core/process/load-once.ts'
import type { Transaction } from '../haraka.d.ts'

type Filter = { readonly url: string; readonly timeoutMs: number }

/** The HTTP client is large, and needed here only if the service uses Rspamd. */
const loadClient = loadOnce(() => import('undici'))

/** Returns Rspamd's score of a message; null if Rspamd skipped it; an error if there is no usable answer. Never rejects. */
export async function spamScore(
  raw: Buffer,
  { url, timeoutMs }: Filter,
  { transaction, address, helo }: { transaction: Transaction; address: string; helo: string },
): Promise<number | null | Error> {
  try {
    const { request } = await loadClient()
    const { statusCode, body } = await request(`${url.replace(/\/+$/, '')}/checkv2`, {
      method: 'POST',
      body: raw,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ip: address,
        helo: word(helo),
        from: word(transaction.mail_from.address),
        rcpt: transaction.rcpt_to.map((recipient) => word(recipient.address)),
        'queue-id': transaction.uuid,
      },
    })
    if (statusCode !== 200) {
      await body.dump()
      return new Error(`Rspamd answers ${statusCode}.`)
    }
    const { score, is_skipped: isSkipped } = (await body.json()) as { score?: unknown; is_skipped?: unknown }
    if (isSkipped === true) return null
    return typeof score === 'number' && Number.isFinite(score) ? score : new Error('Rspamd gives no score.')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Replaces the characters of a text that an HTTP header may not contain. */
const word = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')
