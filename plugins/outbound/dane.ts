/** DANE: checks certificates against those that a domain pins in its DNS (RFC 6698; for SMTP, RFC 7672). */
import { createHash, X509Certificate } from 'node:crypto'

export type Tlsa = {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  readonly certificate: Buffer
}

/** The two usages that apply to SMTP, since they need no public authority (RFC 7672 3.1.3). */
const trustAnchor = 2
const endEntity = 3

/** Returns the usable records. A domain that has only unusable ones requires TLS with any certificate (RFC 7672 2.2). */
export function usable(records: readonly Tlsa[]): readonly Tlsa[] {
  return records.filter(
    ({ usage, selector, matchingType }) =>
      (usage === trustAnchor || usage === endEntity) && selector <= 1 && matchingType <= 2,
  )
}

/**
 * Whether the records accept a server with this chain (in DER, its own certificate first) now. `names` are the names that the
 * certificate may be for. Never throws.
 */
export function accepts(
  records: readonly Tlsa[],
  chain: readonly Buffer[],
  { names, now }: { readonly names: readonly string[]; readonly now: Date },
): boolean {
  try {
    const certificates = chain.map((raw) => new X509Certificate(raw))
    return records.some((record) =>
      record.usage === endEntity
        ? certificates[0] !== undefined && matches(record, certificates[0])
        : leadsTo(record, certificates, { names, now }),
    )
  } catch {
    return false // the server sent something that is not a certificate
  }
}

/** Whether one of the records names an authority. Certificates of an authority count only for the names of the server. */
export const pinsAuthority = (records: readonly Tlsa[]): boolean => records.some(({ usage }) => usage === trustAnchor)

/**
 * Whether the chain is valid for one of the names, and signed up to a certificate that the record names, each by an authority and within
 * its period of validity (RFC 7671 5.2). For a record that names the server's own certificate neither is checked (RFC 7671 5.1).
 */
function leadsTo(
  record: Tlsa,
  certificates: readonly X509Certificate[],
  { names, now }: { readonly names: readonly string[]; readonly now: Date },
): boolean {
  const [own] = certificates
  if (!names.some((name) => own?.checkHost(name) !== undefined)) return false
  for (const [n, certificate] of certificates.entries()) {
    const below = certificates[n - 1]
    if (now < certificate.validFromDate || now > certificate.validToDate) return false
    if (below !== undefined && !isSignedBy(below, certificate)) return false
    if (matches(record, certificate)) return true
  }
  return false
}

const isSignedBy = (below: X509Certificate, authority: X509Certificate) =>
  authority.ca && below.checkIssued(authority) && below.verify(authority.publicKey)

function matches({ selector, matchingType, certificate }: Tlsa, candidate: X509Certificate): boolean {
  const data = selector === 0 ? candidate.raw : candidate.publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = [null, 'sha256', 'sha512'][matchingType] ?? null
  return certificate.equals(algorithm === null ? data : createHash(algorithm).update(data).digest())
}
