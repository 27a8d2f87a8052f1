/** The part of Haraka 3.3 that our plugins touch, and nothing else of it. */
import type { Server as NetServer } from 'node:net'
import type { Address } from '@haraka/email-address'
import type { Recipient } from '../core/recipients.ts'

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

/** Parameters of MAIL (RFC 5321 3.3) by their upper-case names; null: named without a value. */
export type MailParameters = { readonly [name: string]: string | null | undefined }

/** What hooks of one transaction leave for later ones. */
export type TransactionNotes = {
  /** Set by Haraka: a line was longer than it can keep. */
  data_line_length_exceeded?: boolean
  /** What MAIL said beside the address. */
  parameters?: MailParameters
  /** The recipients accepted so far, in order. */
  recipients?: Recipient[]
  /** The text of the 250 after DATA. */
  accepted?: string
}

export type Transaction = {
  readonly uuid: string
  readonly mail_from: Address
  readonly rcpt_to: readonly Address[]
  readonly notes: TransactionNotes
  /** Called with each line of DATA as it came: CRLF at the end, leading dot not yet removed. */
  add_data(line: Buffer): void
  /** True: Haraka keeps nothing of the message itself. */
  discard_data: boolean
  readonly message_stream: { destroy(): void }
}

export type Connection = Logs & {
  readonly uuid: string
  readonly state: number
  readonly remote: { readonly ip: string }
  readonly local: { readonly host: string }
  readonly hello: { readonly host: string | null; readonly verb: string | null }
  readonly tls: { readonly enabled: boolean; readonly cipher?: { readonly name?: string; readonly version?: string } }
  readonly transaction: Transaction | null
  readonly last_response: string | null
  capabilities: string[] | null
  respond(code: number, text: unknown, done?: () => void): unknown
  disconnect(): void
}

/** One address to deliver to, as the get_mx hook answers it. */
export type MailExchanger = { readonly exchange: string; readonly port: number; readonly from_dns?: string }

export type OutboundSocket = {
  setTimeout(ms: number): void
  write(data: Buffer, encoding: undefined, done: (error?: Error | null) => void): boolean
  destroy(): void
}

/** What the outbound engine does with the stream of a message. */
export type DataStream = {
  on(event: string, listener: () => void): DataStream
  pipe(socket: OutboundSocket, options: { end: boolean }): void
}

export type Todo = {
  readonly uuid: string
  readonly queue_time: number
  readonly domain: string
  readonly mail_from: Address
  readonly rcpt_to: readonly Address[]
  readonly notes: { readonly [name: string]: unknown }
}

/** A message in Haraka's outbound engine (outbound/hmail.js). */
export declare class HMailItem implements Logs {
  constructor(filename: string, path: string)
  todo: Todo
  mxlist: MailExchanger[]
  refcount: number
  force_tls: boolean
  next_cb(): void
  size_file(): Promise<void>
  data_stream(): DataStream
  try_deliver(): Promise<void>
  try_deliver_host_on_socket(mx: MailExchanger, host: string, port: number, socket: OutboundSocket): void
  temp_fail(reason: string, extra?: unknown): void
  bounce(reason: string, extra?: unknown): void
  discard(): void
  logprotocol(line: string): void
  logerror(...parts: readonly unknown[]): void
  logwarn(...parts: readonly unknown[]): void
}

/** The modules of outbound/ that the engine is driven through. */
export type OutboundModules = {
  readonly HMailItem: typeof HMailItem
  readonly deliveryQueue: { push(mail: HMailItem): void }
  readonly newFileName: () => string
  readonly pool: {
    get_client(mx: MailExchanger, done: (error: string | null, socket: OutboundSocket | null) => void): void
  }
  readonly tls: { check_tls_nogo(host: string, go: () => void, noGo: (when: string) => void): void }
}
