/** The failure that callers get while the database is unavailable. */
import { Failure } from '../../schemas/failures.ts'
import { isUnavailable } from '../../store/unwell.ts'

/** Whether an error means, or was caused by, a database that is unavailable for now. */
export const isAway = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof Failure && isUnavailable(error.cause))

/**
 * Turns a database error that is expected to pass into the failure `unavailable`, with that error as its cause. Returns
 * any other error unchanged.
 */
export function whileUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  return new Failure('unavailable', 'The database is unavailable right now; please try again later.', { cause: error })
}
