/** The actions on messages of a list. Each shows a notice when it is done, most with an undo. */
import { ApiError } from '../../../sdk/errors.ts'
import { mailroom } from '../../app/client.ts'
import { words } from '../../app/language.ts'
import { attempt, notify, notifyThenDo } from '../../app/notices.svelte.ts'
import { mailChangedHere } from './mailboxes.svelte.ts'

export type Chosen = {
  readonly address: string
  readonly ids: readonly string[]
  /** Finds the folder of one of them: the messages of a label are in several folders. */
  folderOf(id: string): Promise<string>
}

const messages = () => mailroom.mailboxes.messages

/** Moves each message back to its own folder. */
async function moveBack(address: string, before: ReadonlyMap<string, string>): Promise<void> {
  await Promise.all([...before].map(([id, folder]) => messages().update(address, id, { folder })))
  mailChangedHere(address, [...before.keys()])
}
const foldersBefore = async ({ ids, folderOf }: Chosen): Promise<ReadonlyMap<string, string>> =>
  new Map(await Promise.all(ids.map(async (id) => [id, await folderOf(id)] as const)))

/** Moves messages to a folder. The undo moves each back to its own folder. */
export async function move(chosen: Chosen, to: string, said: string, undone: () => void): Promise<void> {
  const { address, ids } = chosen
  let before: ReadonlyMap<string, string> = new Map()
  const isDone = await attempt(async () => {
    before = await foldersBefore(chosen)
    await Promise.all(ids.map((id) => messages().update(address, id, { folder: to })))
  }, undone)
  mailChangedHere(address, ids)
  if (isDone)
    notify(said, {
      undo: async () => {
        await moveBack(address, before)
        undone()
      },
    })
}

/**
 * Marks messages as spam or not spam, which moves them and trains the mailbox. The mailbox cannot unlearn, so it learns when the time for
 * undoing is over.
 */
export async function judge(chosen: Chosen, isSpam: boolean, undone: () => void): Promise<void> {
  if (isSpam) await markSpam(chosen, undone)
  else markNoSpam(chosen, undone)
}

/** Moves messages to Spam. The undo moves each back to its own folder. */
async function markSpam(chosen: Chosen, undone: () => void): Promise<void> {
  const { address, ids } = chosen
  let before: ReadonlyMap<string, string> = new Map()
  let spamFolder = ''
  const isDone = await attempt(async () => {
    before = await foldersBefore(chosen)
    const moved = await Promise.all(ids.map((id) => messages().update(address, id, { folder: 'spam' })))
    spamFolder = moved[0]?.folder ?? ''
  }, undone)
  mailChangedHere(address, ids)
  if (isDone)
    notifyThenDo(
      words.mail.done.spam,
      () => Promise.all(ids.map((id) => learnSpam(address, id, spamFolder))),
      () => attempt(() => moveBack(address, before).then(undone)),
      () => undefined,
    )
}

/** Only the service knows the folder from which a message came to Spam, and moves it there when the mailbox learns. */
function markNoSpam({ address, ids }: Chosen, undone: () => void): void {
  notifyThenDo(
    words.mail.done.noSpam,
    async () => {
      await Promise.all(ids.map((id) => messages().update(address, id, { spam: false })))
      mailChangedHere(address, ids)
    },
    undone,
  )
}

/** Trains the mailbox with a message that is still in Spam. */
async function learnSpam(address: string, id: string, spamFolder: string): Promise<void> {
  if ((await folderNow(address, id)) === spamFolder) await messages().update(address, id, { spam: true })
}

/** The folder of a message; null if it is gone. */
async function folderNow(address: string, id: string): Promise<string | null> {
  try {
    return (await messages().get(address, id, { view: 'headers' })).folder
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  }
}

/** Moves messages to Trash. The undo restores those that were not there before. */
export async function trash(chosen: Chosen, undone: () => void): Promise<void> {
  const { address, ids } = chosen
  let moved: readonly string[] = []
  const isDone = await attempt(async () => {
    const before = await foldersBefore(chosen)
    moved = ids.filter((id) => before.get(id) !== 'Trash')
    // A move, because the API deletes for good what is deleted in Trash.
    await Promise.all(moved.map((id) => messages().update(address, id, { folder: 'trash' })))
  }, undone)
  mailChangedHere(address, ids)
  if (isDone)
    notify(words.mail.done.trashed, {
      undo: async () => {
        await Promise.all(moved.map((id) => messages().restore(address, id)))
        mailChangedHere(address, ids)
        undone()
      },
    })
}

/** Deletes for good those of the messages that are in Trash. Resolves to whether none is left elsewhere. */
export async function deleteForGood({ address, ids }: Chosen): Promise<boolean> {
  const now = await Promise.all(ids.map(async (id) => ({ id, folder: await folderNow(address, id) })))
  const inTrash = now.filter(({ folder }) => folder === 'Trash')
  await Promise.all(inTrash.map(({ id }) => messages().delete(address, id, { permanent: true })))
  mailChangedHere(address, ids)
  return now.every(({ folder }) => folder === 'Trash' || folder === null)
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
