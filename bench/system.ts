/** What a system under measurement can be asked. */

export type Batch = { readonly count: number; readonly sizeBytes: number }

export type Delivered = {
  /** When the last message could be read (`performance.now()`). */
  readonly readable: number
  /** When nothing was left to do for any of them. */
  readonly settled: number
}

export type System = {
  readonly name: string
  readonly port: number
  /** Roots of its process trees. */
  readonly pids: readonly number[]
  /** Before a run; answers what `delivered` and `verify` need to tell its messages from earlier ones. */
  mark(): Promise<number>
  /** Resolves when the messages of the run are in their mailboxes. */
  delivered(before: number, batch: Batch): Promise<Delivered>
  /** Throws when messages of the run are missing or cut. */
  verify(before: number, batch: Batch): Promise<void>
  stop(): Promise<void>
}
