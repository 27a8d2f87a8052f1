/** The folders of a mailbox as mail programs list them, and which of them they subscribed to. */
import type { FolderDoc } from '../../store/documents/mail.ts'
import { claimRecent } from '../../store/folder-entries.ts'
import { findFolders, standardFolders } from '../../store/folders.ts'
import { findSubscribed, setSubscribed } from '../../store/mailboxes.ts'
import { foldersChanged } from '../mailbox/known-folders.ts'
import type { Context } from '../process/context.ts'
import type { FolderRef } from './folder-state.ts'

/** The folders of a mailbox, in the order of their paths. */
export function allFolders(ctx: Context, mailboxId: string): Promise<readonly FolderDoc[]> {
  return findFolders(ctx.store, mailboxId)
}

/** The paths that mail programs subscribed to. A path stays when its folder goes (RFC 9051 6.3.7). */
export async function subscribedPaths(ctx: Context, mailboxId: string): Promise<readonly string[]> {
  return (await findSubscribed(ctx.store, mailboxId)) ?? standardFolders.map(([path]) => path)
}

/** Subscribes to a path, or ends that. */
export async function subscribe(
  ctx: Context,
  mailboxId: string,
  { path, isWanted }: { readonly path: string; readonly isWanted: boolean },
): Promise<void> {
  const others = (await subscribedPaths(ctx, mailboxId)).filter((each) => each !== path)
  await setSubscribed(ctx.store, mailboxId, isWanted ? [...others, path].slice(-subscribedMax) : others)
  foldersChanged(ctx, mailboxId)
}

/** Paths that one mailbox may be subscribed to: as many as it may have folders, and as many that are gone. */
const subscribedMax = 1_000

/** Notes in the background that sessions were told of all messages below a UID: further ones are told of newer ones alone. */
export async function noteTold(ctx: Context, folder: FolderRef, uid: number): Promise<void> {
  await ctx.background.begin('', async () => {
    await claimRecent(ctx.store, folder, uid).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'it could not be noted what was told'),
    )
  })
}
