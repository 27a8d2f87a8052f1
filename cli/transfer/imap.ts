/**
 * Mail on another IMAP server. A connection that is cut is made again, and the folder goes on behind what was read; it is given up when
 * several connections in a row brought nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ImapFlow } from 'imapflow'
import type { SystemFlag } from '../../core/imap/flags.ts'
import type { ForeignFolder, ForeignMessage } from '../../core/transfer/import.ts'

export type ImapAccount = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; else STARTTLS, where the server has it. */
  readonly isSecure: boolean
  readonly user: string
  readonly password: string
  /** Whether the server's certificate is verified. */
  readonly isVerified: boolean
}

/** Messages whose sizes and flags are asked for together. */
const askAtOnce = 500
const triesMax = 6
const pauseMs = 500

/** The folders here that mail of the special ones elsewhere goes to. */
const specialPaths: { readonly [use: string]: string } = {
  '\\Sent': 'Sent',
  '\\Drafts': 'Drafts',
  '\\Trash': 'Trash',
  '\\Junk': 'Spam',
  '\\Archive': 'Archive',
}

const flagOf: { readonly [flag: string]: SystemFlag } = {
  '\\Seen': 'seen',
  '\\Answered': 'answered',
  '\\Flagged': 'flagged',
  '\\Deleted': 'deleted',
  '\\Draft': 'draft',
}

type Elsewhere = { readonly path: string; readonly into: string }
type Found = { readonly uid: number; readonly sizeBytes: number }

/** The folders of the account, with their messages in the order of their UIDs. `say` is told of what is tried again. */
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
    // What shows the messages of other folders once more.
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

/** Selects the folder where it is not selected, to read. */
async function inFolder<T>(
  client: ImapFlow,
  path: string,
  work: (mailbox: { readonly exists: number; readonly uidValidity: bigint }) => Promise<T>,
): Promise<T> {
  const lock = await client.getMailboxLock(path, { readOnly: true })
  try {
    if (!client.mailbox) throw new Error(`The folder ${path} could not be opened.`)
    return await work(client.mailbox)
  } finally {
    lock.release()
  }
}

type Connection = {
  /** Does something on the connection, which is made again and the work done again when it is cut. */
  run<T>(work: (client: ImapFlow) => Promise<T>): Promise<T>
  close(): Promise<void>
}

function createConnection(account: ImapAccount, say: (text: string) => void): Connection {
  let client: ImapFlow | null = null

  async function open(): Promise<ImapFlow> {
    if (client?.usable === true) return client
    client?.close()
    const { host, port, isSecure, user, password: pass, isVerified } = account
    const fresh = new ImapFlow({
      host,
      port,
      secure: isSecure,
      auth: { user, pass },
      tls: { rejectUnauthorized: isVerified },
      logger: false,
    })
    // It is told by what was under way.
    fresh.on('error', () => undefined)
    await fresh.connect()
    client = fresh
    return fresh
  }

  return {
    async run(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await work(await open())
        } catch (error) {
          const isWrong =
            error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true
          if (isWrong || tries >= triesMax) throw error
          if (client?.usable === true) throw error
          say(
            `The connection to ${account.host} was cut: ${error instanceof Error ? error.message : error}; trying again\n`,
          )
          await sleep(pauseMs * tries)
        }
      }
    },
    async close() {
      await client?.logout().catch(() => client?.close())
    },
  }
}
