/** Labels of messages in agents' mailboxes. Folders count their labels together with their other counters. */
import { Failure } from '../../schemas/failures.ts'
import { Label } from '../../schemas/messages.ts'
import { mailboxLabelsMax } from '../../schemas/threads.ts'
import { isValid } from '../../schemas/validate.ts'
import type { FolderDoc, MailboxDoc } from '../../store/documents/mail.ts'
import { findFolders, labelKey, labelOf } from '../../store/folders.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { reachMailbox } from './mailboxes.ts'
import { requireAgentInbox } from './threading.ts'

/** The form in which a label is stored (NFC). */
export const canonicalLabel = (label: string) => label.normalize('NFC')

export type LabelCount = { readonly label: string; readonly count: number }

/** Most labels on one message. */
const messageLabelsMax = 50

/**
 * Lists the labels of a mailbox by name, with the number of messages that have each. Fails with `mailbox_not_found`,
 * `agent_inbox_only`.
 */
export async function listLabels(ctx: Context, principal: Principal, address: string): Promise<readonly LabelCount[]> {
  const mailbox = await reachMailbox(ctx, principal, address)
  requireAgentInbox(mailbox)
  const counts = countsOf(await findFolders(ctx.store, mailbox._id))
  return [...counts]
    .map(([key, count]) => ({ label: labelOf(key), count }))
    .sort((a, b) => (a.label < b.label ? -1 : 1))
}

/** The labels that a message has after a change. Fails with `agent_inbox_only`, `validation_error` (too many labels). */
export function labelsAfter(
  mailbox: MailboxDoc,
  folders: readonly FolderDoc[],
  { before, add, remove }: { before: readonly string[]; add: readonly string[]; remove: readonly string[] },
): readonly string[] {
  requireAgentInbox(mailbox)
  const removed = new Set(remove.map(canonicalLabel))
  const labels = [...new Set([...before, ...add.map(canonicalLabel)])].filter((label) => !removed.has(label))
  requireFewLabels(folders, labels)
  return labels
}

/** Whether a text may be a label. */
export const isLabel = (text: string): boolean => isValid(Label, text)

/** Fails with `validation_error` when one of the texts is not a valid label. */
export function requireLabels(texts: readonly string[]): void {
  if (texts.every(isLabel)) return
  throw new Failure('validation_error', 'A label must have 1 to 100 visible characters, on one line.', {
    param: 'addLabels',
    fix: 'Choose another name for the label.',
  })
}

/** Fails with `validation_error` when a message, or the mailbox with these folders, would have too many labels. */
export function requireFewLabels(folders: readonly FolderDoc[], labels: readonly string[]): void {
  const refuse = (text: string, fix: string) => new Failure('validation_error', text, { param: 'addLabels', fix })
  if (labels.length > messageLabelsMax)
    throw refuse(`A message can have at most ${messageLabelsMax} labels.`, 'Remove labels from it with "removeLabels".')
  const known = countsOf(folders)
  const fresh = labels.filter((label) => !known.has(labelKey(label)))
  if (fresh.length > 0 && known.size + fresh.length > mailboxLabelsMax)
    throw refuse(
      `A mailbox can have at most ${mailboxLabelsMax} different labels.`,
      'Use labels that the mailbox already has: the list of labels shows them.',
    )
}

function countsOf(folders: readonly FolderDoc[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { labels = {} } of folders)
    for (const [key, count] of Object.entries(labels)) counts.set(key, (counts.get(key) ?? 0) + count)
  return new Map([...counts].filter(([, count]) => count > 0))
}
