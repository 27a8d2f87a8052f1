/** The messages that a command names. */
import type { Session } from './session.ts'
import { orderedRanges, type SequenceSet, type Uid } from './wire/numbers.ts'

export type Kind = 'uid' | 'seq'

/** The UIDs of the messages that a set names, in order; `$` names the saved result (RFC 5182). Fails with Bad. */
export function uidsOf({ folder }: Session, set: SequenceSet, kind: Kind): Uid[] {
  if (set === '$') return folder.saved.filter((uid) => folder.tracker.seqOf(uid) !== null)
  return folder.tracker.uidsIn(set, kind)
}

/** As `uidsOf`, for SEARCH: numbers that no message has are left out. */
export function searchedUids(session: Session, set: SequenceSet, kind: Kind): Uid[] {
  if (set === '$' || kind === 'uid') return uidsOf(session, set, kind)
  const { tracker } = session.folder
  const { count } = tracker
  const there = orderedRanges(set, count).filter(({ from }) => from >= 1 && from <= count)
  return tracker.uidsIn(
    there.map(({ from, to }) => ({ from, to: Math.min(to, count) })),
    kind,
  )
}

/** As `uidsOf`, for what can only be done with messages that are still there. */
export function presentUids(session: Session, set: SequenceSet, kind: Kind): Uid[] {
  const { table } = session.folder.view
  return uidsOf(session, set, kind).filter((uid) => table.indexOf(uid) >= 0)
}
