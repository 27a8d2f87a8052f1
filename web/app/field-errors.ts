/** What the API says of one field of a form. */
import { ApiError } from '../../sdk/errors.ts'
import { inFull } from './told.ts'

/** The text to show at a field, when it is the one at fault (`param` of a validation error); else null. */
export function fieldError(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError) || error.param === null) return null
  const isIt = error.param === field || error.param.startsWith(`${field}.`) || error.param.startsWith(`${field}[`)
  return isIt ? inFull(error) : null
}
