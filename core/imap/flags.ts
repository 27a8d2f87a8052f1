/** Changes flags and keywords of several messages of a folder, as STORE does. Keywords are labels. */
import { editFlags, type FlagGroup, flagEditsMax } from '../../store/flag-edits.ts'
import { findFolders } from '../../store/folders.ts'
import { editMessage } from '../../store/message-edit.ts'
import type { EditableMessage, MessageEdit } from '../../store/message-edits.ts'
import { notesOf } from '../mailbox/bulk-changes.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import { requireFewLabels, requireLabels } from '../mailbox/labels.ts'
import { derive, deriveFlags, editOfOne } from '../mailbox/message-changes.ts'
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

/** The fields of a message that mail programs see change. */
export type FlaggedMessage = Pick<EditableMessage, 'uid' | 'modseq' | 'labels' | SystemFlag>

export type ChangedFlags = {
  /** UIDs of messages that were not changed because of `unchangedSince`. */
  readonly modified: readonly number[]
  /** The message after the change, if only one was to be changed, it exists, and the caller knows all other writes up to this one. */
  readonly only: FlaggedMessage | null
}

/**
 * Changes the messages with these UIDs; those that are gone are left out. `isShown`: the caller shows the change to all mail sessions
 * of this process, also when this function fails. `known`: the modseq up to which the caller knows all writes to the folder; give it
 * when probably nothing was written since. Fails with `validation_error` (labels), `conflict`.
 */
export async function changeFlags(
  ctx: Context,
  folder: KnownFolder,
  uids: readonly number[],
  change: FlagChange,
  { isShown = false, known }: { readonly isShown?: boolean; readonly known?: number | undefined } = {},
): Promise<ChangedFlags> {
  const { unchangedSince } = change
  if (change.mode !== 'remove') requireLabels(change.labels)
  const modified: number[] = []
  let only: FlaggedMessage | null = null
  const folders = change.labels.length === 0 ? [] : await findFolders(ctx.store, folder.mailboxId)
  const changeAll = async (messages: readonly EditableMessage[]) => {
    const isLate = ({ modseq }: EditableMessage) => unchangedSince !== undefined && modseq > unchangedSince
    modified.push(...messages.filter(isLate).map(({ uid }) => uid))
    const edits = messages.flatMap((message) => {
      const edit = isLate(message) ? {} : editOf(message, change)
      if (edit.labels !== undefined && change.mode !== 'remove') requireFewLabels(folders, edit.labels)
      return Object.keys(edit).length === 0 ? [] : [{ message, edit }]
    })
    const [first] = edits
    if (edits.length > 1) return writeEdits(ctx, folder, edits, { unchangedSince, isShown })
    const message = messages[0]!
    const edited =
      first === undefined
        ? { message, follows: message.modseq <= (known ?? 0) }
        : await writeEdit(ctx, folder, first, { isShown, known })
    only = edited?.follows === true ? edited.message : null
    return edited === null ? [first!.message.uid] : []
  }
  await changeInGroups(ctx, folder, uids, { groupMax: flagEditsMax, change: changeAll })
  return { modified, only: uids.length === 1 ? only : null }
}

type Edit = { readonly message: EditableMessage; readonly edit: Omit<MessageEdit, 'to'> }

/** Writes edits together. Returns the UIDs of messages that have changed meanwhile. */
async function writeEdits(
  ctx: Context,
  folder: KnownFolder,
  edits: readonly Edit[],
  { unchangedSince, isShown }: Pick<FlagChange, 'unchangedSince'> & { readonly isShown: boolean },
): Promise<readonly number[]> {
  const { _id: folderId, mailboxId, accountId } = folder
  const messages = edits.map(({ message }) => message)
  const { missed, threadIds, ends } = await editFlags(ctx.store, {
    mailboxId,
    folderId,
    groups: groupsOf(edits),
    at: ctx.machineClock.now(),
    notes: notesOf(ctx, messages, { isShown }),
    unchangedSince,
  })
  await deriveFlags(ctx, { accountId, mailboxId }, threadIds, ends)
  return missed
}

/** Writes an edit. Returns the edited message, and whether the edit directly follows `known`; null when the message changed meanwhile. */
async function writeEdit(
  ctx: Context,
  folder: KnownFolder,
  { message, edit }: Edit,
  shown: { readonly isShown: boolean; readonly known: number | undefined },
): Promise<{ readonly message: FlaggedMessage; readonly follows: boolean } | null> {
  const edited = await editMessage(ctx.store, editOfOne(ctx, folder, message, { leaves: false, ...shown }), edit)
  if (edited === null) return null
  await derive(ctx, { ...message, accountId: folder.accountId }, edited)
  const { isMade, modseq, follows } = edited
  return isMade ? { message: { ...message, ...edit, modseq }, follows } : null
}

/** Groups edits that make the same change to messages with the same values before. */
function groupsOf(edits: readonly Edit[]): readonly FlagGroup[] {
  const kindOf = ({ message, edit }: Edit) =>
    JSON.stringify([edit, Object.keys(edit).map((name) => message[name as keyof typeof edit] ?? false)])
  return [...Map.groupBy(edits, kindOf).values()].map((alike) => ({
    messages: alike.map(({ message }) => message),
    edit: alike[0]!.edit,
  }))
}

/** The edit that gives a message the flags and labels of the change. */
function editOf(message: EditableMessage, { mode, flags, labels: given }: FlagChange): Omit<MessageEdit, 'to'> {
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

/**
 * The labels of a message after a change. Keywords are the same in upper and lower case (RFC 9051 2.3.2): one that the message has
 * already keeps its spelling.
 */
export function labelsAfter(
  before: readonly string[],
  mode: FlagChange['mode'],
  given: readonly string[],
): readonly string[] {
  const isGiven = (label: string) => given.some((each) => sameKeyword(each, label))
  if (mode === 'remove') return before.filter((label) => !isGiven(label))
  const fresh = given.filter((label) => !before.some((each) => sameKeyword(each, label)))
  return [...(mode === 'set' ? before.filter(isGiven) : before), ...new Set(fresh)]
}

/** Whether two labels are one keyword. */
export const sameKeyword = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
