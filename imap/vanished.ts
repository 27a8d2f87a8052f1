/** Which UIDs of a set are gone (RFC 7162 3.2.10). Expunged messages leave no record: a UID without a message is gone. */
import type { Session } from './session.ts'
import { orderedRanges, type Range } from './wire/numbers.ts'

/** Writes VANISHED (EARLIER) for the UIDs of a set that have no message. */
export function tellVanished({ folder, writer }: Session, set: readonly Range[]): void {
  const { table, uidNext } = folder.view
  const gone: string[] = []
  const add = (from: number, to: number) => {
    if (from <= to) gone.push(from === to ? `${from}` : `${from}:${to}`)
  }
  for (const range of orderedRanges(set, uidNext - 1)) {
    const to = Math.min(range.to, uidNext - 1)
    let next = range.from
    for (let n = table.indexAbove(next); n < table.size && table.uidAt(n) <= to; n++) {
      add(next, table.uidAt(n) - 1)
      next = table.uidAt(n) + 1
    }
    add(next, to)
  }
  if (gone.length > 0) writer.line(`* VANISHED (EARLIER) ${gone.join(',')}`)
}
