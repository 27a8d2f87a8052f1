/** Explains what a kind of failure in a TLS report means for the owner of the domain, and what to change (RFC 8460 4.3). */
import type { TlsFailureType } from './tls-report.ts'

type Words = { readonly explanation: string; readonly fix: string }

/** `host` is the mail server that the sender connected to. */
export function tlsFindingOf(type: TlsFailureType, host: string | null): Words {
  return words[type](host ?? 'the mail server')
}

const words: { readonly [T in TlsFailureType]: (host: string) => Words } = {
  'starttls-not-supported': (host) => ({
    explanation: `${host} did not offer STARTTLS.`,
    fix: `Let ${host} offer STARTTLS to everybody; look for a firewall or proxy in front of it that removes it.`,
  }),
  'certificate-host-mismatch': (host) => ({
    explanation: `The certificate of ${host} is for another name.`,
    fix: `Give ${host} a certificate that contains its name, or correct the MX record.`,
  }),
  'certificate-expired': (host) => ({
    explanation: `The certificate of ${host} has expired.`,
    fix: `Renew the certificate of ${host}.`,
  }),
  'certificate-not-trusted': (host) => ({
    explanation: `The certificate of ${host} is not from an authority that the sender trusts.`,
    fix: `Give ${host} a certificate from a public authority, with the intermediate certificates.`,
  }),
  'validation-failure': (host) => ({
    explanation: `TLS with ${host} failed.`,
    fix: `Make sure that ${host} offers TLS 1.2 and 1.3 with a complete and valid certificate.`,
  }),
  'tlsa-invalid': (host) => ({
    explanation: `No TLSA record matches the certificate of ${host}, or the records cannot be read.`,
    fix: `Publish a TLSA record of the certificate that ${host} has, two days before it gets another one.`,
  }),
  'dnssec-invalid': (host) => ({
    explanation: `DNSSEC does not vouch for the records of ${host}.`,
    fix: 'Repair the DNSSEC signatures of the zone, or remove the DS record.',
  }),
  'dane-required': (host) => ({
    explanation: `The sender insists on DANE, and no usable TLSA record of ${host} was found.`,
    fix: `Publish a TLSA record of ${host} in a signed zone.`,
  }),
  'sts-policy-fetch-error': () => ({
    explanation: 'The MTA-STS policy could not be fetched.',
    fix: 'Let https://mta-sts.<domain>/.well-known/mta-sts.txt answer with the policy, under a valid certificate.',
  }),
  'sts-policy-invalid': () => ({
    explanation: 'The MTA-STS policy cannot be read.',
    fix: 'Serve the policy as text/plain with version, mode, mx and max_age.',
  }),
  'sts-webpki-invalid': (host) => ({
    explanation: `The certificate of ${host} is not valid, although the MTA-STS policy requires it.`,
    fix: `Give ${host} a valid certificate from a public authority for its name, or name in the policy a server that has one.`,
  }),
  other: (host) => ({
    explanation: `Sessions with ${host} failed for another reason.`,
    fix: `Read the details from the sender, and check the log of ${host}.`,
  }),
}
