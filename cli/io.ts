/** The surroundings of a command besides its arguments: the settings, and where it writes. */
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'

export type Io = {
  /** Reads the settings. Throws SettingsError. */
  readonly settings: () => Settings
  readonly env: NodeJS.ProcessEnv
  /** Writes text, which includes its line ends; so does `err`. */
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** The message of an error, and what to change if that is known. */
export function errorText(error: unknown): string {
  if (error instanceof Failure) return `${error.message} ${error.fix}`
  return error instanceof Error ? error.message : String(error)
}

/** Turns a text into a sentence, so that another one may follow. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** Writes a line of JSON for each record, so that scripts can read them. */
export function print({ out }: Pick<Io, 'out'>, ...records: readonly object[]): void {
  for (const each of records) out(`${JSON.stringify(each)}\n`)
}
