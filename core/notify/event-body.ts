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
  readonly data: { readonly [field: string]: unknown }
}

/** The wire form of an event. */
export function eventOf(doc: EventDoc): Event {
  return { id: doc._id, type: doc.type, created_at: doc.createdAt.toISOString(), cursor: cursorOf(doc), data: doc.data }
}

/** The cursor of an event: opaque to callers, made of its number and time. */
export function cursorOf({ seq, createdAt }: Pick<EventDoc, 'seq' | 'createdAt'>): string {
  return Buffer.from(`${seq}.${createdAt.getTime()}`).toString('base64url')
}

/** Reads a cursor; `param` is the field it came in. Fails with `validation_error`. */
export function readCursor(cursor: string, param: string): { seq: number; at: Date } {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) throw notACursor(param)
  return { seq: Number(match[1]), at: new Date(Number(match[2])) }
}
