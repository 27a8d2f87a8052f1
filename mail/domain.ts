import { domainToASCII } from 'node:url'
import { getDomain, getPublicSuffix } from 'tldts'

/** Labels of up to 63 characters with dots between them (RFC 1035 2.3.1, as A-labels). */
const domainForm = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The canonical form of a domain: lower-case A-labels. Null when the text is not a domain. */
export function normaliseDomain(text: string): string | null {
  const name = text.trim().replace(/\.$/, '')
  // domainToASCII reads any other text as the host of a URL: it stops at "/", "?" and "#", and decodes percent signs.
  if (/[^\w.\P{ASCII}-]/u.test(name)) return null
  const ascii = domainToASCII(name).toLowerCase()
  return domainForm.test(ascii) ? ascii : null
}

/** Whether others register their domains below this one, as they do below `com` and `co.uk`. */
export function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: false, validateHostname: false }) === domain
}

/** The domain that somebody registered: one label below a public suffix, private suffixes included. Else the domain itself. */
export function organisationOf(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true, validateHostname: false }) ?? domain
}

/** Whether two domains belong to one organisation in the sense of relaxed alignment (RFC 7489 3.1). */
export function sameOrganisation(a: string, b: string): boolean {
  return a === b || organisationOf(a) === organisationOf(b)
}
