/** `mailroom export`: the mail of a mailbox as mbox, Maildir or single messages, or to another IMAP server. */
import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { recordAdministration } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { type OwnFolder, ownFolders } from '../core/transfer/export.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'
import { fileFailure, writeEml, writeMaildir, writeMbox } from './transfer/files.ts'
import { beginImapExport } from './transfer/imap-export.ts'
import { accountOf, type ImapOptions } from './transfer/imap-server.ts'

const folderMode = 0o700

const writing = (write: (folder: OwnFolder, to: string) => Promise<number>) =>
  withContext(async (ctx, io, name: string, address: string, { to }: { readonly to: string }) => {
    const account = await getAccount(ctx, name)
    const folder = path.resolve(to)
    const folders = await ownFolders(ctx, account, address)
    let messages = 0
    try {
      await makeFolders(folder)
      for (const each of folders) {
        const count = await write(each, folder)
        messages += count
        io.err(`${each.path}: ${count} messages\n`)
      }
    } catch (error) {
      throw fileFailure(error)
    }
    await recordAdministration(ctx, { accountId: account.id, action: 'messages.export', target: address })
    print(io, { mailbox: address, to: folder, messages })
  })

/**
 * Creates a folder, and the missing ones above it. Node's own recursive way never ends on a file system that creates no folders and says
 * that they do not exist, as /proc does.
 */
async function makeFolders(folder: string): Promise<void> {
  if (await isThere(folder)) return
  const above = path.dirname(folder)
  if (above !== folder) await makeFolders(above)
  await mkdir(folder, { mode: folderMode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

async function isThere(place: string): Promise<boolean> {
  try {
    await stat(place)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

export const toMbox = writing(writeMbox)
export const toMaildir = writing(writeMaildir)
export const toEml = writing(writeEml)

/** Interval of progress messages. */
const progressMs = 1_000

/** The password comes from MAILROOM_EXPORT_PASSWORD, or from a prompt on standard input. */
export const toImap = withContext(
  async (ctx, io, name: string, address: string, host: string, options: ImapOptions) => {
    const own = await getAccount(ctx, name)
    const folders = await ownFolders(ctx, own, address)
    const { counts, folder, close } = beginImapExport(
      await accountOf(io, host, options, 'MAILROOM_EXPORT_PASSWORD'),
      io.err,
    )
    let path = ''
    const progress = setInterval(() => io.err(`${path}: ${JSON.stringify(counts)}\n`), progressMs)
    try {
      for (const each of folders) {
        path = each.path
        await folder(each)
      }
    } finally {
      clearInterval(progress)
      await close()
      await recordAdministration(ctx, { accountId: own.id, action: 'messages.export', target: address })
    }
    print(io, { mailbox: address, ...counts })
  },
)
