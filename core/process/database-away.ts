/** What a caller hears while the database cannot serve. */
import { Failure } from '../../schemas/failures.ts'
import { isUnavailable } from '../../store/open.ts'

/** Whether an error says, or comes of it, that the database is away or cannot serve for now. */
export const isAway = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof Failure && isUnavailable(error.cause))

/** `unavailable` in place of an error of the database that will pass (it is its cause); any other error as it is. */
export function whileUnavailable(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  return new Failure('unavailable', 'The database cannot serve right now; please try again later.', { cause: error })
}
