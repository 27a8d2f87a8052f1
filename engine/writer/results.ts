import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'

/** One row of `writeErrors`. */
export type WriteError = Document

/** The row for a refused document. @throws `error` itself if it is not an EngineError; the writer then undoes the step */
export function writeError(index: number, error: unknown): WriteError {
  if (!(error instanceof EngineError)) throw error
  return { index, code: error.code, ...(error.extra as Document), errmsg: error.message }
}
