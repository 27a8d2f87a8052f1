/** The interface of a system under measurement. */

export type Batch = { readonly count: number; readonly sizeBytes: number }

export type Delivered = {
  /** When the last message could be read, by `performance.now()`. */
  readonly readable: number
  /** When no work was left for any of the messages, by `performance.now()`. */
  readonly settled: number
}

export type System = {
  readonly name: string
  readonly port: number
  /** The roots of its process trees. */
  readonly pids: readonly number[]
  /** Called before a run. Returns a mark by which `delivered` and `verify` tell the messages of the run from earlier ones. */
  mark(): Promise<number>
  /** Resolves when the messages of the run are in their mailboxes. */
  delivered(before: number, batch: Batch): Promise<Delivered>
  /** Throws if messages of the run are missing or cut off. */
  verify(before: number, batch: Batch): Promise<void>
  stop(): Promise<void>
}
