/**
 * Removes parts of files that no entry of Drive names. They remain after a crash between the change of an entry and the deletion of
 * its old parts.
 */
import { removeParts, unusedParts, walkParts } from '../../store/drive.ts'
import { readState, writeState } from '../../store/records.ts'
import type { Context } from '../process/context.ts'

const place = 'sweptParts'
const pageSize = 100
const pagesMax = 10

/** Removes unused parts, up to a limit per run. The next run continues after them, and starts over at the end. Returns how many. */
export async function sweepParts({ store }: Context): Promise<number> {
  let after = (await readState<string>(store, place)) ?? ''
  let removed = 0
  for (let page = 0; page < pagesMax; page++) {
    const ids = await walkParts(store, { after, limit: pageSize })
    const unused = await unusedParts(store, ids)
    await removeParts(
      store,
      unused.map((id) => ({ id })),
    )
    removed += unused.length
    after = ids.length < pageSize ? '' : ids.at(-1)!
    await writeState(store, place, after)
    if (after === '') break
  }
  return removed
}
