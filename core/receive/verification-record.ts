import type { Verification } from '../../schemas/messages.ts'
import type { VerificationDoc } from '../../store/documents/mail.ts'

/** The codes and links of a message as callers see them (decisions.md 4, verification). */
export function verificationRecord({ codes, links }: VerificationDoc): Verification {
  return { codes, links: links.map(({ url, host, sameOrg }) => ({ url, host, same_org: sameOrg })) }
}
