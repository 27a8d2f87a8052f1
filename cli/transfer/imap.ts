/** Reads mail from another IMAP server. If the connection is cut, reading resumes after the last message that was read. */
import type { ImapFlow } from 'imapflow'
import type { ForeignFolder, ForeignMessage } from '../../core/transfer/import.ts'
import { type Connection, createConnection, flagOf, type ImapAccount, inFolder, specialPaths } from './imap-server.ts'

/** Messages whose sizes are requested together. */
const askAtOnce = 500

type Elsewhere = { readonly path: string; readonly into: string }
type Found = { readonly uid: number; readonly sizeBytes: number }

/** The folders of the account, with their messages in the order of their UIDs. `say` receives messages about retries. */
export async function* imapFolders(account: ImapAccount, say: (text: string) => void): AsyncGenerator<ForeignFolder> {
  const connection = createConnection(account, say)
  try {
    for (const folder of await connection.run(listFolders))
      yield { path: folder.into, messages: messagesOf(connection, account, folder) }
  } finally {
    await connection.close()
  }
}

async function listFolders(client: ImapFlow): Promise<readonly Elsewhere[]> {
  const listed = await client.list()
  return listed.flatMap(({ path, delimiter, specialUse, flags }) => {
    // Leaves out folders that cannot be selected, and those that only show messages of other folders again.
    if (flags.has('\\Noselect') || flags.has('\\NonExistent') || specialUse === '\\All' || specialUse === '\\Flagged')
      return []
    const own = path.split(delimiter || '/').join('/')
    return [{ path, into: specialPaths[specialUse ?? ''] ?? own }]
  })
}

async function* messagesOf(
  connection: Connection,
  { host, user }: ImapAccount,
  { path }: Elsewhere,
): AsyncGenerator<ForeignMessage> {
  const { validity, uids } = await connection.run((client) => uidsOf(client, path))
  for (let from = 0; from < uids.length; from += askAtOnce) {
    const some = uids.slice(from, from + askAtOnce)
    const found = await connection.run((client) => sizesOf(client, path, some))
    for (const { uid, sizeBytes } of found)
      yield {
        identity: `imap ${host} ${user} ${path} ${validity} ${uid}`,
        sizeBytes,
        read: () => connection.run((client) => readMessage(client, path, uid)),
      }
  }
}

async function uidsOf(client: ImapFlow, path: string) {
  return inFolder(client, path, async (mailbox) => {
    const uids = mailbox.exists === 0 ? [] : await client.search({ all: true }, { uid: true })
    return { validity: String(mailbox.uidValidity), uids: (uids || []).toSorted((a, b) => a - b) }
  })
}

async function sizesOf(client: ImapFlow, path: string, uids: readonly number[]): Promise<readonly Found[]> {
  return inFolder(client, path, async () => {
    const found: Found[] = []
    for await (const { uid, size = 0 } of client.fetch(uids.join(','), { uid: true, size: true }, { uid: true }))
      found.push({ uid, sizeBytes: size })
    return found.sort((a, b) => a.uid - b.uid)
  })
}

async function readMessage(client: ImapFlow, path: string, uid: number) {
  return inFolder(client, path, async () => {
    const wanted = { source: true, flags: true, internalDate: true } as const
    const message = await client.fetchOne(String(uid), wanted, { uid: true })
    if (!message || message.source === undefined) return null
    const given = [...(message.flags ?? [])]
    const { internalDate } = message
    return {
      raw: message.source,
      flags: new Set(given.flatMap((flag) => flagOf[flag] ?? [])),
      labels: given.filter((flag) => !flag.startsWith('\\') && !flag.startsWith('$')),
      receivedAt: internalDate === undefined ? null : new Date(internalDate),
    }
  })
}
