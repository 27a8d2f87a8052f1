/**
 * Finds out who a message is really from, and whether it is spam or contains a virus, when it is complete and before it is stored.
 * The verdict is kept with the message (`notes.verdict`).
 */
import { withRequest } from '../../core/process/context.ts'
import { beginJudging, judge, type Refusal, type Sender } from '../../core/receive/sender-verdict.ts'
import type { Connection, Plugin, Transaction } from '../haraka.d.ts'
import { hook, pass, type Reply, refuse } from '../hook.ts'
import { context, settings } from '../process.ts'
import { findVirus } from './clamav.ts'
import { spamScore } from './rspamd.ts'

const replies = {
  policy: {
    code: 550,
    enhanced: '5.7.1',
    text: "Refused by the DMARC policy of the author's domain: the mail is not authenticated",
  },
  undecided: {
    code: 451,
    enhanced: '4.4.3',
    text: 'The DNS did not answer, so the sender is unknown; try again later',
  },
  forged: { code: 550, enhanced: '5.7.1', text: 'Too many Authentication-Results in the name of this server' },
} as const satisfies { readonly [refusal in Refusal]: Reply }
const infected: Reply = { code: 550, enhanced: '5.7.1', text: 'The message carries a virus' }
const unscanned: Reply = { code: 451, enhanced: '4.3.0', text: 'The message could not be scanned, try again later' }

/** Senders looked up at the same time before their messages arrive; the others are looked up when the message is complete. */
const begunMax = 50
let begun = 0

export function register(this: Plugin): void {
  this.register_hook('rcpt_ok', 'begin')
  this.register_hook('data_post', 'verify')
}

/**
 * rcpt_ok: once the first recipient is accepted, the DNS is queried about the sender, so that it answers while DATA arrives. For a
 * client that then sends no message, this is not done again.
 */
export const begin = hook(async (connection: Connection) => {
  const { transaction, notes } = connection
  if (transaction === null || transaction.notes.begun !== undefined) return undefined
  if (notes.login !== undefined || notes.sendsNothing === true || begun >= begunMax) return undefined
  notes.sendsNothing = true
  begun += 1
  const asked = beginJudging(await context(), senderOf(connection, transaction)).finally(() => {
    begun -= 1
  })
  // A failure is reported to the code that awaits the result.
  asked.catch(() => undefined)
  transaction.notes.begun = asked
  return undefined
})

function senderOf({ remote, hello }: Connection, { mail_from }: Transaction): Sender {
  return { reversePath: mail_from.address, client: remote.ip, helo: hello.host ?? '' }
}

/** data_post: between the two hooks of plugins/inbound, of which the first completes the message and the second stores it. */
export const verify = hook(async (connection: Connection) => {
  const { transaction, remote, hello, notes } = connection
  const raw = transaction?.notes.message?.raw
  if (transaction === null || raw === undefined) return pass
  notes.sendsNothing = false
  const ctx = withRequest(await context(), transaction.uuid)
  const judged = await judge(ctx, { raw, ...senderOf(connection, transaction), begun: transaction.notes.begun })
  if ('refusal' in judged) return refuse(replies[judged.refusal])
  const { verdict } = judged
  const { rspamd, clamav } = settings()
  const [virus, score] = await Promise.all([
    clamav.address === null ? 'clean' : findVirus(raw, { ...clamav, address: clamav.address }),
    rspamd.url === null
      ? null
      : spamScore(raw, { ...rspamd, url: rspamd.url }, { transaction, address: remote.ip, helo: hello.host ?? '' }),
  ])
  if (virus === 'infected') return refuse(infected)
  if (virus instanceof Error) {
    ctx.log.error({ err: virus }, 'ClamAV does not answer')
    return refuse(unscanned)
  }
  // Unlike a virus scanner, a spam filter that does not answer stops no mail.
  if (score instanceof Error) ctx.log.warn({ err: score }, 'Rspamd does not answer')
  const isSpam = typeof score === 'number' && score >= rspamd.spamScore
  transaction.notes.verdict = { ...verdict, suspicion: verdict.suspicion ?? (isSpam ? 'filter' : null) }
  return pass
})
