/** Documents of domains: claims, the domains themselves, and what the built-in DNS server serves for them. */
import type { recordTypes } from '../../schemas/domains.ts'
import type { StsMode } from '../../schemas/settings.ts'
import type { Sealed } from './sealed.ts'

export type DkimKey = {
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  readonly privateKey: Sealed
  readonly publicRecord: string
  /**
   * `next`: published, and signs once it was seen in the DNS. `last`: no longer signs, but stays published for mail in transit.
   * Absent: signs.
   */
  readonly use?: 'next' | 'last'
  /** Since when `use` applies; absent for a key that has signed since its domain's first day. */
  readonly since?: Date
}

/** What the DNS was last seen to hold for a record to publish. */
export type RecordLook = {
  /** Which record (core/domains/records-to-publish.ts). */
  readonly purpose: string
  /** The values found, as in a zone file. */
  readonly found: readonly string[]
  readonly ok: boolean
  /** What the owner has to change; null if nothing. */
  readonly fix: string | null
  /** Whether the record was ever right: only then can it break. */
  readonly wasOk: boolean
  /** Since when the record has been wrong; null while it is right, or while the DNS does not answer. */
  readonly wrongSince: Date | null
  /** Whether the record is known to be missing or changed and the owner was notified. */
  readonly broken: boolean
}

/** A change of a domain's state from which an event is made. */
export type DomainNews = {
  readonly type: 'domain.verified' | 'domain.dns_broken' | 'domain.expiring'
  readonly at: Date
  readonly purpose?: string
}

/** The last known state of a domain's DNS records, and when they are looked up next. */
export type Watched = {
  readonly looks: readonly RecordLook[]
  readonly lookedAt: Date | null
  /** When the next look is due; while a process makes it, the end of that process's lease. */
  readonly dueAt: Date
  /** The last pause between two looks. */
  readonly pauseMs: number
  /** Counts the looks that were written, so that only one of two concurrent looks is. */
  readonly rev: number
}

/** Where the records of a domain's zone are kept, unless our own server keeps them. */
export type DnsBackend =
  | { readonly kind: 'by-hand' }
  | {
      /** RFC 2136. */
      readonly kind: 'dynamic-update'
      /** `host:port` of the primary. */
      readonly server: string
      /** The zone there, where it is one above the domain. */
      readonly zone?: string
      readonly keyName: string
      readonly algorithm: 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512'
      /** The secret in base64. */
      readonly secret: Sealed
    }

/** A domain that is in use: it sends and receives. */
export type DomainDoc = {
  /** The domain as A-label, lower-case. */
  readonly _id: string
  /** null: the service's own shared domain. */
  readonly accountId: string | null
  /** Set for a subdomain of the shared domain, which signs with the DKIM keys of this parent. */
  readonly parent: string | null
  readonly status: 'verified' | 'broken' | 'removed'
  readonly verifiedAt: Date | null
  readonly dkim: readonly DkimKey[]
  readonly defaultDisplayName: string | null
  /** The mode of its MTA-STS policy; absent: the mode in the settings. */
  readonly stsMode?: StsMode
  readonly createdAt: Date
  /** Proves that the domain's owner wants it here; absent for domains of the service and below the shared domain. */
  readonly token?: string
  readonly backend?: DnsBackend
  /** Absent for domains whose DNS is not watched: those below the shared domain. */
  readonly watch?: Watched
  /** State changes whose events are not known to be recorded yet. */
  readonly untold?: readonly DomainNews[]
  /** When its registration ends, according to an administrator or the registry. */
  readonly expiresAt?: Date
  readonly expiryFrom?: 'administrator' | 'registry'
  /** When the registry was last queried. */
  readonly registryAskedAt?: Date
  /** The expiry that its owner was last warned of, and how many days before it. */
  readonly expiryTold?: { readonly at: Date; readonly days: number }
  /** The token of the deletion in progress: no new address is created on the domain. */
  readonly leaving?: string
}

/** An account's claim to a domain. Any number of accounts may claim the same domain; the first that verifies it gets it. */
export type DomainClaimDoc = Required<
  Pick<DomainDoc, 'dkim' | 'token' | 'defaultDisplayName' | 'createdAt' | 'watch'>
> &
  Pick<DomainDoc, 'backend'> & {
    readonly _id: string
    readonly accountId: string
    readonly domain: string
  }

/** The current version of what the built-in DNS server may serve for a domain. */
export type ZoneDoc = {
  /** The domain as A-label, lower-case. */
  readonly _id: string
  /** The account that verified the domain, or claimed it first; null: the service. */
  readonly accountId: string | null
  /** The serial of its SOA record (RFC 1035 3.3.13). It only increases, even if the zone is created again. */
  readonly serial: number
  readonly changedAt: Date
  /** The lock of the process that is changing the zone; absent when none is. */
  readonly lock?: { readonly token: string; readonly until: Date }
}

/** The key that an account's zone of a domain is signed with. `_id` is `<account id>:<domain>`. */
export type ZoneKeyDoc = {
  readonly _id: string
  readonly domain: string
  /** null: the service. */
  readonly accountId: string | null
  /** PEM. */
  readonly privateKey: Sealed
  readonly createdAt: Date
  /** The key that is to replace this one, during a rollover. */
  readonly next?: NextZoneKey
}

/**
 * A key that replaces another, by the stage of the rollover. `published`: both keys are served and the old one signs. `signing`: the new
 * key signs, and the parent zone has yet to name it. `vouched`: the parent zone names it. `alone`: the old key is no longer served.
 */
export type NextZoneKey = {
  /** PEM. */
  readonly privateKey: Sealed
  readonly createdAt: Date
  readonly state: 'published' | 'signing' | 'vouched' | 'alone'
  /** When all nodes were told to serve this stage; null if they have yet to be told. */
  readonly toldAt: Date | null
  /** When the rollover is looked at next; a process postpones this before it does so. */
  readonly dueAt: Date
  /** Whether an administrator confirmed that the parent zone names the key. */
  readonly isConfirmed: boolean
}

/** A record of a zone. Several claims to one domain each have their own records. */
export type ZoneRecordDoc = {
  readonly _id: string
  readonly domain: string
  readonly accountId: string | null
  /** Relative to the domain, lower-case; '@' is the domain itself. */
  readonly name: string
  readonly type: (typeof recordTypes)[number]
  /** In the form that core/zones/record-types.ts defines. */
  readonly value: string
  readonly ttlSeconds: number
  /** For MX and SRV; null for other types. */
  readonly priority: number | null
  /** The purpose for which the service maintains the record (core/domains/records-to-publish.ts); null if the owner made it. */
  readonly purpose: string | null
  /** Set when the owner changed or deleted a record of the service, which then leaves it alone. */
  readonly byOwner?: 'changed' | 'deleted'
  readonly createdAt: Date
  /** For a record that is published for minutes only: when it expires if it is not withdrawn before. */
  readonly expiresAt?: Date
}
