/** What the API says about one field of a form. */
import { ApiError } from '../../sdk/errors.ts'
import { inFull } from './error-text.ts'

/** Returns the text to show at a field if the error is about it (`param` of a validation error), otherwise null. */
export function fieldError(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError) || error.param === null) return null
  const isIt = error.param === field || error.param.startsWith(`${field}.`) || error.param.startsWith(`${field}[`)
  return isIt ? inFull(error) : null
}
