import { Binary } from 'bson'
import { isDocument, type Value } from './document.ts'

const fixedBytes = 16

/** About how many bytes a value takes encoded: cheap, for bounds on what is kept in memory. */
export function roughBytes(value: Value): number {
  if (typeof value === 'string') return value.length + fixedBytes
  if (value instanceof Binary) return value.position + fixedBytes
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + roughBytes(item), fixedBytes)
  if (!isDocument(value)) return fixedBytes
  let sum = fixedBytes
  for (const field in value) sum += field.length + roughBytes(value[field]!)
  return sum
}
