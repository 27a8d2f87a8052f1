/** The text of an error: in the viewer's language, with the details that the API gives in English. */
import { ApiError } from '../../sdk/errors.ts'
import { words } from './language.ts'

export type ErrorText = {
  readonly text: string
  /** What to change; null if the API did not say. */
  readonly fix: string | null
  /** The language of `fix`, if it is not that of the page. */
  readonly fixLanguage: 'en' | undefined
}

/** Returns the refusal by the API itself, or null if there was no answer or a proxy answered in its place. */
export const refusalOf = (error: unknown): ApiError | null =>
  error instanceof ApiError && error.code !== 'unknown' ? error : null

export function errorTextOf(error: unknown): ErrorText {
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

/** Returns what went wrong and what to change. */
export const inFull = ({ message, fix }: ApiError): string => [message, fix].filter(Boolean).join(' ')
