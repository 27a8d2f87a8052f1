import { EngineError } from '../errors.ts'

/** mongod's limit on the number of parts of a path. */
const partsMax = 200

/** Splits a field path. Fails with mongod's codes for empty parts and dollar signs. */
export function fieldPath(path: string): readonly string[] {
  if (path === '') throw new EngineError(40352, 'FieldPath cannot be constructed with empty string')
  if (path.endsWith('.')) throw new EngineError(40353, "FieldPath must not end with a '.'.")
  const parts = path.split('.')
  if (parts.length > partsMax) throw new EngineError('Overflow', 'FieldPath is too long')
  for (const part of parts) {
    if (part === '') throw new EngineError(15998, 'FieldPath field names may not be empty strings.')
    if (part.startsWith('$')) {
      throw new EngineError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      )
    }
    if (part.includes('\0')) throw new EngineError(16411, 'FieldPath field names may not contain null bytes.')
  }
  return parts
}
