/** Shows values in error messages. */
import { isDocument, typeName, type Value } from './document.ts'

const shownMax = 120

/** A short text for a value: strings are quoted, documents, arrays and long strings are cut. Never throws. */
export function show(value: Value | undefined): string {
  const text = render(value, 3)
  return text.length > shownMax ? `${text.slice(0, shownMax)}...` : text
}

function render(value: Value | undefined, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, shownMax))
  if (value === undefined || value === null) return String(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString()
  if (isDocument(value)) {
    if (depth === 0) return '{...}'
    const fields = Object.keys(value).slice(0, 5)
    return `{${fields.map((field) => `${field}: ${render(value[field], depth - 1)}`).join(', ')}}`
  }
  if (Array.isArray(value)) {
    if (depth === 0) return '[...]'
    return `[${value
      .slice(0, 5)
      .map((item) => render(item, depth - 1))
      .join(', ')}]`
  }
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  const name = typeName(value)
  return name === 'binData' || name === 'regex' || name.startsWith('javascript') ? name : String(value)
}
