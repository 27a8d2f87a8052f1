/** What a mail asks its reader to copy or to open (decisions.md 4, verification): found on arrival, cheaply and deterministically. */

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

/** The same, judged by what is known of the sender. */
export type Verification = {
  readonly codes: readonly VerificationCode[]
  /** `sameOrg`: whether the link leads to the organisation that sent the mail. */
  readonly links: readonly (VerificationLink & { readonly sameOrg: boolean })[]
}

/** The share of its confidence that a code keeps if its sender is not authenticated. */
const unauthenticatedShare = 0.7

/**
 * Finds the codes and links of a message; null when there are none, and for encrypted mail. The HTML is read only when nothing is
 * found in the plain text. Work is bounded by `limits`. Never throws.
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
 * Binds what was found to the domain that the sender proved. Without one (null) no link counts as that of the same
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
