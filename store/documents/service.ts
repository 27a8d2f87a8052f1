/** Documents of the service itself: its change feed and its small durable facts. */

/** A note that something changed: `_id.n` counts without a gap within one writer. */
export type ChangeDoc = {
  readonly _id: { readonly w: string; readonly n: number }
  readonly at: Date
  readonly note: ChangeNote
}

export type ChangeNote =
  /** Nothing: the first note of a collection. */
  | { readonly kind: 'begin' }
  /** Messages that came in; `mailboxIds` names each mailbox once. */
  | { readonly kind: 'messages'; readonly ids: readonly string[]; readonly mailboxIds: readonly string[] }
  /** Messages that were stored or changed otherwise: Sent copies, drafts. */
  | { readonly kind: 'stored'; readonly ids: readonly string[] }
  /** Sends of which there is something to derive. */
  | { readonly kind: 'emails'; readonly ids: readonly string[] }
  | { readonly kind: 'due'; readonly accountIds: readonly string[] }
  | { readonly kind: 'address'; readonly addresses: readonly string[] }
  /** Folders whose counts changed, with the messages that changed in them if it was those that did it. */
  | { readonly kind: 'folders'; readonly mailboxId: string; readonly messageIds?: readonly string[] }
  /** A message whose lease was given back. */
  | { readonly kind: 'freed'; readonly mailboxId: string; readonly messageId: string }
  | { readonly kind: 'webhooks'; readonly accountIds: readonly string[] }
  /** Keys that were revoked. */
  | { readonly kind: 'keys'; readonly keyIds: readonly string[] }

/** Small durable facts of the service itself: schema versions, watermarks. */
export type StateDoc = { readonly _id: string; readonly value: unknown }
