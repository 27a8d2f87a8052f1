import { Binary } from 'bson'
import { isDocument, type Value } from './document.ts'

const fixedBytes = 16

/** The approximate size of a value in bytes, cheap to compute: it bounds how much is kept in memory. */
export function roughBytes(value: Value): number {
  if (typeof value === 'string') return value.length + fixedBytes
  if (value instanceof Binary) return value.position + fixedBytes
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + roughBytes(item), fixedBytes)
  if (!isDocument(value)) return fixedBytes
  let sum = fixedBytes
  for (const field in value) sum += field.length + roughBytes(value[field]!)
  return sum
}
