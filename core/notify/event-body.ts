/**
 * The wire form of an event, the same in webhooks, the event list and the event stream (interface.md, Webhook event
 * envelope).
 */
import { notACursor } from '../../schemas/refusals.ts'
import type { EventDoc } from '../../store/documents/events.ts'

export type Event = {
  readonly id: string
  readonly type: string
  /** ISO 8601 UTC. */
  readonly created_at: string
  readonly cursor: string
  readonly sandbox?: boolean
  readonly customer_id?: string
  readonly data: { readonly [field: string]: unknown }
}

/** The wire form of an event. It is marked when it comes from a sandbox, and names the customer when it is a partner's. */
export function eventOf(doc: EventDoc, { sandbox = false }: { readonly sandbox?: boolean }): Event {
  const { customerId } = doc
  return {
    id: doc._id,
    type: doc.type,
    created_at: doc.createdAt.toISOString(),
    cursor: cursorOf(doc),
    ...((sandbox || doc.sandbox) && { sandbox: true }),
    ...(customerId !== undefined && { customer_id: customerId }),
    data: doc.data,
  }
}

/** The name of an account in cursors. */
export const cursorTag = (accountId: string): string => accountId.slice(-8)

/** The cursor of an event: opaque to callers, made of its number, its time and its account. */
export function cursorOf({ seq, createdAt, accountId }: Pick<EventDoc, 'seq' | 'createdAt' | 'accountId'>): string {
  return Buffer.from(`${seq}.${createdAt.getTime()}.${cursorTag(accountId)}`).toString('base64url')
}

/** Reads a cursor; `param` is the field it came in. Cursors of earlier versions name no account. Fails with `validation_error`. */
export function readCursor(cursor: string, param: string): { seq: number; at: Date; tag: string | null } {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const [, seq, ms, tag = null] = /^(\d{1,15})\.(\d{1,15})(?:\.([0-9a-z]{8}))?$/.exec(text) ?? []
  if (seq === undefined) throw notACursor(param)
  return { seq: Number(seq), at: new Date(Number(ms)), tag }
}
