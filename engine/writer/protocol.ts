/** What the main thread and the writer thread tell each other. */

/** One write: a whole wire message, or a task of the engine itself. */
export type WriteRequest =
  | { readonly id: number; readonly kind: 'command'; readonly message: Uint8Array }
  | { readonly id: number; readonly kind: 'expire'; readonly now: number }
  | { readonly id: number; readonly kind: 'backup'; readonly path: string }

export type ToWriter =
  | { readonly kind: 'writes'; readonly requests: readonly WriteRequest[] }
  /** Answers what is queued, then closes the file and exits. */
  | { readonly kind: 'stop' }

/** Answers of one group, committed: `bytes` holds the reply documents one after another, `ends` their ends. */
export type Answers = {
  readonly kind: 'answers'
  readonly ids: readonly number[]
  readonly ends: readonly number[]
  readonly bytes: Uint8Array
}

export type FromWriter =
  | { readonly kind: 'ready'; readonly cleanStart: boolean }
  | Answers
  /** The file cannot be written any more; every later write is refused. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }

export type WriterData = {
  readonly dir: string
  readonly noTableScan: boolean
  readonly syncDelayMs: number
  readonly fileBytesMax: number
}
