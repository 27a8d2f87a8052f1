/** The limits of sessions and envelopes (settings `limits.smtp`), each checked at the first command that shows it. */
import type { Address } from '@haraka/email-address'
import { ConnectionCounter } from '../../core/access/connections.ts'
import type { Connection, MailParameters, Plugin } from '../haraka.d.ts'
import { hook, type Reply, refuse } from '../hook.ts'
import { settings } from '../process.ts'
import { FreeDisk } from './disk.ts'
import { watchPace } from './pace.ts'

const replies = {
  connections: { code: 421, enhanced: '4.7.0', text: 'Too many connections, try again later' },
  sizeSyntax: { code: 501, enhanced: '5.5.4', text: 'SIZE is not a number' },
  parameter: { code: 555, enhanced: '5.5.4', text: 'A parameter is not supported, or has a value that it cannot have' },
  size: { code: 552, enhanced: '5.3.4', text: 'Message too large' },
  disk: { code: 452, enhanced: '4.3.1', text: 'Not enough room, try again later' },
  recipients: { code: 452, enhanced: '4.5.3', text: 'Too many recipients, send the rest in another transaction' },
} as const satisfies { readonly [name: string]: Reply }

/** The parameters of MAIL that the offered extensions allow (RFC 1870, 4954, 6152, 6531). None of them allows a parameter of RCPT. */
const mailParameters: ReadonlySet<string> = new Set(['SIZE', 'AUTH', 'BODY', 'SMTPUTF8'])
const bodies: ReadonlySet<string> = new Set(['7BIT', '8BITMIME'])

let counter: ConnectionCounter
let disk: FreeDisk

export function register(this: Plugin): void {
  counter = new ConnectionCounter(settings().limits.smtp)
  disk = new FreeDisk(settings().data)
  this.register_hook('connect', 'limitConnections')
  this.register_hook('disconnect', 'releaseConnection')
  this.register_hook('capabilities', 'advertiseSize')
  this.register_hook('mail', 'limitMail')
  this.register_hook('rcpt', 'limitRecipients')
}

export const limitConnections = hook((connection: Connection) => {
  if (!counter.enter(connection, connection.remote.ip)) return refuse(replies.connections, { disconnect: true })
  watchPace(connection)
  return undefined
})

export const releaseConnection = hook((connection: Connection) => {
  counter.leave(connection)
  return undefined
})

/** capabilities: offers our size limit (RFC 1870). Haraka has no limit of its own here, since it would refuse with 550. */
export const advertiseSize = hook((connection: Connection) => {
  const { capabilities } = connection
  const size = capabilities?.indexOf('SIZE 0') ?? -1
  if (capabilities !== null && size >= 0) capabilities[size] = `SIZE ${settings().limits.smtp.messageBytes}`
  return undefined
})

/**
 * mail: checks its parameters, the declared size (RFC 1870 6.1), and whether the disk has room for any mail at all. An unknown
 * parameter is refused, since the sender relies on what it asks for (RFC 5321 4.1.1.11).
 */
export const limitMail = hook(async ({ transaction }: Connection, [, parameters]: [Address, MailParameters]) => {
  const { messageBytes, freeDiskBytes } = settings().limits.smtp
  const { SIZE: size, BODY: body = '7BIT', SMTPUTF8: utf8 = null } = parameters
  const isKnown = Object.keys(parameters).every((name) => mailParameters.has(name))
  if (!isKnown || !bodies.has(body?.toUpperCase() ?? '') || utf8 !== null) return refuse(replies.parameter)
  if (size !== undefined && !/^\d{1,20}$/.test(size ?? '')) return refuse(replies.sizeSyntax)
  if (Number(size ?? 0) > messageBytes) return refuse(replies.size)
  if (transaction !== null) transaction.notes.parameters = parameters
  return (await disk.bytes()) < freeDiskBytes ? refuse(replies.disk) : undefined
})

/** rcpt: allows no parameters. The list of recipients already contains the one being checked. */
export const limitRecipients = hook(({ transaction }: Connection, [, parameters]: [Address, MailParameters]) => {
  if (Object.keys(parameters).length > 0) return refuse(replies.parameter)
  const recipients = transaction?.rcpt_to.length ?? 0
  return recipients > settings().limits.smtp.recipients ? refuse(replies.recipients) : undefined
})
