/** Documents of domains: claims, the domains themselves, and what the built-in DNS server serves of them. */
import type { recordTypes } from '../../schemas/domains.ts'
import type { StsMode } from '../../schemas/settings.ts'
import type { Sealed } from './sealed.ts'

export type DkimKey = {
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  readonly privateKey: Sealed
  readonly publicRecord: string
  /**
   * `next`: it is published, and signs when it was seen in the DNS. `last`: it signs no more, and stays published for mail that is on
   * its way. Absent: it signs.
   */
  readonly use?: 'next' | 'last'
  /** Since when; absent for a key that signs from its domain's first day. */
  readonly since?: Date
}

/** What the DNS was last seen to hold for a record to publish. */
export type RecordLook = {
  /** Which record (core/domains/records-to-publish.ts). */
  readonly purpose: string
  /** As a zone file writes them. */
  readonly found: readonly string[]
  readonly ok: boolean
  /** What to change; null when nothing is. */
  readonly fix: string | null
  /** Whether it was right at some time: only then it can break. */
  readonly wasOk: boolean
  /** Since when it is wrong; null while it is right, or nobody answered. */
  readonly wrongSince: Date | null
  /** Whether it is known to have gone missing or to have changed, and its owner was told. */
  readonly broken: boolean
}

/** What a change of a domain's state is told of. */
export type DomainNews = {
  readonly type: 'domain.verified' | 'domain.dns_broken' | 'domain.expiring'
  readonly at: Date
  readonly purpose?: string
}

/** How the DNS of a domain was found, and when it is looked at next. */
export type Watched = {
  readonly looks: readonly RecordLook[]
  readonly lookedAt: Date | null
  /** When it is looked at next; while somebody does, the end of that lease. */
  readonly dueAt: Date
  /** The last pause between two looks. */
  readonly pauseMs: number
  /** Counts the looks that were written down, so that of two at once one is. */
  readonly rev: number
}

/** Who keeps the records of a domain's zone; absent: our own server. */
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
  /** What its MTA-STS policy asks of senders; absent: what the settings say. */
  readonly stsMode?: StsMode
  readonly createdAt: Date
  /** What shows that its owner wants it here; absent for those of the service, and below the shared domain. */
  readonly token?: string
  readonly backend?: DnsBackend
  /** Absent for what nobody looks at: below the shared domain. */
  readonly watch?: Watched
  /** News whose events are not known to be recorded. */
  readonly untold?: readonly DomainNews[]
  /** When its registration ends, as an administrator or the registry says. */
  readonly expiresAt?: Date
  readonly expiryFrom?: 'administrator' | 'registry'
  /** When the registry was asked last. */
  readonly registryAskedAt?: Date
  /** For which end, and how many days before, its owner was told. */
  readonly expiryTold?: { readonly at: Date; readonly days: number }
  /** Which deletion it is under: no address is made on it any more. */
  readonly leaving?: string
}

/** An account's wish for a domain. Any number of accounts may have one for the same domain; the first that verifies it wins. */
export type DomainClaimDoc = Required<
  Pick<DomainDoc, 'dkim' | 'token' | 'defaultDisplayName' | 'createdAt' | 'watch'>
> &
  Pick<DomainDoc, 'backend'> & {
    readonly _id: string
    readonly accountId: string
    readonly domain: string
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
  /** Who changes it at the moment; absent when nobody does. */
  readonly lock?: { readonly token: string; readonly until: Date }
}

/** The key that an account's zone of a domain is signed with. `_id` is `<account id>:<domain>`. */
export type ZoneKeyDoc = {
  readonly _id: string
  readonly domain: string
  /** null: the service's. */
  readonly accountId: string | null
  /** PEM. */
  readonly privateKey: Sealed
  readonly createdAt: Date
  /** What takes its place, while that goes on. */
  readonly next?: NextZoneKey
}

/**
 * A key that takes the place of another. `published`: both are told, the old one signs; `signing`: the new one signs, and the zone above is to
 * name it; `vouched`: it does; `alone`: the old key is told no more.
 */
export type NextZoneKey = {
  /** PEM. */
  readonly privateKey: Sealed
  readonly createdAt: Date
  readonly state: 'published' | 'signing' | 'vouched' | 'alone'
  /** When all nodes were told to serve the state; null: they are still to be told. */
  readonly toldAt: Date | null
  /** When it is looked at again; a process that does so moves it on before. */
  readonly dueAt: Date
  /** Whether an administrator said that the zone above names it. */
  readonly isConfirmed: boolean
}

/** A record of a zone. Those of several claims for one domain lie beside each other. */
export type ZoneRecordDoc = {
  readonly _id: string
  readonly domain: string
  readonly accountId: string | null
  /** Relative to the domain, lower-case; '@' is the domain itself. */
  readonly name: string
  readonly type: (typeof recordTypes)[number]
  /** In the form of core/zones/record-types.ts. */
  readonly value: string
  readonly ttlSeconds: number
  /** Of MX and SRV. */
  readonly priority: number | null
  /** What the service keeps it for (core/domains/records-to-publish.ts), and keeps it up to date; null: it is its owner's own. */
  readonly purpose: string | null
  /** Of what the service kept: that its owner has changed it, or deleted it, and the service lets it be. */
  readonly byOwner?: 'changed' | 'deleted'
  readonly createdAt: Date
  /** Of what is published for minutes: when it goes if nobody withdraws it. */
  readonly expiresAt?: Date
}
