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
  /** The trace context of the send, if it is traced. */
  readonly traceparent?: string
  readonly sizeBytes: number
  /** Whether the mail is sent whatever TLS the server offers and whatever policy its domain has. */
  readonly anyTls?: boolean
  /** Until when this attempt is known to hold the lease of its outbox row; moved ahead when the lease is renewed. */
  heldUntil: Date
  /** Reads the bytes to send. Fails with `internal_error` if they are missing. */
  readRaw(): Promise<Buffer>
}

export type Outcome = {
  readonly status: 'delivered' | 'deferred' | 'bounced'
  /** The response of the remote server, word for word. */
  readonly response: string
  readonly mx: string | null
  readonly tls: boolean
  readonly at: Date
  /** How long to wait at least before the next attempt, if the remote server or the transport said so. */
  readonly retryAfterSeconds?: number
  /** Whether the connection ended after the final dot but before a response: the mail may have been accepted. */
  readonly ambiguous?: boolean
  /** Whether no server was contacted. Such an attempt does not count and is not recorded. */
  readonly untried?: boolean
  /** Whether no connection got far enough to begin the mail. Another server may take it. */
  readonly unreached?: boolean
  /** Whether the server refused the mail or its sender, rather than the recipient. */
  readonly ofMail?: boolean
}
