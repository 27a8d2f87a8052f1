/** The connections of mail programs and servers: limits on their number, and how to close one so that its last reply arrives. */
import { networkOf } from './network.ts'

type Limits = {
  readonly connections: number
  readonly connectionsPerAddress: number
  readonly connectionsPerNetwork: number
}

/**
 * Counts the sessions of this process, of each address and of each network.
 * Invariant: a session that was let in is counted once, until it leaves; a session that was refused is never counted.
 */
export class ConnectionCounter {
  readonly #limits: Limits
  readonly #keysOf = new WeakMap<object, readonly string[]>()
  #inside = 0
  readonly #counts = new Map<string, number>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Lets a session in; false when one of the limits is reached. */
  enter(session: object, address: string): boolean {
    const network = networkOf(address)
    const limits = this.#limits
    if (this.#inside >= limits.connections) return false
    if ((this.#counts.get(address) ?? 0) >= limits.connectionsPerAddress) return false
    if ((this.#counts.get(network) ?? 0) >= limits.connectionsPerNetwork) return false
    const keys = [address, network]
    this.#keysOf.set(session, keys)
    this.#inside += 1
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    return true
  }

  leave(session: object): void {
    for (const key of this.#keysOf.get(session) ?? []) {
      const count = (this.#counts.get(key) ?? 0) - 1
      if (count > 0) this.#counts.set(key, count)
      else this.#counts.delete(key)
    }
    if (this.#keysOf.delete(session)) this.#inside -= 1
  }
}

/** How long a client has to read the last reply and to end its half of the connection. */
const lingerMs = 2_000

/**
 * Closes a connection after its last reply was written. Until then, what the client still sends is read and dropped: with unread
 * input the system would reset the connection, and the reply could be lost. A socket that is not read would not report the client's end.
 */
export function closeGently(socket: { resume(): unknown; destroy(): unknown }): void {
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
