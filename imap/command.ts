/** What a command is: the states in which it is allowed, how its arguments are read, and what it does. */
import type { Session, State } from './session.ts'
import type { Done } from './wire/answers.ts'
import type { SequenceSet } from './wire/numbers.ts'
import type { Parser } from './wire/parser.ts'

/**
 * Which news of the selected folder is sent before the tagged response. EXPUNGE is held back during FETCH, STORE and SEARCH,
 * because their clients count by sequence numbers (RFC 9051 7.5.1).
 */
export type Updates = 'all' | 'allButExpunges' | 'nothing'

export type Command = {
  readonly states: readonly State[]
  readonly updates: Updates
  /** Reads the arguments after the name and returns the function that carries the command out. Fails with Bad. */
  readonly read: (parser: Parser, session: Session) => () => Promise<Done>
}

/** Makes a command from a function that reads its arguments and one that carries it out. */
export function command<A>({
  states,
  updates = 'all',
  read,
  run,
}: {
  readonly states: readonly State[]
  readonly updates?: Updates
  readonly read: (parser: Parser, session: Session) => A
  readonly run: (session: Session, asked: A) => Promise<Done | undefined>
}): Command {
  return {
    states,
    updates,
    read(parser, session) {
      const asked = read(parser, session)
      parser.end()
      return async () => (await run(session, asked)) ?? {}
    },
  }
}

export const anyState: readonly State[] = ['greeted', 'authenticated', 'selected']
export const loggedIn: readonly State[] = ['authenticated', 'selected']
export const inFolder: readonly State[] = ['selected']
export const beforeLogin: readonly State[] = ['greeted']

/** For a command without arguments. */
export const noArguments = (): undefined => undefined

/** For a command about a folder: reads its name. */
export function readFolder(parser: Parser): string {
  parser.space()
  return parser.folder()
}

/** For a command that copies or moves messages to a folder: reads the set of messages and the folder's name. */
export function readSetAndFolder(parser: Parser): { readonly set: SequenceSet; readonly name: string } {
  parser.space()
  const set = parser.set()
  return { set, name: readFolder(parser) }
}
