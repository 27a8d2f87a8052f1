/**
 * The client at the other end of a connection, and its login.
 *
 * Invariants
 * - A client of the unix socket may do everything: the permissions of the socket decide who can open it.
 * - Over TCP, until a login succeeds, only commands with `beforeLogin` are answered, and only short messages are read.
 * - A connection has few attempts to log in, and the answer to a failed one is delayed.
 */
import { randomInt } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { mechanism, ScramError, ScramExchange, type ScramKeys } from './scram.ts'

/** The answer to one step of a login. */
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
  /** No other message is queued behind the current command, so it may wait. */
  mayWait = true
  /** Ends the wait of the current command; set while it waits. */
  endWait: (() => void) | undefined

  /** `keys` are absent on the unix socket, which needs no login. */
  constructor(id: number, keys?: ScramKeys) {
    this.id = id
    this.#keys = keys
  }

  /** Whether the client uses the unix socket, which only the owner of the data can open. */
  get local(): boolean {
    return this.#keys === undefined
  }

  get trusted(): boolean {
    return this.local || this.#user !== undefined
  }

  /** The user who has logged in. */
  get user(): string | undefined {
    return this.#user
  }

  /** Whether all attempts to log in are used up, so that the connection has to be closed. */
  get exhausted(): boolean {
    return this.#failures >= limits.loginFailures
  }

  get messageBytesMax(): number {
    return this.trusted ? limits.messageBytes : limits.messageBytesBeforeLogin
  }

  /**
   * Begins a login. `short` means that the client skips the empty exchange at the end.
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

  /** Continues a login. @throws EngineError ProtocolError, AuthenticationFailed */
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

  /** The error does not say why the login failed, nor whether the user exists. */
  #failed(): EngineError {
    this.#failures++
    this.#conversation = undefined
    return new EngineError('AuthenticationFailed', 'Authentication failed.')
  }
}

/** The database that users belong to: the default of MongoDB's connection strings. */
export const loginDatabase = 'admin'

/** The answer to credentials on the unix socket. */
export function noUsers(): EngineError {
  return new EngineError(
    'AuthenticationFailed',
    'the embedded engine has no users on its unix socket: anyone who can open its socket has access; remove the credentials',
  )
}
