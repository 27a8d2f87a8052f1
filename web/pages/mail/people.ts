/** Names and addresses as people read them. */
import type { Address } from '../../../sdk/generated/types.ts'

/** Returns the name, or the address if there is no name. */
export const nameOf = (who: Address | null): string => (who === null ? '' : who.name || who.address)

/** Returns `Ann <ann@example.com>`, the form that a recipient field accepts. */
export function written({ name, address }: Address): string {
  if (name === '') return address
  return /^[\p{L}\p{N} .'_-]+$/u.test(name)
    ? `${name} <${address}>`
    : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`
}

/** Splits a recipient field at commas and semicolons outside quotation marks. */
export function recipientsIn(field: string): string[] {
  const parts = field.match(/(?:"(?:[^"\\]|\\.)*"|[^,;"])+/g) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const hues = 8

/** Returns the tint of a person's initial, always the same for one address. */
export function tintOf({ address, name }: Address): number {
  let sum = 0
  for (const char of address || name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973
  return sum % hues
}
