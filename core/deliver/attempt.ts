/** One attempt to deliver mail to one recipient, and its outcome. */
export type Attempt = {
  /** Id of the outbox row: `<email id>#<n>`. */
  readonly id: string
  readonly token: string
  readonly accountId: string
  readonly emailId: string
  readonly n: number
  /** The reverse-path. */
  readonly sender: string
  readonly recipient: string
  readonly domain: string
  /** Number of the attempt, from 1. */
  readonly attempt: number
  readonly firstAttemptAt: Date
  readonly messageIdHeader: string
  /** The span of the send, if there is one. */
  readonly traceparent?: string
  readonly sizeBytes: number
  /** Whether it goes whatever TLS the other side has, and whatever it asks for. */
  readonly anyTls?: boolean
  /** Until when this attempt holds the lease of its outbox row, as far as known; later when the lease is renewed. */
  heldUntil: Date
  /** Reads the bytes to send. Fails with `internal_error` when they are missing. */
  readRaw(): Promise<Buffer>
}

export type Outcome = {
  readonly status: 'delivered' | 'deferred' | 'bounced'
  /** The answer of the remote server, word for word. */
  readonly response: string
  readonly mx: string | null
  readonly tls: boolean
  readonly at: Date
  /** The earliest time for the next attempt, when the remote server or the transport gave one. */
  readonly retryAfterSeconds?: number
  /** Whether the connection ended after the final dot, before an answer: the mail may have been accepted. */
  readonly ambiguous?: boolean
  /** Whether no server was contacted: this does not count as an attempt, and is not recorded. */
  readonly untried?: boolean
  /** Whether no connection came so far that the mail could begin: another server may take it. */
  readonly unreached?: boolean
  /** Whether the mail or its sender was refused, whoever was to get it. */
  readonly ofMail?: boolean
}
