/** The actions on messages of a list. Each shows a notice when it is done, most with an undo. */
import { mailroom } from '../../app/client.ts'
import { words } from '../../app/language.ts'
import { attempt, notify } from '../../app/notices.svelte.ts'
import { mailChangedHere } from './mailboxes.svelte.ts'

export type Chosen = {
  readonly address: string
  readonly ids: readonly string[]
  /** Returns the folder of one of them: the messages of a label are in several folders. */
  folderOf(id: string): string
}

const messages = () => mailroom.mailboxes.messages

/** Moves messages to a folder. The undo moves each back to its own folder. */
export async function move(
  { address, ids, folderOf }: Chosen,
  to: string,
  said: string,
  undone: () => void,
): Promise<void> {
  const before = ids.map((id) => [id, folderOf(id)] as const)
  const isDone = await attempt(
    () => Promise.all(ids.map((id) => messages().update(address, id, { folder: to }))),
    undone,
  )
  mailChangedHere(address, ids)
  if (isDone)
    notify(said, {
      undo: async () => {
        await Promise.all(before.map(([id, folder]) => messages().update(address, id, { folder })))
        mailChangedHere(address, ids)
        undone()
      },
    })
}

/** Marks messages as spam or not spam, which moves them and trains the mailbox. The undo moves each back to its own folder. */
export async function judge({ address, ids, folderOf }: Chosen, isSpam: boolean, undone: () => void): Promise<void> {
  const before = ids.map((id) => [id, folderOf(id)] as const)
  const isDone = await attempt(
    () => Promise.all(ids.map((id) => messages().update(address, id, { spam: isSpam }))),
    undone,
  )
  mailChangedHere(address, ids)
  if (isDone)
    notify(isSpam ? words.mail.done.spam : words.mail.done.noSpam, {
      undo: async () => {
        await Promise.all(
          before.map(async ([id, folder]) => {
            const { folder: now } = await messages().update(address, id, { spam: !isSpam })
            // Marking as not spam never restores to Trash, and also moves out mail that was in Spam before.
            if (now !== folder) await messages().update(address, id, { folder })
          }),
        )
        mailChangedHere(address, ids)
        undone()
      },
    })
}

/** Moves messages to Trash. */
export async function trash({ address, ids }: Chosen, undone: () => void): Promise<void> {
  const isDone = await attempt(() => Promise.all(ids.map((id) => messages().delete(address, id))), undone)
  mailChangedHere(address, ids)
  if (isDone)
    notify(words.mail.done.trashed, {
      undo: async () => {
        await Promise.all(ids.map((id) => messages().restore(address, id)))
        mailChangedHere(address, ids)
        undone()
      },
    })
}

/** Moves messages from Trash back to the folders from which they were deleted. */
export async function restore({ address, ids }: Chosen, failed: () => void): Promise<void> {
  const isDone = await attempt(() => Promise.all(ids.map((id) => messages().restore(address, id))), failed)
  mailChangedHere(address, ids)
  if (isDone) notify(words.mail.done.restored)
}

/** Changes marks of messages. */
export async function mark(
  { address, ids }: Pick<Chosen, 'address' | 'ids'>,
  change: {
    readonly seen?: boolean
    readonly flagged?: boolean
    readonly addLabels?: string[]
    readonly removeLabels?: string[]
  },
): Promise<boolean> {
  const isDone = await attempt(() => Promise.all(ids.map((id) => messages().update(address, id, change))))
  mailChangedHere(address)
  return isDone
}
