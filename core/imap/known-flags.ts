/** Changes flags of messages without reading them, in a folder whose state this process knows. */
import { type QuietFlags, setKnownFlags, type UidRange } from '../../store/flag-edits.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import type { Context } from '../process/context.ts'
import type { FlagChange, SystemFlag } from './flags.ts'
import { folderRef } from './message-groups.ts'

export type { QuietFlags, UidRange } from '../../store/flag-edits.ts'

const quietFlags: ReadonlySet<SystemFlag> = new Set<SystemFlag>(['answered', 'deleted', 'draft'])

/**
 * The flags that a change gives to messages, if it can be made without reading them; else null. It can if nothing is counted or
 * derived from these flags, and the change does not depend on the state before.
 */
export function quietChange({ mode, flags, labels, unchangedSince }: FlagChange): QuietFlags | null {
  if (mode === 'set' || flags.size === 0 || labels.length > 0 || unchangedSince !== undefined) return null
  if (![...flags].every((flag) => quietFlags.has(flag))) return null
  return Object.fromEntries([...flags].map((flag) => [flag, mode === 'add']))
}

/** Most messages and ranges of one command: all other writes wait while it is carried out. */
export const knownChangeMax = { messages: 1_000, ranges: 100 } as const

export type KnownChange = {
  readonly ranges: readonly UidRange[]
  /** How many messages have a UID in the ranges. */
  readonly count: number
  readonly flags: QuietFlags
  /** The modseq up to which all writes to the folder are known. */
  readonly known: number
}

/**
 * Gives flags to messages, at most `knownChangeMax`. Returns the modseq that all of them have then; null when there are writes to the
 * folder that are not known, so that it has to be read. The caller shows the change to all mail sessions of this process, also when
 * this fails.
 */
export function changeKnownFlags(ctx: Context, folder: KnownFolder, change: KnownChange): Promise<number | null> {
  const { folderId, mailboxId } = folderRef(folder)
  const note = ctx.changes.noteWith({ kind: 'folders', mailboxId, messageIds: [], shownBy: ctx.changes.id })
  return setKnownFlags(ctx.store, { ...change, folderId, mailboxId, at: ctx.machineClock.now(), note })
}
