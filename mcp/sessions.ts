/**
 * Sessions of the revisions before 2026-07-28. Invariant: a session is only a name that its client repeats, and the name itself says
 * what the client can do, so any node can answer. Only the process that serves a request knows what the session has in progress: calls
 * that can be cancelled, and questions that wait for an answer.
 */
import { randomBytes } from 'node:crypto'
import type { ClientCapabilities, JSONRPCMessage } from '@modelcontextprotocol/server'
import { type Clock, hourMs } from '../core/process/clock.ts'
import { createKept } from '../core/process/kept.ts'
import { Failure } from '../schemas/failures.ts'
import { canShowForms } from './handlers.ts'
import { subscribedMax } from './params.ts'

export const sessionHeader = 'Mcp-Session-Id'
const nameBytes = 16
/** Ends the name of a session whose client can show its user a form. */
const asksMark = '.asks'

/** Name of a new session. */
export function newSession(declared: ClientCapabilities | undefined): string {
  return randomBytes(nameBytes).toString('base64url') + (canShowForms(declared) ? asksMark : '')
}

/** What the client of a session can do. */
export function capabilitiesOf(session: string): ClientCapabilities {
  return session.endsWith(asksMark) ? { elicitation: { form: {} } } : {}
}

export type Sessions = {
  /** Lets a later request of a session cancel a call. Returns a function that forgets the call. */
  begin(session: string, id: string | number, cancel: () => void): () => void
  /** Runs a call that a later request of its session may cancel. */
  run<T>(session: string, id: string | number, call: (cancelled: AbortSignal) => Promise<T>): Promise<T>
  cancel(session: string, id: string | number): void
  /** Remembers a question under a unique name, which is its id on the wire. Returns a function that forgets it. */
  ask(session: string, name: string, answered: (message: JSONRPCMessage) => void): () => void
  answer(session: string, message: JSONRPCMessage): void
  /** Registers the stream of a session, and closes an earlier one of the same session. Returns a function that forgets it. */
  listens(session: string, close: () => void): () => void
  /** The resources that a session watches. */
  subscribed(session: string): ReadonlySet<string>
  /** Fails with `rate_limited` past the number of resources that a session may watch. */
  subscribe(session: string, uri: string): void
  unsubscribe(session: string, uri: string): void
}

/** Most characters of what all sessions of a process watch, with their names, which clients choose; and how long it is kept unused. */
const watchedCharactersMax = 20_000_000
const watchedMs = hourMs

/** `session` is a name together with the key that uses it, so that nobody can reach the session of another caller. */
export function createSessions(clock: Clock): Sessions {
  const calls = new Map<string, ReadonlySet<() => void>>()
  const questions = new Map<string, (message: JSONRPCMessage) => void>()
  const streams = new Map<string, () => void>()
  const watched = createKept<ReadonlySet<string>>(clock, {
    max: watchedCharactersMax,
    weigh: (uris, session) => [...uris].reduce((sum, uri) => sum + uri.length, session.length),
    ttlMs: watchedMs,
    renewOnUse: true,
  })
  const subscribed = (session: string) => watched.get(session) ?? new Set()
  const nameOf = (session: string, id: unknown) => JSON.stringify([session, id])
  const begin: Sessions['begin'] = (session, id, cancel) => {
    const name = nameOf(session, id)
    calls.set(name, new Set([...(calls.get(name) ?? []), cancel]))
    return () => {
      const others = [...(calls.get(name) ?? [])].filter((each) => each !== cancel)
      if (others.length === 0) calls.delete(name)
      else calls.set(name, new Set(others))
    }
  }
  return {
    begin,
    async run(session, id, call) {
      const own = new AbortController()
      const forget = begin(session, id, () => own.abort())
      try {
        return await call(own.signal)
      } finally {
        forget()
      }
    },
    cancel(session, id) {
      for (const cancel of calls.get(nameOf(session, id)) ?? []) cancel()
    },
    ask(session, id, answered) {
      const name = nameOf(session, id)
      questions.set(name, answered)
      return () => questions.delete(name)
    },
    answer(session, message) {
      if ('id' in message) questions.get(nameOf(session, message.id))?.(message)
    },
    listens(session, close) {
      streams.get(session)?.()
      streams.set(session, close)
      return () => {
        if (streams.get(session) === close) streams.delete(session)
      }
    },
    subscribed,
    subscribe(session, uri) {
      const uris = new Set([...subscribed(session), uri])
      if (uris.size > subscribedMax)
        throw new Failure('rate_limited', `A session can watch at most ${subscribedMax} resources.`, {
          fix: 'Unsubscribe from some first.',
        })
      watched.set(session, uris)
    },
    unsubscribe(session, uri) {
      watched.set(session, new Set([...subscribed(session)].filter((each) => each !== uri)))
    },
  }
}
