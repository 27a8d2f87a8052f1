/** `mailroom export`: the mail of a mailbox as mbox, Maildir or single messages. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { recordAdministration } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { type OwnFolder, ownFolders } from '../core/transfer/export.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'
import { writeEml, writeMaildir, writeMbox } from './transfer/files.ts'

const folderMode = 0o700

const writing = (write: (folder: OwnFolder, to: string) => Promise<number>) =>
  withContext(async (ctx, io, name: string, address: string, { to }: { readonly to: string }) => {
    const account = await getAccount(ctx, name)
    const folder = path.resolve(to)
    await mkdir(folder, { recursive: true, mode: folderMode })
    let messages = 0
    for (const each of await ownFolders(ctx, account, address)) {
      const count = await write(each, folder)
      messages += count
      io.err(`${each.path}: ${count} messages\n`)
    }
    await recordAdministration(ctx, { accountId: account.id, action: 'messages.export', target: address })
    print(io, { mailbox: address, to: folder, messages })
  })

export const toMbox = writing(writeMbox)
export const toMaildir = writing(writeMaildir)
export const toEml = writing(writeEml)
