/** Names and addresses as people read them. */
import type { Address } from '../../../sdk/generated/types.ts'

/** The name, else the address. */
export const nameOf = (who: Address | null): string => (who === null ? '' : who.name || who.address)

/** `Ann <ann@example.com>`, as a field for recipients takes it. */
export function written({ name, address }: Address): string {
  if (name === '') return address
  return /^[\p{L}\p{N} .'_-]+$/u.test(name)
    ? `${name} <${address}>`
    : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
}

/** The recipients in a field: commas and semicolons part them, but not within quotation marks. */
export function recipientsIn(field: string): string[] {
  const parts = field.match(/(?:"(?:[^"\\]|\\.)*"|[^,;"])+/g) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const hues = 8

/** One of the tints for the initial of somebody, the same each time. */
export function tintOf({ address, name }: Address): number {
  let sum = 0
  for (const char of address || name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973
  return sum % hues
}
