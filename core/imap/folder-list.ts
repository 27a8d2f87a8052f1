/** The folders of a mailbox as mail programs list them, and the paths that they are subscribed to. */
import type { FolderDoc } from '../../store/documents/mail.ts'
import { claimRecent } from '../../store/folder-entries.ts'
import { findFolders, standardFolders } from '../../store/folders.ts'
import { addSubscribed, findSubscribed, removeSubscribed, startSubscribed } from '../../store/mailboxes.ts'
import { foldersChanged } from '../mailbox/known-folders.ts'
import type { Context } from '../process/context.ts'
import type { FolderRef } from './folder-state.ts'

/** The folders of a mailbox, in the order of their paths. */
export function allFolders(ctx: Context, mailboxId: string): Promise<readonly FolderDoc[]> {
  return findFolders(ctx.store, mailboxId)
}

/** The paths that mail programs are subscribed to. A path stays when its folder is deleted (RFC 9051 6.3.7). */
export async function subscribedPaths(ctx: Context, mailboxId: string): Promise<readonly string[]> {
  return (await findSubscribed(ctx.store, mailboxId)) ?? standardPaths
}

const standardPaths: readonly string[] = standardFolders.map(([path]) => path)

/** Subscribes to a path, or unsubscribes from it. Concurrent changes do not undo each other. */
export async function subscribe(
  ctx: Context,
  mailboxId: string,
  { path, isWanted }: { readonly path: string; readonly isWanted: boolean },
): Promise<void> {
  const before = await findSubscribed(ctx.store, mailboxId)
  if (before === null) await startSubscribed(ctx.store, mailboxId, standardPaths)
  const oldest = (before ?? []).filter((each) => each !== path).slice(0, 1 - subscribedMax)
  const removed = isWanted ? oldest : [path]
  if (removed.length > 0) await removeSubscribed(ctx.store, mailboxId, removed)
  if (isWanted) await addSubscribed(ctx.store, mailboxId, path)
  foldersChanged(ctx, mailboxId)
}

/** Most paths that a mailbox may be subscribed to: as many as it may have folders, and as many for deleted folders. */
const subscribedMax = 1_000

/** Notes in the background that sessions were told of all messages below a UID, so that later sessions see only newer ones as recent. */
export async function claimRecentInBackground(ctx: Context, folder: FolderRef, uid: number): Promise<void> {
  await ctx.background.begin('', async () => {
    await claimRecent(ctx.store, folder, uid).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'could not note that messages are no longer recent'),
    )
  })
}
