/**
 * Receives a message: takes the exact bytes of DATA, then stores them. The reply 250 is sent only after `receive` has resolved,
 * that is, when the message is durable.
 */
import { withRequest } from '../../core/process/context.ts'
import { receive } from '../../core/receive/receive.ts'
import type { Peer } from '../../core/receive/trace-headers.ts'
import type { Connection, Plugin, Transaction } from '../haraka.d.ts'
import { accept, hook, pass, type Reply, refuse } from '../hook.ts'
import { causedBy, context, metrics, settings, tracing } from '../process.ts'
import { ByteBudget, Collector, loop, noRoom, tooLarge } from './collector.ts'
import { takeLines } from './data-lines.ts'

const lineTooLong: Reply = { code: 554, enhanced: '5.6.0', text: 'A line of the message is too long' }

/** A client that sends this many times the largest message size is not sending mail, so its session is ended. */
const endlessFactor = 2

/** How much of one message is read before other sessions get their turn. */
const turnBytes = 256 * 1024

/** A collector; `counted` is called with the number of bytes that it took. */
type Collecting = { readonly collector: Collector; readonly counted: (bytes: number) => void }

/** The collectors of transactions, from DATA until the message is stored or refused. */
const collecting = new WeakMap<Transaction, Collecting>()
let budget: ByteBudget

export function register(this: Plugin): void {
  budget = new ByteBudget(settings().limits.smtp.dataBytesInFlight)
  const { lineBytes } = settings().limits.smtp
  takeLines(this, (transaction, bytes) => {
    const { collector, counted } = collecting.get(transaction) ?? {}
    const taken = collector?.addLines(bytes, lineBytes) ?? 0
    counted?.(taken)
    return taken
  })
  this.register_hook('data', 'collect')
  // The first and the last hook of data_post. Between them run those that look at the whole message and may refuse it.
  this.register_hook('data_post', 'handOver', -50)
  this.register_hook('data_post', 'store', 50)
  this.register_hook('queue', 'acknowledge')
  this.register_hook('reset_transaction', 'release')
}

/**
 * data: keeps the message in a collector of ours. Haraka would parse the message and write it again, which changes bytes (8-bit
 * headers, long header lines, a missing blank line).
 */
export const collect = hook((connection: Connection) => {
  const { transaction } = connection
  if (transaction === null) return pass
  if (!budget.hasRoom(1)) return refuse(noRoom)
  transaction.notes.span = tracing().open('SMTP transaction', { kind: 'server' })
  const { smtp } = settings().limits
  const collector = new Collector(smtp, budget)
  transaction.discard_data = true
  transaction.message_stream.destroy = () => undefined // it holds nothing, and destroying it would delete a file that does not exist
  const paced = pacerOf(connection)
  const counted = (bytes: number) => {
    paced(bytes)
    if (collector.sizeBytes <= smtp.messageBytes * endlessFactor) return
    connection.respond(tooLarge.code, `${tooLarge.enhanced} ${tooLarge.text}`, () => connection.disconnect())
  }
  collecting.set(transaction, { collector, counted })
  transaction.add_data = (line) => {
    collector.add(line)
    counted(line.length)
  }
  return undefined
})

/** data_post, first: the message is complete. Refuses it if it exceeds a limit, or loops for all its recipients. */
export const handOver = hook(async ({ transaction }: Connection) => {
  const collector = transaction === null ? undefined : collecting.get(transaction)?.collector
  if (transaction === null || collector === undefined) return pass
  if (transaction.notes.data_line_length_exceeded === true) return refuse(lineTooLong)
  const collected = await collector.finish()
  if ('refusal' in collected) return refuse(collected.refusal)
  // The client may have hung up in the meantime.
  if (!collecting.has(transaction)) return pass
  const { recipients = [] } = transaction.notes
  // A message that was delivered to an address before is in a loop there, so that recipient does not get it again.
  const others = recipients.filter(({ address }) => !collected.deliveredTo.has(address))
  if (recipients.length > 0 && others.length === 0) return refuse(loop)
  if (others.length < recipients.length) transaction.notes.recipients = others
  transaction.notes.message = collected
  return pass
})

/** data_post, last: stores a message that no hook refused. In the `queue` hook, Haraka could only reply 550, 450 and 451. */
export const store = hook(async (connection: Connection) => {
  const { transaction } = connection
  const message = transaction?.notes.message
  if (transaction === null || message === undefined) return pass
  const { recipients = [], verdict } = transaction.notes
  try {
    const ctx = withRequest(await context(), transaction.uuid)
    const { messageIds } = await ctx.tracing.span('receive', causedBy(transaction), () =>
      receive(ctx, {
        raw: message.raw,
        reversePath: transaction.mail_from.address,
        recipients,
        peer: peerOf(connection, transaction),
        transactionId: transaction.uuid,
        verdict,
      }),
    )
    transaction.notes.accepted = `2.6.0 ${messageIds[0] ?? 'report'} accepted`
    return pass
  } finally {
    letGo(transaction)
  }
})

/** queue: accepts what data_post has stored. */
export const acknowledge = hook(({ transaction }: Connection) => {
  const { accepted, submitsTo } = transaction?.notes ?? {}
  if (accepted === undefined) return pass
  metrics().count('mailroom_mail_accepted_total', { door: submitsTo === undefined ? 'inbound' : 'submission' })
  return accept(accepted)
})

/** reset_transaction: frees the collector, even if the client hung up during DATA. */
export const release = hook(({ transaction }: Connection) => {
  if (transaction !== null) letGo(transaction)
  transaction?.notes.span?.end({ 'smtp.accepted': transaction.notes.accepted === undefined ? 0 : 1 })
  return pass
})

/**
 * Lets other sessions run after each part of a message; otherwise megabytes from a fast client would be read in a single turn of the
 * event loop. Returns a function to be called with the number of bytes that were taken.
 */
function pacerOf({ client }: Connection): (bytes: number) => void {
  let left = turnBytes
  return (bytes) => {
    left -= bytes
    if (left > 0) return
    left = turnBytes
    client.pause()
    setImmediate(() => client.resume())
  }
}

function letGo(transaction: Transaction): void {
  collecting.get(transaction)?.collector.release()
  collecting.delete(transaction)
  transaction.notes.message = undefined
}

/** Returns the client as our Received field describes it; the protocol is one of RFC 3848 and RFC 6531 4.3. */
function peerOf({ remote, hello, tls }: Connection, { notes }: Transaction): Peer {
  const utf8 = notes.parameters !== undefined && 'SMTPUTF8' in notes.parameters
  const protocol = utf8 ? 'UTF8SMTP' : hello.verb === 'EHLO' ? 'ESMTP' : 'SMTP'
  const { version, name } = tls.cipher ?? {}
  return {
    address: remote.ip,
    helo: hello.host ?? '',
    protocol: tls.enabled ? `${protocol}S` : protocol,
    cipher: tls.enabled && name !== undefined ? `${version}/${name}` : null,
  }
}
