import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../haraka.d.ts'

const pollMs = 50

/**
 * Ends all sessions: idle ones at once with a 421 (RFC 5321 3.8), others when their transaction is over. Resolves when none is
 * left, or after `timeoutMs`; mail that is unfinished by then was never acknowledged.
 */
export async function drain(sessions: readonly Connection[], timeoutMs: number): Promise<void> {
  for (let waitedMs = 0; sessions.length > 0 && waitedMs < timeoutMs; waitedMs += pollMs) {
    for (const session of [...sessions]) if (session.transaction === null) dismiss(session)
    await sleep(pollMs)
  }
}

function dismiss(session: Connection): void {
  session.respond(421, '4.3.2 Service shutting down, try again later', () => session.disconnect())
}
