/** The failure that callers get while the database, or the store of large bodies, is unavailable. */
import { Failure, type FailureCode } from '../../schemas/failures.ts'
import { ObjectStoreError } from '../../store/object-store.ts'
import { isUnavailable } from '../../store/unwell.ts'

/** Whether an error means, or was caused by, a database or store of large bodies that is unavailable for now. */
export const isAway = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof Failure && isUnavailable(error.cause))

/**
 * Turns a database error that is expected to pass into the failure `unavailable`, with that error as its cause. Returns
 * any other error unchanged.
 */
export function whileUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const what = error instanceof ObjectStoreError ? 'store of large messages' : 'database'
  return new Failure('unavailable', `The ${what} is unavailable right now; please try again later.`, { cause: error })
}

/** The failure code that a caller receives for an error; metrics and the audit trail record the same code. */
export function codeOf(error: unknown): FailureCode {
  const told = whileUnavailable(error)
  return told instanceof Failure ? told.code : 'internal_error'
}
