/** Changes messages of a folder in groups, and tries those again that another writer changed between our read and our write. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import * as store from '../../store/message-edits.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import type { Context } from '../process/context.ts'

/** Most attempts at the messages of a group; the pause grows with each. */
const triesMax = 25
const pauseMs = 5

type Changing = {
  /** The most messages of one group. */
  readonly groupMax?: number
  /** Changes messages. Returns the UIDs of those that have to be tried again. */
  readonly change: (messages: readonly store.EditableMessage[]) => Promise<readonly number[]>
}

/**
 * Reads the messages with these UIDs and changes them by `change`; those that are gone are left out. Fails with `conflict` when
 * others keep changing the messages.
 */
export async function changeInGroups(
  ctx: Context,
  folder: KnownFolder,
  uids: readonly number[],
  { groupMax = store.editMessagesMax, change }: Changing,
): Promise<void> {
  for (let n = 0; n < uids.length; n += groupMax) {
    let waiting: readonly number[] = uids.slice(n, n + groupMax)
    for (let tries = 0; waiting.length > 0; tries++) {
      if (tries === triesMax)
        throw new Failure('conflict', 'The messages are being changed by another request.', {
          fix: 'Repeat the command.',
        })
      if (tries > 0) await sleep(Math.random() * pauseMs * tries)
      const messages = await store.findEditable(ctx.store, { ...folderRef(folder), uids: waiting })
      waiting = messages.length === 0 ? [] : await change(messages)
    }
  }
}

export const folderRef = ({ mailboxId, _id }: KnownFolder) => ({ mailboxId, folderId: _id })
