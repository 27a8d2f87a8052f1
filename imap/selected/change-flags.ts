/**
 * Changes flags of messages of a selected folder. If the view knows everything that was written to the folder and the change is a
 * quiet one (core/imap/known-flags.ts), no message is read, before or after. Otherwise the messages are read, changed and read again.
 */
import { changeFlags, type FlagChange, labelsAfter } from '../../core/imap/flags.ts'
import {
  changeKnownFlags,
  knownChangeMax,
  type QuietFlags,
  quietChange,
  type UidRange,
} from '../../core/imap/known-flags.ts'
import type { KnownFolder } from '../../core/mailbox/known-folders.ts'
import type { Context } from '../../core/process/context.ts'
import type { Uid } from '../wire/numbers.ts'
import type { FolderView } from './folder-view.ts'
import { bitsOf, flagBit, type MessageTable, sameLabels } from './message-table.ts'

/** As `changeFlags` of core. When it resolves, the view includes the change. */
export async function changeSelected(
  ctx: Context,
  { folder, view }: { readonly folder: KnownFolder; readonly view: FolderView },
  uids: readonly Uid[],
  change: FlagChange,
): Promise<readonly number[]> {
  const flags = quietChange(change)
  try {
    if (flags !== null && (await changeKnown(ctx, { folder, view }, uids, flags))) return []
    const known = view.isBehind ? undefined : view.modseq
    const { modified, only } = await changeFlags(ctx, folder, uids, change, { isShown: true, known })
    if (known !== undefined && only !== null && view.takeMessage(only, known)) return modified
    // A client that receives the new modseq assumes that it has been told of every lower one, so the view is refreshed first.
    if (known !== undefined && uids.length === 1) view.noteOthers()
    await view.refresh()
    return modified
  } catch (error) {
    // Part of the change may be written, and its note does not wake the view. If the refresh fails too, the first error is thrown.
    await view.refresh().catch(() => undefined)
    throw error
  }
}

/** Returns false if others keep writing to the folder; some of the messages may have been changed by then. */
async function changeKnown(
  ctx: Context,
  { folder, view }: { readonly folder: KnownFolder; readonly view: FolderView },
  uids: readonly Uid[],
  flags: QuietFlags,
): Promise<boolean> {
  const { table } = view
  const bits = { set: bitsOf(flags), clear: bitsOf(inverted(flags)) }
  const lacks = (index: number) => index >= 0 && !table.hasFlags(index, bits)
  // In this view every message has the flags already, but others may have changed them.
  if (!uids.some((uid) => lacks(table.indexOf(uid)))) await view.refresh()
  let isFresh = false
  for (let from = 0; from < uids.length; ) {
    const known = view.modseq
    const { to, count, ranges } = nextPart(uids, from, { table, lacks })
    const modseq = count === 0 ? known : await changeKnownFlags(ctx, folder, { ranges, count, flags, known })
    if (modseq === null && isFresh) return false
    isFresh = modseq === null
    if (modseq === null) await view.refresh()
    else {
      from = to
      view.takeFlags(ranges, bits, { known, modseq })
    }
  }
  return true
}

const inverted = ({ answered, deleted, draft }: QuietFlags): QuietFlags => ({
  answered: answered === false,
  deleted: deleted === false,
  draft: draft === false,
})

/** Returns the messages of the next write to the database, in ranges that contain no other message of the folder. */
function nextPart(
  uids: readonly Uid[],
  from: number,
  { table, lacks }: { readonly table: MessageTable; readonly lacks: (index: number) => boolean },
): { readonly to: number; readonly count: number; readonly ranges: readonly UidRange[] } {
  const ranges: { first: Uid; last: Uid }[] = []
  let [count, lastIndex, to] = [0, -2, from]
  for (; to < uids.length && count < knownChangeMax.messages; to++) {
    const uid = uids[to]!
    const index = table.indexOf(uid)
    if (!lacks(index)) continue
    const range = index === lastIndex + 1 ? ranges.at(-1) : undefined
    if (range === undefined && ranges.length === knownChangeMax.ranges) break
    if (range === undefined) ranges.push({ first: uid, last: uid })
    else range.last = uid
    lastIndex = index
    count += 1
  }
  return { to, count, ranges }
}

/**
 * Predicts the flags and keywords of messages after a change, as a client does that asked for no response (RFC 9051 6.4.6).
 * Returns a test of whether a message has them. If it does not, others have changed it in the meantime.
 */
export function foresee(table: MessageTable, uids: readonly Uid[], change: FlagChange): (uid: Uid) => boolean {
  const { mode, flags, labels } = change
  const given = [...flags].reduce((bits, flag) => bits | flagBit(flag), 0)
  const [kept, set] = mode === 'set' ? [0, given] : mode === 'add' ? [~0, given] : [~given, 0]
  const after = (index: number) => ({
    bits: (table.flagsAt(index) & kept) | set,
    labels: labelsAfter(table.labelsAt(index), mode, labels),
  })
  const foreseen = new Map(uids.map((uid) => [uid, after(table.indexOf(uid))]))
  return (uid) => {
    const index = table.indexOf(uid)
    const { bits, labels } = foreseen.get(uid)!
    return index < 0 || (table.flagsAt(index) === bits && sameLabels(table.labelsAt(index), labels))
  }
}
