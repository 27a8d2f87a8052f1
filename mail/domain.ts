import { domainToASCII } from 'node:url'

/** A label of up to 63 characters, then more of them (RFC 1035 2.3.1, as A-labels). */
const domainForm = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The canonical form of a domain: lower-case A-labels. Null when it is none. */
export function normaliseDomain(text: string): string | null {
  const ascii = domainToASCII(text.trim().replace(/\.$/, '')).toLowerCase()
  return domainForm.test(ascii) ? ascii : null
}
