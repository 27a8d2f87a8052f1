/** Documents of deliverability: reports about mail in the name of our domains, the TLS sessions that we report, and mail checks. */

type CheckedDomain = { readonly domain: string; readonly result: string; readonly selector?: string }

/** Mail from one IP address that the reporting receiver treated alike. */
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

/** The outcomes of TLS sessions with the domain's mail servers under one policy. */
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

/** One report about a domain. `_id` is computed from the domain, the reporter and the report's own id, so a repeated report counts once. */
export type DomainReportDoc = {
  readonly _id: string
  /** null: the report is about the shared domain. */
  readonly accountId: string | null
  readonly domain: string
  /** The domain that the mail with the report was authenticated to come from. */
  readonly reporter: string
  /** The names that the reporter gives to itself and to the report. */
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
      /** How many mails are in the rows that exceed the maximum and are not kept. */
      readonly omitted: number
    }
  | { readonly kind: 'tls'; readonly policies: readonly TlsPolicyDoc[] }
)

/** The policy of a domain that applied to one of our sessions, in the form of RFC 8460 4.4. */
export type ReportedPolicyDoc = {
  readonly type: 'sts' | 'tlsa' | 'no-policy-found'
  readonly strings: readonly string[]
  readonly mxHosts: readonly string[]
}

/** Sessions with a mail server of another domain that had the same policy and outcome. */
export type TlsKindDoc = {
  readonly policy: ReportedPolicyDoc
  /** Name and address of the server. */
  readonly mx: string
  readonly address: string
  /** Why TLS did not satisfy the policy (RFC 8460 4.3); null if it did. */
  readonly failure: { readonly type: string; readonly detail: string | null } | null
}

/** Our sessions with the mail servers of another domain on one day (UTC), until they are reported. `_id` is `<day> <domain>`. */
export type TlsResultDoc = {
  readonly _id: string
  readonly day: string
  readonly domain: string
  /** When the report is due. The process that makes it sets this to the end of its lease, so that the report is due again if it dies. */
  readonly dueAt: Date
  readonly expiresAt: Date
  readonly kinds: { readonly [id: string]: { readonly kind: TlsKindDoc; readonly sessions: number } }
  /** The destinations that the report was already sent to. */
  readonly sentTo?: readonly string[]
}

/** What was found about a mail to the check mailbox. `_id` is the id in the address that it was sent to. */
export type CheckDoc = {
  readonly _id: string
  readonly at: Date
  readonly expiresAt: Date
  readonly client: string
  readonly helo: string
  /** Null without TLS. */
  readonly cipher: string | null
  /** The results in the form of Authentication-Results (RFC 8601 2.2); null when the sender was not verified. */
  readonly results: readonly string[] | null
}
