/** Documents of domains: claims, the domains themselves, and what the built-in DNS server serves of them. */
import type { Binary } from 'mongodb'
import type { StsMode } from '../../schemas/settings.ts'

export type DkimKey = {
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  readonly privateKey: Binary
  readonly publicRecord: string
}

/** A domain that is in use: it sends and receives. */
export type DomainDoc = {
  /** The domain as A-label, lower-case. */
  readonly _id: string
  /** null: the service's own shared domain. */
  readonly accountId: string | null
  /** Set for a subdomain of the shared domain, which signs with the DKIM keys of this parent. */
  readonly parent: string | null
  readonly status: 'pending' | 'verified' | 'broken' | 'removed'
  readonly verifiedAt: Date | null
  readonly dkim: readonly DkimKey[]
  readonly defaultDisplayName: string | null
  /** What its MTA-STS policy asks of senders; absent: what the settings say. */
  readonly stsMode?: StsMode
  readonly createdAt: Date
}

/** An account's wish for a domain. Any number of accounts may have one for the same domain; the first that verifies it wins. */
export type DomainClaimDoc = {
  readonly _id: string
  readonly accountId: string
  readonly domain: string
  readonly dkim: readonly DkimKey[]
  /** What the owner publishes to show that the domain is theirs. */
  readonly token: string
  readonly defaultDisplayName: string | null
  readonly createdAt: Date
}

/** What the built-in DNS server may serve of a domain: which version of it there is. */
export type ZoneDoc = {
  /** The domain as A-label, lower-case. */
  readonly _id: string
  /** Who verified it, or has claimed it first; null: the service. */
  readonly accountId: string | null
  /** Of its SOA record (RFC 1035 3.3.13): it only rises, also when a zone is made anew. */
  readonly serial: number
  readonly changedAt: Date
}

/** A record of a zone. Those of several claims for one domain lie beside each other. */
export type ZoneRecordDoc = {
  readonly _id: string
  readonly domain: string
  readonly accountId: string | null
  /** Relative to the domain, lower-case; '@' is the domain itself. */
  readonly name: string
  readonly type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'SRV' | 'CAA' | 'NS'
  /** In the form of core/zones/record-types.ts. */
  readonly value: string
  readonly ttlSeconds: number
  /** Of MX and SRV. */
  readonly priority: number | null
  /** What the service keeps it for, and keeps it up to date; null: it is its owner's own. */
  readonly managed: string | null
  readonly createdAt: Date
  /** Of what is published for minutes: when it goes if nobody withdraws it. */
  readonly expiresAt?: Date
}
