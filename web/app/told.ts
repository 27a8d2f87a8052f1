/** What is said of something that went wrong: in the language of the viewer, with what the API says of this very case, in English. */
import { ApiError } from '../../sdk/errors.ts'
import { words } from './language.ts'

export type Told = {
  readonly text: string
  /** What to change; null where the API said nothing. */
  readonly fix: string | null
  /** Of `fix`, where it is not that of the page. */
  readonly fixLanguage: 'en' | undefined
}

/** The answer of the API itself; null where there is none, or somebody before the service answered. */
export const refusalOf = (error: unknown): ApiError | null =>
  error instanceof ApiError && error.code !== 'unknown' ? error : null

export function toldOf(error: unknown): Told {
  const refusal = refusalOf(error)
  if (refusal === null) {
    const { unreachable, answeredBefore } = words.problem
    const text = error instanceof ApiError ? answeredBefore(error.statusCode) : unreachable
    return { text, fix: null, fixLanguage: undefined }
  }
  const text = words.problem.codes?.[refusal.code]
  if (text === undefined) return { text: refusal.message, fix: refusal.fix, fixLanguage: undefined }
  return { text, fix: inFull(refusal), fixLanguage: 'en' }
}

/** What went wrong and what to change. */
export const inFull = ({ message, fix }: ApiError): string => [message, fix].filter(Boolean).join(' ')
