/**
 * One server and the connections to it. Invariants: at most `connections` are open; a mail waits for a free one, but not long
 * for a slow server; while the server rests (it said 421, or cannot be reached) no connection is made, and what waits is told
 * so at once.
 */
import type { Context } from '../../../core/process/context.ts'
import type { Dialogue } from './outcome.ts'
import { type Mail, openSession, type Session, type SessionOptions } from './session.ts'
import { createTurns } from './turns.ts'

export type DestinationLimits = {
  readonly connections: number
  /** 0: as many as the server takes. */
  readonly messagesPerSecond: number
  readonly usesPerConnection: number
  readonly idleMs: number
  /** How long mail waits for a connection while none gets free. */
  readonly patienceMs: number
}

/** Not tried: why, and when it may be. */
export type NotTried = { readonly why: string; readonly retrySeconds: number }

export type Destination = {
  /** Carries one mail over a connection of its own or one that is free. Never rejects. */
  send(mail: Mail): Promise<Dialogue | NotTried>
  /** Whether nothing is open and nothing is remembered that matters. */
  readonly isForgettable: boolean
  close(): void
}

const restFirstMs = 15_000
const restMaxMs = 300_000

type Opening = Omit<SessionOptions, 'tryTls'>

export function createDestination(
  ctx: Pick<Context, 'clock'>,
  opening: Opening,
  limits: DestinationLimits,
  /** Addresses whose STARTTLS failed of late. */
  noTls: { has(address: string): boolean; add(address: string): void },
): Destination {
  const idle: { readonly session: Session; readonly timer: NodeJS.Timeout }[] = []
  const turns = createTurns({ max: limits.connections, patienceMs: limits.patienceMs })
  let restUntilMs = 0
  let restMs = 0
  let nextSendMs = 0

  const nowMs = () => ctx.clock.now().getTime()

  function takeIdle(): Session | null {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      clearTimeout(last.timer)
      if (last.session.isOpen) return last.session
      last.session.quit()
    }
    return null
  }

  function giveBack(session: Session): void {
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

  async function paced(): Promise<void> {
    if (limits.messagesPerSecond === 0) return
    const at = Math.max(Date.now(), nextSendMs)
    nextSendMs = at + 1_000 / limits.messagesPerSecond
    if (at > Date.now()) await new Promise((resolve) => setTimeout(resolve, at - Date.now()))
  }

  async function connect(): Promise<Session | Dialogue> {
    const { address } = opening.route
    const first = await openSession({ ...opening, tryTls: !noTls.has(address) })
    const tlsFailed = 'command' in first && first.command === 'STARTTLS' && opening.tls.kind === 'opportunistic'
    if (!tlsFailed) return first
    // Before any mail was named: once more, in the clear (RFC 7435).
    noTls.add(address)
    return openSession({ ...opening, tryTls: false })
  }

  /** The last moment at which a mail can stay here. */
  async function hand(session: Session, mail: Mail): Promise<Dialogue | NotTried> {
    const result = (await mail.isHeld()) ? await session.send(mail) : lapsed
    giveBack(session)
    return result
  }

  async function carry(mail: Mail): Promise<Dialogue | NotTried> {
    const used = takeIdle()
    if (used !== null) {
      const dialogue = await hand(used, mail)
      if ('why' in dialogue) return dialogue
      // A server may have closed a connection that was idle: it has not seen this mail.
      const unseen = dialogue.command === 'MAIL' && dialogue.reply === '' && dialogue.trouble !== 'no answer in time'
      if (!unseen && !isGoodbye(dialogue)) return dialogue
    }
    const session = await connect()
    return 'command' in session ? session : hand(session, mail)
  }

  /** A server that sends us away is left alone, for longer each time; any other answer ends that. */
  function learn(dialogue: Dialogue): void {
    if (!sendsAway(dialogue)) {
      restMs = 0
      return
    }
    restMs = Math.min(restMaxMs, restMs === 0 ? restFirstMs : restMs * 2)
    restUntilMs = nowMs() + restMs * (0.8 + Math.random() * 0.4)
  }

  function resting(): NotTried | null {
    const seconds = Math.ceil((restUntilMs - nowMs()) / 1_000)
    return seconds > 0 ? { why: `is left alone for ${seconds} seconds`, retrySeconds: seconds } : null
  }

  return {
    async send(mail) {
      const pauseSeconds = await turns.take()
      if (pauseSeconds !== null) return { why: 'has no connection free', retrySeconds: pauseSeconds }
      try {
        const rest = resting()
        if (rest !== null) return rest
        await paced()
        const dialogue = await carry(mail)
        if ('command' in dialogue) learn(dialogue)
        return dialogue
      } finally {
        turns.end()
      }
    },
    get isForgettable() {
      return turns.isIdle && idle.length === 0 && resting() === null
    },
    close() {
      for (const { session, timer } of idle.splice(0)) {
        clearTimeout(timer)
        session.quit()
      }
    },
  }
}

const lapsed: NotTried = { why: 'was reached too late: the mail is claimed anew', retrySeconds: 0 }

const isGoodbye = ({ command, reply }: Dialogue) => command === 'MAIL' && /(?:^|\n)421(?: |$)/.test(reply)

/** Whether the trouble is with the server and not with this mail. */
function sendsAway({ command, reply }: Dialogue): boolean {
  if (/(?:^|\n)421(?: |$)/.test(reply)) return true
  const opening = command === '' || command === 'EHLO' || command === 'HELO'
  return opening || (command === 'MAIL' && /(?:^|\n)4\d\d(?: |$)/.test(reply))
}
