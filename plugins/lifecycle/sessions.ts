import { setTimeout as sleep } from 'node:timers/promises'
import { closeGently } from '../../core/access/connections.ts'
import type { Connection, Plugin } from '../haraka.d.ts'

const pollMs = 50

/**
 * Closes the socket of a session that is over. Haraka only ends its own half and waits for the client to end the other, while no limit
 * counts the connection any more. After QUIT nothing more arrives (RFC 5321 4.1.1.10).
 */
export function closeEnded(plugin: Plugin): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Connection } }).Connection
  const { disconnect_respond: disconnected } = prototype
  prototype.disconnect_respond = function (this: Connection) {
    disconnected.call(this)
    const { client, last_response: reply } = this
    if (reply?.startsWith('221')) client.destroySoon()
    else closeGently(client)
  }
}

/**
 * Ends all sessions: idle ones at once with a 421 (RFC 5321 3.8), others when their transaction is over. Resolves when none is
 * left, or after `timeoutMs`. Mail that is unfinished by then was never acknowledged.
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
