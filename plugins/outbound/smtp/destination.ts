/**
 * One server and the connections to it. Invariants: at most `connections` are open. A mail waits for a free one, but not for
 * long if the server is slow. During a backoff (the server sent mail away, or cannot be reached) no connection is made, and waiting
 * mail is deferred at once. A server that says 421 after it was told the sender may mean that sender alone: the others are tried
 * until it says so to a second one, so that no sender keeps the mail of all others from a server.
 */
import type { Context } from '../../../core/process/context.ts'
import type { Kept } from '../../../core/process/kept.ts'
import { enhancedStatusOf } from '../../../mail/encoding/enhanced-status.ts'
import { splitAddress } from '../../../mail/message/address.ts'
import { type Dialogue, isOpening, type TlsFailure } from './outcome.ts'
import { type Mail, noStartTls, openSession, type Session, type SessionOptions } from './session.ts'
import { createTurns, type Turns } from './turns.ts'

export type DestinationLimits = {
  readonly connections: number
  /** 0: as many as the server accepts. */
  readonly messagesPerSecond: number
  readonly usesPerConnection: number
  readonly idleMs: number
  /** How long mail waits for a connection while none becomes free. */
  readonly patienceMs: number
}

/** No attempt was made: why, and after how many seconds to try again. */
export type Deferral = { readonly why: string; readonly retrySeconds: number }

export type Destination = {
  /** Sends one mail over an idle connection, or over a new one. Rejects only if `sevenBit` or `isHeld` of the mail does. */
  send(mail: Mail): Promise<Dialogue | Deferral>
  /** Whether no connection is open and no backoff is in effect. */
  readonly isForgettable: boolean
  close(): void
}

/** The first and the longest backoff; each is twice the one before. */
const backoffFirstMs = 15_000
const backoffMaxMs = 300_000
const reasonCharsMax = 200
/** Senders' domains whose backoff is remembered for one server. */
const sendersMax = 1_000

/** A time during which a server is not tried, at all or for one sender. */
type Backoff = { readonly ms: number; readonly untilMs: number; readonly reason: string }

const noBackoff: Backoff = { ms: 0, untilMs: 0, reason: '' }

type Opening = Omit<SessionOptions, 'tryTls' | 'serverNames'>

/** Servers whose STARTTLS failed recently, by address and port. */
type NoTls = Pick<Kept<true>, 'get' | 'set' | 'delete'>

type State = {
  readonly clock: Context['clock']
  readonly opening: Opening
  readonly limits: DestinationLimits
  readonly noTls: NoTls
  readonly turns: Turns
  readonly idle: { readonly session: Session; readonly timer: NodeJS.Timeout }[]
  backoff: Backoff
  /** By the domain of the sender. */
  readonly ofSenders: Map<string, Backoff>
  /** The sender's domain to which the server said 421, if it has not answered any other mail since. */
  suspect: string | null
  nextSendMs: number
}

export function createDestination(
  { clock }: Pick<Context, 'clock'>,
  opening: Opening,
  limits: DestinationLimits,
  noTls: NoTls,
): Destination {
  const turns = createTurns({ max: limits.connections, patienceMs: limits.patienceMs })
  const state: State = {
    clock,
    opening,
    limits,
    noTls,
    turns,
    idle: [],
    backoff: noBackoff,
    ofSenders: new Map(),
    suspect: null,
    nextSendMs: 0,
  }
  return {
    send: (mail) => sendInTurn(state, mail),
    get isForgettable() {
      const backoffs = [state.backoff, ...state.ofSenders.values()]
      return turns.isIdle && state.idle.length === 0 && backoffs.every((each) => deferralOf(state, each) === null)
    },
    close() {
      for (const { session, timer } of state.idle.splice(0)) {
        clearTimeout(timer)
        session.quit()
      }
    },
  }
}

async function sendInTurn(state: State, mail: Mail): Promise<Dialogue | Deferral> {
  const pauseSeconds = await state.turns.take()
  if (pauseSeconds !== null) return { why: 'has no connection free', retrySeconds: pauseSeconds }
  try {
    const ofSender = state.ofSenders.get(domainOf(mail)) ?? noBackoff
    const deferral = deferralOf(state, state.backoff) ?? deferralOf(state, ofSender)
    if (deferral !== null) return deferral
    await pace(state)
    const result = await sendOnce(state, mail)
    if ('command' in result) noteBackoff(state, mail, result)
    return result
  } finally {
    state.turns.end()
  }
}

/** Waits as long as `messagesPerSecond` requires. */
async function pace(state: State): Promise<void> {
  const { messagesPerSecond } = state.limits
  if (messagesPerSecond === 0) return
  const at = Math.max(performance.now(), state.nextSendMs)
  state.nextSendMs = at + 1_000 / messagesPerSecond
  await new Promise((resolve) => setTimeout(resolve, at - performance.now()))
}

async function sendOnce(state: State, mail: Mail): Promise<Dialogue | Deferral> {
  const idle = takeIdle(state, mail)
  if (idle !== null) {
    const result = await sendOver(state, idle, mail)
    if ('why' in result || !isUnseen(result)) return result
  }
  const session = await connect(state, mail)
  return 'command' in session ? session : sendOver(state, session, mail)
}

/** Sends a mail if its lease still holds; this is the last moment to check. Rejects as `Destination.send` does. */
async function sendOver(state: State, session: Session, mail: Mail): Promise<Dialogue | Deferral> {
  let result: Dialogue | Deferral
  try {
    result = (await mail.isHeld()) ? await session.send(mail) : leaseLapsed
  } catch (error) {
    giveBack(state, session)
    throw error
  }
  if (!insistsOnTls(session, result)) {
    giveBack(state, session)
    return result
  }
  // The next connection tries STARTTLS again.
  state.noTls.delete(serverOf(state.opening))
  session.quit()
  return { ...result, wantsTls: true }
}

/** Whether a server whose STARTTLS failed recently refuses mail without TLS (RFC 3207 4). */
function insistsOnTls(session: Session, result: Dialogue | Deferral): result is Dialogue {
  return 'command' in result && !session.tls && session.has('STARTTLS') && /(?:^|\n)530(?: |$)/.test(result.reply)
}

const leaseLapsed: Deferral = { why: 'was reached too late: the lease of the mail lapsed', retrySeconds: 0 }

function takeIdle({ idle }: State, mail: Mail): Session | null {
  for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
    clearTimeout(last.timer)
    if (last.session.isOpen && last.session.suits(mail)) return last.session
    last.session.quit()
  }
  return null
}

/** Keeps a connection for the next mail, for `idleMs`; ends it if it was used often enough. */
function giveBack({ idle, limits }: State, session: Session): void {
  if (!session.isOpen || session.uses >= limits.usesPerConnection) {
    session.quit()
    return
  }
  const timer = setTimeout(() => {
    const index = idle.findIndex((each) => each.session === session)
    if (index >= 0) idle.splice(index, 1)
    session.quit()
  }, limits.idleMs)
  idle.push({ session, timer })
}

async function connect({ opening: known, noTls }: State, mail: Mail): Promise<Session | Dialogue> {
  const opening = { ...known, serverNames: mail.serverNames }
  const server = serverOf(opening)
  const tryTls = noTls.get(server) !== true
  const first = await openSession({ ...opening, tryTls })
  const failure = tlsFailureOf(first, tryTls)
  if (failure !== undefined) mail.onConnection?.(failure)
  const tlsFailed = 'command' in first && first.command === 'STARTTLS' && opening.tls.kind === 'opportunistic'
  if (!tlsFailed) return first
  // No mail was named yet, so it is safe to connect again without encryption (RFC 7435).
  noTls.set(server, true)
  return openSession({ ...opening, tryTls: false })
}

/** The key of a server in `noTls`; several servers may share an address. */
const serverOf = ({ route: { address, port } }: Opening) => `${address} ${port}`

/** Why a connection lacks the required TLS; null if it has it; undefined if the connection did not get that far. */
function tlsFailureOf(opened: Session | Dialogue, tryTls: boolean): TlsFailure | null | undefined {
  if (!('command' in opened)) {
    if (opened.tls) return opened.tlsFailure
    return tryTls ? noStartTls : { type: 'validation-failure', detail: 'STARTTLS failed less than an hour ago' }
  }
  if (opened.tlsFailure !== undefined) return opened.tlsFailure
  if (opened.command !== 'STARTTLS') return undefined
  return { type: 'validation-failure', detail: opened.trouble || opened.reply }
}

/** Starts a backoff, longer each time, if the server turned us away; any other reply ends it. */
function noteBackoff(state: State, mail: Mail, dialogue: Dialogue): void {
  const { ofSenders } = state
  const domain = domainOf(mail)
  const trouble = troubleOf(dialogue)
  if (trouble === 'mail') {
    state.backoff = { ...state.backoff, ms: 0 }
    state.suspect = null
    ofSenders.delete(domain)
    return
  }
  if (trouble === 'unclear') {
    const before = ofSenders.get(domain) ?? noBackoff
    // The last entry is the one that changed last.
    ofSenders.delete(domain)
    ofSenders.set(domain, longer(state, before, dialogue))
    if (ofSenders.size > sendersMax) ofSenders.delete(ofSenders.keys().next().value ?? '')
    state.suspect ??= domain
    if (state.suspect === domain) return
  }
  state.backoff = longer(state, state.backoff, dialogue)
}

const longer = ({ clock }: State, { ms: before }: Backoff, dialogue: Dialogue): Backoff => {
  const ms = Math.min(backoffMaxMs, before === 0 ? backoffFirstMs : before * 2)
  return { ms, untilMs: clock.now().getTime() + ms * (0.8 + Math.random() * 0.4), reason: reasonOf(dialogue) }
}

const domainOf = ({ sender }: Mail) => splitAddress(sender).domain

/** The reason shown for other waiting mail. It leaves out the words of a reply to somebody else's mail. */
function reasonOf({ command, reply, trouble }: Dialogue): string {
  if (!isOpening(command)) return `it answered ${reply.slice(0, 3)}`
  return (trouble || reply.replaceAll('\n', ' ')).slice(0, reasonCharsMax)
}

function deferralOf({ clock }: State, { untilMs, reason }: Backoff): Deferral | null {
  const seconds = Math.ceil((untilMs - clock.now().getTime()) / 1_000)
  return seconds > 0 ? { why: `is not tried for ${seconds} seconds: ${reason}`, retrySeconds: seconds } : null
}

/** RFC 5321 4.2.1: the server is about to close the connection. */
const isGoodbye = ({ reply }: Dialogue) => /(?:^|\n)421(?: |$)/.test(reply)

/** Whether the server ended an idle connection before it saw the mail, so that the mail may go over another one. */
function isUnseen(dialogue: Dialogue): boolean {
  const { command, reply, trouble } = dialogue
  return command === 'MAIL' && (isGoodbye(dialogue) || (reply === '' && trouble !== 'no answer in time'))
}

/** Whether the trouble is with the server, with this mail if there is any, or whether the server does not say. */
function troubleOf(dialogue: Dialogue): 'server' | 'mail' | 'unclear' {
  const { command, reply } = dialogue
  if (isOpening(command)) return 'server'
  if (isOfThisMail(enhancedStatusOf(reply))) return 'mail'
  if (isGoodbye(dialogue)) return 'unclear'
  return command === 'MAIL' && /(?:^|\n)4\d\d(?: |$)/.test(reply) ? 'server' : 'mail'
}

/**
 * Whether a status says that a mail was refused for its sender, recipient or message: addresses, mailboxes and content (RFC 3463 3.2,
 * 3.3, 3.7), size (4.3.4), a sender that is not allowed (4.7.1) or not authenticated (RFC 7372, 7505; 4.7.25 is about the client).
 */
const isOfThisMail = (status: string | null) => /^4\.(?:[126]\.\d+|3\.4|7\.(?:1|2[0-467]))$/.test(status ?? '')
