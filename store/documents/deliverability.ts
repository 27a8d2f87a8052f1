/** What others report of mail in the name of our domains. */

type CheckedDomain = { readonly domain: string; readonly result: string; readonly selector?: string }

/** Mail from one address that fared alike at the receiver who reports. */
export type SourceRowDoc = {
  readonly source: string
  readonly count: number
  readonly disposition: 'none' | 'quarantine' | 'reject'
  readonly dkim: boolean
  readonly spf: boolean
  readonly overrides: readonly string[]
  readonly headerFrom: string
  readonly dkimResults: readonly CheckedDomain[]
  readonly spfResults: readonly CheckedDomain[]
}

/** How TLS sessions with the mail servers of the domain fared under one policy. */
export type TlsPolicyDoc = {
  readonly type: string
  readonly domain: string
  readonly successful: number
  readonly failed: number
  readonly failures: readonly {
    readonly type: string
    readonly sessions: number
    readonly sendingAddress: string | null
    readonly receivingHost: string | null
    readonly receivingAddress: string | null
    readonly detail: string | null
  }[]
}

/** One report about a domain. `_id` is computed from the domain, the reporter and the report's own id: it counts once. */
export type DomainReportDoc = {
  readonly _id: string
  /** null: about the shared domain. */
  readonly accountId: string | null
  readonly domain: string
  /** The domain that the mail with the report was authenticated to come from. */
  readonly reporter: string
  /** What the reporter calls itself, and the report. */
  readonly organisation: string
  readonly reportId: string
  readonly from: Date
  readonly until: Date
  readonly receivedAt: Date
  readonly expiresAt: Date
} & (
  | {
      readonly kind: 'dmarc'
      readonly rows: readonly SourceRowDoc[]
      /** Mail in rows that were too many to keep. */
      readonly omitted: number
    }
  | { readonly kind: 'tls'; readonly policies: readonly TlsPolicyDoc[] }
)

/** The policy of a domain that a session of ours was under, as RFC 8460 4.4 writes it. */
export type ToldPolicyDoc = {
  readonly type: 'sts' | 'tlsa' | 'no-policy-found'
  readonly strings: readonly string[]
  readonly mxHosts: readonly string[]
}

/** Sessions with a mail server of another domain that went alike. */
export type TlsKindDoc = {
  readonly policy: ToldPolicyDoc
  /** Name and address of the server. */
  readonly mx: string
  readonly address: string
  /** Why TLS was not as the policy asks for it (RFC 8460 4.3); null: it was. */
  readonly failure: { readonly type: string; readonly detail: string | null } | null
}

/** Our sessions with the mail servers of another domain on one day (UTC), until they are reported. `_id` is `<day> <domain>`. */
export type TlsResultDoc = {
  readonly _id: string
  readonly day: string
  readonly domain: string
  /** When the report is due; while somebody makes it, when it is due if he dies. */
  readonly dueAt: Date
  readonly expiresAt: Date
  readonly kinds: { readonly [id: string]: { readonly kind: TlsKindDoc; readonly sessions: number } }
  /** Where the report went already. */
  readonly sentTo?: readonly string[]
}

/** What was found of a mail to the check mailbox. `_id` is the id in its address. */
export type CheckDoc = {
  readonly _id: string
  readonly at: Date
  readonly expiresAt: Date
  readonly client: string
  readonly helo: string
  /** Null without TLS. */
  readonly cipher: string | null
  /** The results as Authentication-Results tells them (RFC 8601 2.2); null when the sender was not verified. */
  readonly results: readonly string[] | null
}
