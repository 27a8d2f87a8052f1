import { expungeMessages } from '../../core/imap/copy.ts'
import { arrivalsFirst } from '../../core/upkeep/arrivals.ts'
import { command, inFolder, noArguments } from '../command.ts'
import type { Session } from '../session.ts'
import { uidsOf } from '../sets.ts'
import type { Done } from '../wire/answers.ts'
import type { Uid } from '../wire/numbers.ts'
import { markedUids } from './close.ts'

/** RFC 9051 6.4.3. */
export const expunge = command({
  states: inFolder,
  read: noArguments,
  run: (session) => expungeThose(session, markedUids(session)),
})

/** RFC 4315 2.1: removes only the messages of the given set that are marked as deleted. */
export const expungeUids = command({
  states: inFolder,
  read(parser) {
    parser.space()
    return parser.set()
  },
  run(session, set) {
    const marked = new Set(markedUids(session))
    return expungeThose(
      session,
      uidsOf(session, set, 'uid').filter((uid) => marked.has(uid)),
    )
  },
})

async function expungeThose(session: Session, uids: readonly Uid[]): Promise<Done | undefined> {
  const { ctx } = session
  const { folder, view } = session.requireWritable()
  await expungeMessages(ctx, folder, uids, arrivalsFirst(ctx, folder.accountId))
  view.mayHaveLeft(uids)
  await view.refresh()
  return session.enabled.has('CONDSTORE') && uids.length > 0
    ? { responseCode: `HIGHESTMODSEQ ${view.modseq}` }
    : undefined
}
