/** Pages: newest first, ended by a cursor that names the last row, so that it keeps working while rows come and go. */
import { Failure } from '../../schemas/failures.ts'
import { type IdPrefix, idPattern } from '../../schemas/ids.ts'

export type Page<T> = { readonly items: readonly T[]; readonly next: string | null }

/** The first `limit` of rows that were asked for with one more, to know whether there is a next page. */
export function pageOf<T extends { readonly _id: string }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  return { items, next: rows.length > limit ? encodeCursor(items.at(-1)!._id) : null }
}

/** The row id a cursor names; null without a cursor. Fails with `validation_error` when it is not one of ours. */
export function positionOf(cursor: string | null | undefined, prefix: IdPrefix): string | null {
  if (cursor === null || cursor === undefined) return null
  const id = Buffer.from(cursor, 'base64url').toString('latin1')
  if (!new RegExp(idPattern(prefix)).test(id) || encodeCursor(id) !== cursor)
    throw new Failure('validation_error', '"before" is not a cursor of this list.', { param: 'before' })
  return id
}

export const encodeCursor = (id: string): string => Buffer.from(id, 'latin1').toString('base64url')

/** A place in a list that is ordered by time and then by a key: rows behind it follow. */
export type TimePosition = { readonly at: Date; readonly key: string }

export function encodeTimePosition({ at, key }: TimePosition): string {
  return Buffer.from(`${at.getTime()} ${key}`).toString('base64url')
}

/** The place a cursor names; null without a cursor. Fails with `validation_error` when it is not one of ours. */
export function readTimePosition(cursor: string | undefined): TimePosition | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, at, key] = /^(\d{1,15}) (.+)$/s.exec(text) ?? []
  if (at === undefined || key === undefined || Buffer.from(text).toString('base64url') !== cursor)
    throw new Failure('validation_error', '"before" is not a cursor of this list.', { param: 'before' })
  return { at: new Date(Number(at)), key }
}
