/** One try to deliver to one recipient, and how it ended. */
export type Attempt = {
  /** `<em id>#<n>`. */
  readonly id: string
  readonly token: string
  readonly accountId: string
  readonly emailId: string
  readonly n: number
  /** Reverse path. */
  readonly sender: string
  readonly recipient: string
  readonly domain: string
  /** 1 for the first. */
  readonly attempt: number
  readonly firstAttemptAt: Date
  readonly messageIdHeader: string
  readonly sizeBytes: number
  /** Until when the recipient is this attempt's, as far as known: it moves on when the lease is renewed. */
  heldUntil: Date
  /** The bytes to send. Fails with `internal_error` when they are gone. */
  readRaw(): Promise<Buffer>
}

export type Outcome = {
  readonly status: 'delivered' | 'deferred' | 'bounced'
  /** The remote's answer, word for word. */
  readonly response: string
  readonly mx: string | null
  readonly tls: boolean
  readonly at: Date
  /** Earliest next attempt, when the remote or the transport says so. */
  readonly retryAfterSeconds?: number
  /** The connection ended after the final dot, before an answer. */
  readonly ambiguous?: boolean
  /** The server was left alone: this was no attempt, and the recipient is told nothing of it. */
  readonly untried?: boolean
}
