import { createFolder } from '../../core/mailbox/folder-changes.ts'
import { canonicalPath } from '../../core/mailbox/folders.ts'
import { foldersIn } from '../../core/mailbox/known-folders.ts'
import { command, loggedIn } from '../command.ts'
import { Bad, No } from '../wire/answers.ts'
import type { Parser } from '../wire/parser.ts'
import { specialUses } from './list.ts'

/**
 * RFC 9051 6.3.4, answered with the id of the folder (RFC 8474 4.2). Missing parent folders are created too. Each special use
 * belongs to a standard folder of the mailbox, so no new folder can get one (RFC 6154 3).
 */
export const create = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const name = parser.folder()
    return { name, uses: parser.takeSpace() ? readUses(parser) : [] }
  },
  async run(session, { name, uses }) {
    session.requireWrite()
    const { principal, mailbox } = session.user
    // A trailing separator announces that folders will be created below this one.
    const path = canonicalPath(name.endsWith('/') ? name.slice(0, -1) : name)
    const isThere = (await foldersIn(session.ctx, mailbox._id)).some((each) => each.path === path)
    if (isThere) throw new No('ALREADYEXISTS', 'A folder of that name exists already')
    const [use] = uses
    if (use !== undefined) throw new No('USEATTR', whyNot(use))
    await createFolder(session.ctx, principal, { address: mailbox.address, name: path })
    const folder = await session.folderAt(path)
    return { responseCode: `MAILBOXID (${folder._id})` }
  },
})

/** Reads `(USE (\Archive \Sent))`; the inner list may be empty. */
function readUses(parser: Parser): readonly string[] {
  parser.expect('(USE ')
  const uses = parser.list(() => parser.flag())
  if (uses.some((use) => !use.startsWith('\\'))) throw new Bad('The name of a special use begins with a backslash')
  parser.expect(')')
  return uses
}

function whyNot(use: string): string {
  const isTaken = Object.values(specialUses).some((each) => each?.toLowerCase() === use.toLowerCase())
  return isTaken ? `A standard folder has ${use} already: use that folder` : `The special use ${use} is not supported`
}
