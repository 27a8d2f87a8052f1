/** Types of the parts of Haraka 3.3 that our plugins use. */
import type { Server as NetServer } from 'node:net'
import type { Address } from '@haraka/email-address'
import type { Login } from '../core/account/login.ts'
import type { OpenSpan } from '../core/process/tracing.ts'
import type { Recipient } from '../core/receive/recipients.ts'
import type { beginJudging, Verdict } from '../core/receive/sender-verdict.ts'
import type { Question } from './submission/auth.ts'

export type Next = (retval?: number, message?: unknown) => void

export type Logs = {
  logerror(...parts: readonly unknown[]): void
  logwarn(...parts: readonly unknown[]): void
}

export type Plugin = Logs & {
  register_hook(hook: string, method: string, priority?: number): void
  /** A module of the running Haraka, by its path in the package. */
  haraka_require(module: string): unknown
}

export type Server = { readonly listeners: readonly NetServer[]; stopListeners(): void }

/** Parameters of MAIL (RFC 5321 3.3) by their upper-case names; null for one without a value. */
export type MailParameters = { readonly [name: string]: string | null | undefined }

/** Values that a hook of a transaction leaves for later hooks. */
export type TransactionNotes = {
  /** Set by Haraka if a line was longer than it can keep. */
  data_line_length_exceeded?: boolean
  /** The parameters of MAIL. */
  parameters?: MailParameters
  /** The whole message, from the end of DATA until it is stored. */
  message?: { readonly raw: Buffer } | undefined
  /** What plugins/verify started to look up about the sender before the message arrived. */
  begun?: ReturnType<typeof beginJudging>
  /** The verdict of plugins/verify about the message. */
  verdict?: Verdict
  /** The recipients accepted so far, in order. */
  recipients?: Recipient[]
  /** Recipients of a submitted message, in canonical form. */
  submitsTo?: string[]
  /** The span of the transaction, from DATA to its end. */
  span?: OpenSpan
  /** The text of the 250 after DATA. */
  accepted?: string
}

export type Transaction = {
  readonly uuid: string
  readonly mail_from: Address
  readonly rcpt_to: readonly Address[]
  readonly notes: TransactionNotes
  /** Called with each line of DATA as it arrives: with its CRLF, and with a stuffed dot at its start. */
  add_data(line: Buffer): void
  /** Bytes of DATA so far, which Haraka logs. */
  data_bytes: number
  /** True if Haraka itself should keep nothing of the message. */
  discard_data: boolean
  readonly message_stream: { destroy(): void }
}

export type Connection = Logs & {
  readonly uuid: string
  readonly state: number
  readonly remote: { readonly ip: string }
  /** Values that a hook of a session leaves for later hooks. */
  readonly notes: {
    login?: Login | undefined
    auth?: Question | undefined
    /** The current line of AUTH. */
    authLine?: string | undefined
    wrongLogins?: number
    /** Whether plugins/verify looked up a sender whose message has not arrived. */
    sendsNothing?: boolean
  }
  readonly hello: { readonly host: string | null; readonly verb: string | null }
  readonly tls: { readonly enabled: boolean; readonly cipher?: { readonly name?: string; readonly version?: string } }
  readonly transaction: Transaction | null
  /** The socket, encrypted or not. */
  readonly client: {
    readonly localPort?: number
    on(event: 'data', listener: (chunk: Buffer) => void): unknown
    pause(): void
    resume(): void
    write(text: string): unknown
    destroySoon(): void
    destroy(): void
  }
  /** What has arrived and was not taken as lines yet. */
  readonly current_data: Buffer | null
  readonly last_response: string | null
  capabilities: string[] | null
  respond(code: number, text: unknown, done?: () => void): unknown
  disconnect(): void
  /** Called when the hooks of a disconnect are done. */
  disconnect_respond(): void
}
