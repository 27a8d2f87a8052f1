/** Resolves the sets of messages that commands name. */
import type { Session } from './session.ts'
import { orderedRanges, type SequenceSet, type Uid } from './wire/numbers.ts'

export type Kind = 'uid' | 'seq'

/** Returns the UIDs of the messages that a set names, in order; `$` names the saved result (RFC 5182). Fails with Bad. */
export function uidsOf({ folder }: Session, set: SequenceSet, kind: Kind): Uid[] {
  if (set === '$') return folder.saved.filter((uid) => folder.tracker.seqOf(uid) !== null)
  return folder.tracker.uidsIn(set, kind)
}

/** As `uidsOf`, for SEARCH: sequence numbers without a message are left out. */
export function searchedUids(session: Session, set: SequenceSet, kind: Kind): Uid[] {
  if (set === '$' || kind === 'uid') return uidsOf(session, set, kind)
  const { tracker } = session.folder
  const { count } = tracker
  const existing = orderedRanges(set, count).filter(({ from }) => from >= 1 && from <= count)
  return tracker.uidsIn(
    existing.map(({ from, to }) => ({ from, to: Math.min(to, count) })),
    kind,
  )
}

/** As `uidsOf`, without messages that have been removed since the client was last told. */
export function presentUids(session: Session, set: SequenceSet, kind: Kind): Uid[] {
  const { table } = session.folder.view
  return uidsOf(session, set, kind).filter((uid) => table.indexOf(uid) >= 0)
}
