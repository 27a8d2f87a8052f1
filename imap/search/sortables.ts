/** The messages that a search found, with what puts them in order. */
import { searchFields } from '../../core/programs/search-fields.ts'
import type { Session } from '../session.ts'
import type { Uid } from '../wire/numbers.ts'
import type { Sortable } from './sort.ts'

const atOnce = 500

export async function sortables({ ctx, folder }: Session, uids: readonly Uid[]): Promise<readonly Sortable[]> {
  const { table, folder: ref } = folder.view
  const found: Sortable[] = []
  for (let n = 0; n < uids.length; n += atOnce) {
    for (const fields of await searchFields(ctx, ref, uids.slice(n, n + atOnce))) {
      const uid = fields.uid as Uid
      const index = table.indexOf(uid)
      if (index >= 0) found.push({ uid, sizeBytes: table.sizeAt(index), receivedAt: table.dateAt(index), fields })
    }
  }
  return found
}
