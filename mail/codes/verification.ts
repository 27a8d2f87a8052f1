/** What a mail asks its reader to copy or to open (decisions.md 4, verification): found on arrival, cheap, always the same. */

import { sameOrganisation } from '../domain.ts'
import type { ParsedMessage } from '../message/parse.ts'
import { type Code, findCodes } from './codes.ts'
import { findLinks, type Link } from './links.ts'
import { sourcesOf } from './source.ts'

/** As far as the mail itself says. */
export type Found = { readonly codes: readonly Code[]; readonly links: readonly Link[] }

export type Verification = {
  readonly codes: readonly Code[]
  readonly links: readonly (Link & { readonly sameOrg: boolean })[]
}

/** What a code of a sender who is not authenticated is worth. */
const unauthenticatedShare = 0.7

/**
 * The codes and links of a message; null without any. The HTML is read only when the plain text has none. Work is bounded
 * by `limits`. Never throws.
 */
export function findVerification(raw: Buffer, parsed: ParsedMessage): Found | null {
  if (parsed.encrypted !== null) return null
  for (const source of sourcesOf(raw, parsed)) {
    const found = { codes: findCodes(parsed.subject, source), links: findLinks(parsed.subject, source) }
    if (found.codes.length > 0 || found.links.length > 0) return found
  }
  return null
}

/** What was found, bound to the domain that the sender proved to be; null: to none, and codes are worth less. */
export function bindVerification({ codes, links }: Found, alignedFrom: string | null): Verification {
  const share = alignedFrom === null ? unauthenticatedShare : 1
  return {
    codes: codes.map((code) => ({ ...code, confidence: Math.round(code.confidence * share * 100) / 100 })),
    links: links.map((link) => ({
      ...link,
      sameOrg: alignedFrom !== null && sameOrganisation(link.host, alignedFrom),
    })),
  }
}
