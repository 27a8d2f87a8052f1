/** What a mail asks its reader to copy or to open (decisions.md 4, verification): found on arrival, cheap, always the same. */

import { sameOrganisation } from '../domain.ts'
import type { ParsedMessage } from '../message/parse.ts'
import { findCodes, type VerificationCode } from './codes.ts'
import { findLinks, type VerificationLink } from './links.ts'
import { scannedTextsOf } from './scanned-text.ts'

/** What a mail itself says, whoever sent it. */
export type UnboundVerification = {
  readonly codes: readonly VerificationCode[]
  readonly links: readonly VerificationLink[]
}

/** The same, as far as the sender is known. */
export type Verification = {
  readonly codes: readonly VerificationCode[]
  /** `sameOrg`: whether the link leads to the organisation that sent the mail. */
  readonly links: readonly (VerificationLink & { readonly sameOrg: boolean })[]
}

/** The share of its confidence that a code keeps whose sender is not authenticated. */
const unauthenticatedShare = 0.7

/**
 * Finds the codes and links of a message; null without any, and in encrypted mail. The HTML is read only when the plain text has none. Work is bounded
 * by `limits`. Never throws.
 */
export function findVerification(raw: Buffer, parsed: ParsedMessage): UnboundVerification | null {
  if (parsed.encrypted !== null) return null
  for (const source of scannedTextsOf(raw, parsed)) {
    const found = { codes: findCodes(parsed.subject, source), links: findLinks(parsed.subject, source) }
    if (found.codes.length > 0 || found.links.length > 0) return found
  }
  return null
}

/**
 * Binds what was found to the domain that the sender proved to be of. Without one (null) no link is of the same
 * organisation, and the confidence of codes is lowered. Confidences are rounded to two digits. Never throws.
 */
export function bindVerification({ codes, links }: UnboundVerification, alignedFrom: string | null): Verification {
  const share = alignedFrom === null ? unauthenticatedShare : 1
  return {
    codes: codes.map((code) => ({ ...code, confidence: Math.round(code.confidence * share * 100) / 100 })),
    links: links.map((link) => ({
      ...link,
      sameOrg: alignedFrom !== null && sameOrganisation(link.host, alignedFrom),
    })),
  }
}
