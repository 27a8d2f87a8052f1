/**
 * Who is at the other end of a connection.
 *
 * Invariants
 * - Whoever could open the unix socket may do everything: its permissions have decided.
 * - Over TCP nothing but the handshake is answered, and only short messages are read, until a login has succeeded.
 * - A connection has few attempts, and each that fails is answered late.
 */
import { randomInt } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { mechanism, ScramError, ScramExchange, type ScramKeys } from './scram.ts'

/** One step of a login, as the wire wants it. */
export type LoginStep = { readonly conversationId: number; readonly done: boolean; readonly payload: Buffer }

type Conversation = { readonly id: number; readonly exchange: ScramExchange; readonly short: boolean; proven: boolean }

export class Peer {
  readonly id: number
  readonly #keys: ScramKeys | undefined
  #conversation: Conversation | undefined
  #user: string | undefined
  #failures = 0
  /** The connection has ended. */
  gone = false
  /** Nothing stands behind the command under way, which may take its time. */
  mayWait = true
  /** Set while a command waits for something: ends the wait. */
  endWait: (() => void) | undefined

  /** `keys` are absent where the socket itself decides. */
  constructor(id: number, keys?: ScramKeys) {
    this.id = id
    this.#keys = keys
  }

  /** On this machine, by a socket that only the owner of the data can open. */
  get local(): boolean {
    return this.#keys === undefined
  }

  get trusted(): boolean {
    return this.local || this.#user !== undefined
  }

  /** Who has logged in. */
  get user(): string | undefined {
    return this.#user
  }

  /** The attempts are used up: the connection is to be closed. */
  get exhausted(): boolean {
    return this.#failures >= limits.loginFailures
  }

  get messageBytesMax(): number {
    return this.trusted ? limits.messageBytes : limits.messageBytesBeforeLogin
  }

  /**
   * Begins a login. `short`: the client does without the empty exchange at the end.
   * @throws EngineError MechanismUnavailable, AuthenticationFailed
   */
  start(database: string, asked: string, payload: Buffer, short: boolean): LoginStep {
    if (this.#keys === undefined) throw noUsers()
    if (asked !== mechanism) {
      this.#failures++
      throw new EngineError(
        'MechanismUnavailable',
        `Received authentication for mechanism ${asked} which is unknown or not enabled`,
      )
    }
    const exchange = new ScramExchange(this.#keys)
    const answer = this.#attempt(() => {
      if (database !== loginDatabase) throw new ScramError(`users belong to ${loginDatabase}`)
      return exchange.first(payload)
    })
    this.#conversation = { id: randomInt(1, 2 ** 31), exchange, short, proven: false }
    return { conversationId: this.#conversation.id, done: false, payload: answer }
  }

  /** Goes on with a login. @throws EngineError ProtocolError, AuthenticationFailed */
  proceed(id: number, payload: Buffer): LoginStep {
    if (this.#keys === undefined) throw noUsers()
    const conversation = this.#conversation
    if (conversation === undefined || conversation.id !== id)
      throw new EngineError('ProtocolError', 'No SASL session state found')
    if (conversation.proven) {
      this.#conversation = undefined
      if (payload.length > 0) throw this.#failed()
      return { conversationId: id, done: true, payload: Buffer.alloc(0) }
    }
    this.#conversation = undefined
    const answer = this.#attempt(() => conversation.exchange.final(payload))
    if (answer === undefined) throw this.#failed()
    this.#user = conversation.exchange.user
    this.#failures = 0
    if (!conversation.short) this.#conversation = { ...conversation, proven: true }
    return { conversationId: id, done: conversation.short, payload: answer }
  }

  #attempt<Result>(step: () => Result): Result {
    try {
      return step()
    } catch (error) {
      if (error instanceof ScramError) throw this.#failed()
      throw error
    }
  }

  /** What went wrong is not told: neither whether there is such a user. */
  #failed(): EngineError {
    this.#failures++
    this.#conversation = undefined
    return new EngineError('AuthenticationFailed', 'Authentication failed.')
  }
}

/** The database that users belong to, as in MongoDB's connection strings when nothing else is said. */
export const loginDatabase = 'admin'

/** The answer to credentials where the socket decides. */
export function noUsers(): EngineError {
  return new EngineError(
    'AuthenticationFailed',
    'the embedded engine has no users here: who can open its socket has access',
  )
}
