/** `mailroom import`: imports mail from elsewhere into a mailbox. Run again after an interruption, it imports what is missing. */
import { recordAdministration } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { messageBytesMax } from '../core/imap/append.ts'
import type { Context } from '../core/process/context.ts'
import { beginImport, type ForeignFolder } from '../core/transfer/import.ts'
import { withContext } from './admin-context.ts'
import { type Io, print } from './io.ts'
import { emlMessages, fileFailure, maildirFolders, mboxFolder } from './transfer/files.ts'
import { imapFolders } from './transfer/imap.ts'
import { accountOf, type ImapOptions } from './transfer/imap-server.ts'

/** Interval of progress messages. */
const progressMs = 1_000

type Into = { readonly folder: string }
/** The password comes from MAILROOM_IMPORT_PASSWORD, or from a prompt on standard input. */
export const fromImap = withContext(
  async (ctx, io, name: string, address: string, host: string, options: ImapOptions) => {
    const account = await accountOf(io, host, options, 'MAILROOM_IMPORT_PASSWORD')
    await bring(ctx, io, { name, address }, imapFolders(account, io.err))
  },
)

export const fromMbox = withContext(
  async (ctx, io, name: string, address: string, files: readonly string[], { folder }: Into) => {
    const max = messageBytesMax(ctx)
    await bring(
      ctx,
      io,
      { name, address },
      each(files, async function* (file) {
        yield mboxFolder(file, folder, max)
      }),
    )
  },
)

export const fromMaildir = withContext(async (ctx, io, name: string, address: string, root: string) => {
  await bring(ctx, io, { name, address }, maildirFolders(root))
})

export const fromEml = withContext(
  async (ctx, io, name: string, address: string, files: readonly string[], { folder }: Into) => {
    async function* one(): AsyncGenerator<ForeignFolder> {
      yield { path: folder, messages: emlMessages(files) }
    }
    await bring(ctx, io, { name, address }, one())
  },
)

async function bring(
  ctx: Context,
  io: Io,
  { name, address }: { readonly name: string; readonly address: string },
  folders: AsyncIterable<ForeignFolder>,
): Promise<void> {
  const account = await getAccount(ctx, name)
  const { counts, folder } = await beginImport(ctx, account, address)
  let path = ''
  const progress = setInterval(() => {
    if (path !== '') io.err(`${path}: ${JSON.stringify(counts)}\n`)
  }, progressMs)
  try {
    for await (const each of folders) {
      path = each.path
      await folder(each)
    }
  } catch (error) {
    throw fileFailure(error)
  } finally {
    clearInterval(progress)
    await recordAdministration(ctx, { accountId: account.id, action: 'messages.import', target: address })
  }
  print(io, { mailbox: address, ...counts })
}

async function* each<T, R>(items: readonly T[], of: (item: T) => AsyncIterable<R>): AsyncGenerator<R> {
  for (const item of items) yield* of(item)
}
