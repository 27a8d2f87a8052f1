/**
 * Submission: mail of people and programs that log in (RFC 6409, RFC 4954), on ports of its own. It is not received but sent,
 * by the rules of every send.
 */
import type { Address } from '@haraka/email-address'
import { watchLogins } from '../../core/access/login-limits.ts'
import { isLoopback } from '../../core/access/network.ts'
import { logIn } from '../../core/account/login.ts'
import { withRequest } from '../../core/process/context.ts'
import { mailboxSender } from '../../core/send/sender.ts'
import { submit } from '../../core/send/submit.ts'
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { Connection, MailParameters, Plugin } from '../haraka.d.ts'
import { accept, hook, pass, type Reply, refuse } from '../hook.ts'
import { causedBy, context, settings } from '../process.ts'
import { type Dialogue, startAuth } from './auth.ts'
import { beginsAuth, readAuthLines } from './auth-lines.ts'
import { askForLogins } from './login-check.ts'

const replies = {
  needsTls: { code: 530, enhanced: '5.7.0', text: 'Say STARTTLS first' },
  needsLogin: { code: 530, enhanced: '5.7.0', text: 'Log in first' },
  loggedIn: { code: 503, enhanced: '5.5.1', text: 'You are logged in already' },
  unknownMechanism: { code: 504, enhanced: '5.5.4', text: 'Only PLAIN and LOGIN are supported' },
  malformed: { code: 501, enhanced: '5.5.2', text: 'The response is not what the mechanism expects' },
  cancelled: { code: 501, enhanced: '5.7.0', text: 'Cancelled' },
  tooMany: { code: 421, enhanced: '4.7.0', text: 'Too many wrong logins' },
  address: {
    code: 501,
    enhanced: '5.1.3',
    text: 'That is not a mail address: write one with its domain, as in postmaster@example.org',
  },
} as const satisfies { readonly [name: string]: Reply }

const wrongLoginsMax = 5
/** Mail programs show the reply to their user. */
const advises = { advises: true } as const
/** Length of a QUIT line, with its end. */
const quitBytes = 6

export function register(this: Plugin): void {
  readAuthLines(this, isOfAuth)
  askForLogins(this, isSubmission)
  this.register_hook('init_master', 'watch')
  this.register_hook('capabilities', 'offerAuth')
  this.register_hook('unrecognized_command', 'authenticate')
  this.register_hook('mail', 'checkSender')
  this.register_hook('rcpt', 'takeRecipient')
  this.register_hook('data_post', 'submitMessage')
}

/** init_master: starts to watch which logins other processes refuse. */
export const watch = hook(async () => {
  watchLogins(await context())
  return undefined
})

/** capabilities: offers AUTH if no password would cross a network unencrypted. */
export const offerAuth = hook((connection: Connection) => {
  if (isSubmission(connection) && isPrivate(connection)) connection.capabilities?.push('AUTH PLAIN LOGIN')
  return undefined
})

/** unrecognized_command: handles AUTH and the responses to its challenges. */
export const authenticate = hook(async (connection: Connection, [command]: [string, string?]) => {
  const { notes } = connection
  if (!isSubmission(connection) || command.toUpperCase() !== 'AUTH') return pass
  const { auth: asks, authLine = '' } = notes
  notes.authLine = undefined
  if (asks === undefined && notes.login !== undefined) return say(connection, replies.loggedIn)
  if (!isPrivate(connection)) return say(connection, replies.needsTls)
  const step: Dialogue = asks === undefined ? startAuth(authLine.slice('AUTH '.length)) : asks.answer(authLine)
  notes.auth = undefined
  if ('refused' in step) return say(connection, replies[step.refused])
  if ('question' in step) {
    notes.auth = step
    connection.respond(334, step.question)
    return accept()
  }
  try {
    const { user, password } = step
    notes.login = await logIn(await context(), {
      user,
      password,
      scope: 'mail:send',
      peerAddress: connection.remote.ip,
    })
    return say(connection, { code: 235, enhanced: '2.7.0', text: 'Welcome' })
  } catch (error) {
    notes.wrongLogins = (notes.wrongLogins ?? 0) + 1
    if (error instanceof Failure && error.code === 'rate_limited')
      return refuse({ ...replies.tooMany, text: error.message }, { disconnect: true })
    if (notes.wrongLogins >= wrongLoginsMax) return refuse(replies.tooMany, { disconnect: true })
    throw error
  }
}, advises)

/** mail: accepts mail only after a login, and only from the mailbox that logged in. */
export const checkSender = hook(async (connection: Connection, [address]: [Address, MailParameters]) => {
  if (!isSubmission(connection)) return pass
  const { login } = connection.notes
  if (login === undefined) return refuse(isPrivate(connection) ? replies.needsLogin : replies.needsTls)
  // Checks the login again: the key or the account may have ended since.
  connection.notes.login = await login.again()
  // Mail programs send reports, such as read receipts, with the null sender.
  if (address.address !== '') await mailboxSender(await context(), login.mailbox, { from: address.address })
  return pass
}, advises)

/** rcpt: runs before plugins/recipient, which accepts only local recipients. */
export const takeRecipient = hook((connection: Connection, [address]: [Address, unknown]) => {
  const { transaction, notes } = connection
  if (!isSubmission(connection) || transaction === null || notes.login === undefined) return pass
  const canonical = normaliseAddress(address.address)
  if (canonical === null) return refuse(replies.address)
  transaction.notes.submitsTo ??= []
  transaction.notes.submitsTo.push(canonical)
  return accept(`2.1.5 ${canonical} ok`)
})

/** data_post: runs after plugins/inbound has completed the message, and sends it instead of storing it. */
export const submitMessage = hook(async ({ transaction, notes, remote }: Connection) => {
  const { message, submitsTo } = transaction?.notes ?? {}
  if (transaction === null || message === undefined || submitsTo === undefined || notes.login === undefined) return pass
  const ctx = withRequest(await context(), transaction.uuid)
  const { login } = notes
  const { id, isWaiting } = await ctx.tracing.span('submit', causedBy(transaction), () =>
    submit(ctx, login, {
      raw: message.raw,
      reversePath: transaction.mail_from.address,
      recipients: [...new Set(submitsTo)],
      peerAddress: remote.ip,
    }),
  )
  transaction.notes.message = undefined
  transaction.notes.accepted = `2.6.0 ${id} ${isWaiting ? 'waits for the approval of a person' : 'accepted'}`
  return pass
}, advises)

/** Whether the connection came to a submission port. A PROXY line names the port of the balancer, which may differ. */
function isSubmission({ client }: Pick<Connection, 'client'>): boolean {
  const { submission, submissions } = settings()
  return client.localPort === submission.port || client.localPort === submissions.port
}

/** Whether a line is AUTH or the response to its challenge. A client that gives up in between may send QUIT. */
function isOfAuth({ client, notes }: Connection, line: Buffer): boolean {
  if (!isSubmission({ client })) return false
  return notes.auth === undefined ? beginsAuth(line) : !/^QUIT\r?\n$/i.test(line.toString('latin1', 0, quitBytes))
}

/** Whether the connection is encrypted, or local to this machine (decisions.md 3, SMTP and IMAP login). */
function isPrivate({ tls, remote }: Connection): boolean {
  return tls.enabled || isLoopback(remote.ip)
}

/** Sends a reply to AUTH, since Haraka has none of its own, and returns the answer that ends the hook. */
function say(connection: Connection, { code, enhanced, text }: Reply) {
  connection.respond(code, `${enhanced} ${text}`)
  return accept()
}
