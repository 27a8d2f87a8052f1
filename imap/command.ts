/** What a command is: in which states it may be given, how it is read, and what it does. */
import type { Session, State } from './session.ts'
import type { Done } from './wire/answers.ts'
import type { SequenceSet } from './wire/numbers.ts'
import type { Parser } from './wire/parser.ts'

/**
 * Which news of the selected folder are told with the answer. EXPUNGE is told neither during FETCH, STORE and SEARCH, whose
 * client counts by sequence numbers (RFC 9051 7.5.1), nor where no folder is selected.
 */
export type Tells = 'all' | 'allButExpunges' | 'nothing'

export type Command = {
  readonly states: readonly State[]
  readonly tells: Tells
  /** Reads what follows the name. Fails with Bad. Returns what is to be done. */
  readonly read: (parser: Parser, session: Session) => () => Promise<Done>
}

/** Makes a command out of how it is read and what it does with that. */
export function command<A>({
  states,
  tells = 'all',
  read,
  run,
}: {
  readonly states: readonly State[]
  readonly tells?: Tells
  readonly read: (parser: Parser, session: Session) => A
  readonly run: (session: Session, asked: A) => Promise<Done | undefined>
}): Command {
  return {
    states,
    tells,
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
export const nothing = (): undefined => undefined

/** For a command about a folder: reads its name. */
export function readFolder(parser: Parser): string {
  parser.space()
  return parser.folder()
}

/** For a command that brings messages to a folder: reads which, and its name. */
export function readSetAndFolder(parser: Parser): { readonly set: SequenceSet; readonly name: string } {
  parser.space()
  const set = parser.set()
  return { set, name: readFolder(parser) }
}
