/** Certificates that a domain pins in its DNS (RFC 6698, for SMTP RFC 7672). */
import { createHash, X509Certificate } from 'node:crypto'

export type Tlsa = {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  readonly certificate: Buffer
}

/** RFC 7672 3.1.3: the usages that say something without a public authority. */
const trustAnchor = 2
const endEntity = 3

/** Those of the records that can be used; a domain with none of them asks for TLS, whatever the certificate (RFC 7672 2.2). */
export function usable(records: readonly Tlsa[]): readonly Tlsa[] {
  return records.filter(
    ({ usage, selector, matchingType }) =>
      (usage === trustAnchor || usage === endEntity) && selector <= 1 && matchingType <= 2,
  )
}

/** Whether a server with this chain (DER, its own certificate first) and name is one that the records mean. Never throws. */
export function accepts(records: readonly Tlsa[], chain: readonly Buffer[], name: string): boolean {
  try {
    const certificates = chain.map((raw) => new X509Certificate(raw))
    return records.some((record) =>
      record.usage === endEntity
        ? certificates[0] !== undefined && matches(record, certificates[0])
        : leadsTo(record, certificates, name),
    )
  } catch {
    return false // what the server sent is no certificate
  }
}

/** Whether the chain is signed up to a certificate that the record names, and is for that name. */
function leadsTo(record: Tlsa, certificates: readonly X509Certificate[], name: string): boolean {
  const [own] = certificates
  if (own?.checkHost(name) === undefined) return false
  for (const [n, certificate] of certificates.entries()) {
    const below = certificates[n - 1]
    if (below !== undefined && !(below.checkIssued(certificate) && below.verify(certificate.publicKey))) return false
    if (matches(record, certificate)) return true
  }
  return false
}

function matches({ selector, matchingType, certificate }: Tlsa, candidate: X509Certificate): boolean {
  const data = selector === 0 ? candidate.raw : candidate.publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = [null, 'sha256', 'sha512'][matchingType] ?? null
  return certificate.equals(algorithm === null ? data : createHash(algorithm).update(data).digest())
}
