/** Flags and keywords of several messages of a folder, as STORE changes them. Keywords are labels. */
import { findFolders } from '../../store/folders.ts'
import { editMessage } from '../../store/message-edit.ts'
import * as store from '../../store/message-edits.ts'
import { changeOf, publishEdits } from '../mailbox/bulk-changes.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import { requireFewLabels } from '../mailbox/labels.ts'
import { derive, editOfOne } from '../mailbox/message-changes.ts'
import type { Context } from '../process/context.ts'
import { changeInGroups } from './message-groups.ts'

export const systemFlags = ['seen', 'answered', 'flagged', 'deleted', 'draft'] as const
export type SystemFlag = (typeof systemFlags)[number]

export type FlagChange = {
  readonly mode: 'set' | 'add' | 'remove'
  readonly flags: ReadonlySet<SystemFlag>
  readonly labels: readonly string[]
  /** Only messages whose modseq is not higher are changed (RFC 7162 3.1.3). */
  readonly unchangedSince?: number | undefined
}

/**
 * Changes the messages with these UIDs; those that are gone are left out. Returns the UIDs of those that were not changed
 * because of `unchangedSince`. Fails with `validation_error` (too many labels), `conflict`.
 */
export async function changeFlags(
  ctx: Context,
  folder: KnownFolder,
  uids: readonly number[],
  change: FlagChange,
): Promise<readonly number[]> {
  const modified: number[] = []
  const folders = change.labels.length === 0 ? [] : await findFolders(ctx.store, folder.mailboxId)
  await changeInGroups(ctx, folder, uids, async (messages) => {
    const isLate = ({ modseq }: store.EditableMessage) =>
      change.unchangedSince !== undefined && modseq > change.unchangedSince
    modified.push(...messages.filter(isLate).map(({ uid }) => uid))
    const edits = messages.flatMap((message) => {
      const edit = isLate(message) ? {} : editOf(message, change)
      if (edit.labels !== undefined && change.mode !== 'remove') requireFewLabels(folders, edit.labels)
      return Object.keys(edit).length === 0 ? [] : [{ message, edit }]
    })
    return writeEdits(ctx, folder, edits)
  })
  return modified
}

type Edit = { readonly message: store.EditableMessage; readonly edit: store.MessageEdit }

/** Writes edits, those that are the same together. Returns the UIDs of messages that have changed meanwhile. */
async function writeEdits(ctx: Context, folder: KnownFolder, edits: readonly Edit[]): Promise<number[]> {
  const missed: number[] = []
  for (const same of Map.groupBy(edits, ({ edit }) => JSON.stringify(edit)).values()) {
    const messages = same.map(({ message }) => message)
    const [{ message, edit }] = same as [Edit]
    if (messages.length === 1) {
      const ends = await editMessage(ctx.store, editOfOne(ctx, folder, message), edit)
      if (ends === null) missed.push(message.uid)
      else await derive(ctx, { ...message, accountId: folder.accountId }, ends)
      continue
    }
    const change = changeOf(ctx, folder, messages)
    const changed = await store.editMessages(ctx.store, isOfThreads(edit) ? change : { ...change, derive: done }, edit)
    publishEdits(ctx, messages)
    missed.push(...messages.filter(({ _id }) => !changed.has(_id)).map(({ uid }) => uid))
  }
  return missed
}

/** Whether a conversation shows what an edit changes: it knows nothing of the other flags. */
const isOfThreads = ({ seen, flagged, labels }: store.MessageEdit) =>
  seen !== undefined || flagged !== undefined || labels !== undefined
const done = async () => true

/** What is to be written so that a message has the flags and labels that the change gives it. */
function editOf(message: store.EditableMessage, { mode, flags, labels: given }: FlagChange): store.MessageEdit {
  const wanted = (flag: SystemFlag, is: boolean) =>
    mode === 'set' ? flags.has(flag) : flags.has(flag) ? mode === 'add' : is
  const changed = systemFlags.flatMap((flag) => {
    const is = message[flag] ?? false
    const becomes = wanted(flag, is)
    return is === becomes ? [] : [[flag, becomes] as const]
  })
  const before = message.labels ?? []
  const labels = labelsAfter(before, mode, given)
  const isSame = labels.length === before.length && labels.every((label) => before.includes(label))
  return { ...Object.fromEntries(changed), ...(!isSame && { labels }) }
}

/** Keywords are the same in upper and lower case (RFC 9051 2.3.2): one that is there already keeps its spelling. */
function labelsAfter(before: readonly string[], mode: FlagChange['mode'], given: readonly string[]): readonly string[] {
  const isGiven = (label: string) => given.some((each) => sameKeyword(each, label))
  if (mode === 'remove') return before.filter((label) => !isGiven(label))
  const fresh = given.filter((label) => !before.some((each) => sameKeyword(each, label)))
  return [...(mode === 'set' ? before.filter(isGiven) : before), ...new Set(fresh)]
}

/** Whether two labels are one keyword. */
export const sameKeyword = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
