/** Pages of a list, newest first. A cursor names the last row of a page, so that it stays valid while rows come and go. */

import { type IdPrefix, idPattern } from '../../schemas/ids.ts'
import { notACursor } from '../../schemas/refusals.ts'
import type { Portion } from '../../store/reads.ts'

export type Page<T> = { readonly items: readonly T[]; readonly next: string | null }

/**
 * Makes a page of at most `limit` rows. The caller reads one row more than `limit`, which shows whether there is a next page.
 */
export function pageOf<T extends { readonly _id: string }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit)
  return { items, next: rows.length > limit ? encodeIdCursor(items.at(-1)!._id) : null }
}

/** Makes a page of a portion (store/reads.ts). */
export function pageOfPortion<T extends { readonly _id: string }>({ docs, isMore }: Portion<T>): Page<T> {
  return { items: docs, next: isMore ? encodeIdCursor(docs.at(-1)!._id) : null }
}

/** How many rows of a list are read at once to walk through all of it. */
const walkedRows = 200

/** All rows of a list, a page at a time. `read` returns at most `limit` rows that follow the one with the id `last`; null: from the first. */
export async function* walkPages<T extends { readonly _id: string }>(
  read: (last: string | null, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let last: string | null = null; ; ) {
    const rows: readonly T[] = await read(last, walkedRows)
    yield rows
    if (rows.length < walkedRows) return
    last = rows.at(-1)!._id
  }
}

/**
 * The row id that a cursor names; null without a cursor. Fails with `validation_error` when the cursor is not one that
 * `encodeIdCursor` made for this kind of id.
 */
export function readIdCursor(cursor: string | null | undefined, prefix: IdPrefix): string | null {
  if (cursor === null || cursor === undefined) return null
  const id = Buffer.from(cursor, 'base64url').toString('latin1')
  if (!new RegExp(idPattern(prefix)).test(id) || encodeIdCursor(id) !== cursor) throw notACursor('before')
  return id
}

/** The cursor that names a row by its id. */
export const encodeIdCursor = (id: string): string => Buffer.from(id, 'latin1').toString('base64url')

/** A position in a list that is ordered by time and then by key: the page begins with the row after it. */
export type TimePosition = { readonly at: Date; readonly key: string }

/** The cursor that names a position. */
export function encodeTimeCursor({ at, key }: TimePosition): string {
  return Buffer.from(`${at.getTime()} ${key}`).toString('base64url')
}

/**
 * The position that a cursor names; null without a cursor. Fails with `validation_error` when `encodeTimeCursor` did
 * not make it.
 */
export function readTimeCursor(cursor: string | undefined): TimePosition | null {
  if (cursor === undefined) return null
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, at, key] = /^(\d{1,15}) (.+)$/s.exec(text) ?? []
  if (at === undefined || key === undefined || Buffer.from(text).toString('base64url') !== cursor)
    throw notACursor('before')
  return { at: new Date(Number(at)), key }
}
