/**
 * Exports our mail to another IMAP server. The messages there are listed first, by Message-ID and date, and of those with the same
 * Message-ID and date only as many are copied as are missing. An interrupted export can therefore be repeated to copy what is missing, and
 * a message whose answer was lost is recognised if it arrived.
 */
import type { ImapFlow } from 'imapflow'
import type { SystemFlag } from '../../core/imap/flags.ts'
import type { OwnFolder, OwnMessage } from '../../core/transfer/export.ts'
import { firstHeader, readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { createConnection, flagOf, type ImapAccount, inFolder, specialPaths } from './imap-server.ts'

export type ExportCounts = {
  /** Messages that were examined. */
  seen: number
  exported: number
  /** Messages that were there already. */
  known: number
  /** Messages that the server refuses because of their size. */
  skipped: number
}

export type ImapExport = {
  readonly counts: Readonly<ExportCounts>
  /** Copies the messages of a folder. Fails with `unprocessable` if the mailbox there is full. */
  folder(from: OwnFolder): Promise<void>
  close(): Promise<void>
}

/** The folder on the server to which one of ours is copied, and what is known about it. */
type Place = {
  readonly path: string
  /** How many messages of each name are there, as listed over `listedBy` and copied since. */
  there: Map<string, number>
  listedBy: ImapFlow | null
  /** How many messages of each name were examined here. */
  readonly here: Map<string, number>
}

const specialUseOf = new Map(Object.entries(specialPaths).map(([use, path]) => [path, use]))
const nameOfFlag = new Map(Object.entries(flagOf).map(([name, flag]) => [flag, name]))
/** The response codes for a message that is too large (RFC 7889 4, RFC 9051 7.1). */
const tooLarge: readonly string[] = ['APPENDLIMIT', 'TOOBIG', 'LIMIT']
/** The form of a keyword: an atom (RFC 9051 9). */
const keywordForm = /^[^\s\p{Cc}(){%*"\\\]\u0080-\uffff]+$/u

/** Begins an export. `say` receives messages about retries and skipped messages. */
export function beginImapExport(account: ImapAccount, say: (text: string) => void): ImapExport {
  const connection = createConnection(account, say)
  const counts: ExportCounts = { seen: 0, exported: 0, known: 0, skipped: 0 }
  const places = new Map<string, Place>()

  async function placeFor(path: string): Promise<Place> {
    const elsewhere = await connection.run((client) => folderFor(client, path))
    const place = places.get(elsewhere) ?? { path: elsewhere, there: new Map(), listedBy: null, here: new Map() }
    places.set(elsewhere, place)
    return place
  }

  async function bring(place: Place, message: OwnMessage): Promise<void> {
    const name = nameOf(idIn(message.raw), message.receivedAt)
    const nth = (place.here.get(name) ?? 0) + 1
    place.here.set(name, nth)
    let isSent = false
    await connection.run((client) =>
      inFolder(
        client,
        place.path,
        async () => {
          if (place.listedBy !== client) Object.assign(place, { there: await listed(client), listedBy: client })
          const there = place.there.get(name) ?? 0
          if (there >= nth) {
            // It may have arrived over a connection that was cut before the answer came.
            counts[isSent ? 'exported' : 'known'] += 1
            return
          }
          isSent = true
          await client.append(place.path, message.raw, flagsOf(message), message.receivedAt)
          place.there.set(name, there + 1)
          counts.exported += 1
        },
        { readOnly: false },
      ),
    )
  }

  async function folder({ path, messages }: OwnFolder): Promise<void> {
    const place = await placeFor(path)
    for await (const message of messages) {
      counts.seen += 1
      try {
        await bring(place, message)
      } catch (error) {
        const code = codeOf(error)
        if (code === 'OVERQUOTA')
          throw new Failure('unprocessable', `The mailbox at ${account.host} is full.`, {
            fix: 'Make room there, and start the export again: it copies what is missing.',
          })
        if (!tooLarge.includes(code)) throw error
        counts.skipped += 1
        say(`${account.host} does not accept ${message.id}, which has ${message.raw.length} bytes\n`)
      }
    }
  }

  return { counts, folder, close: () => connection.close() }
}

/** The folder on the server for a path of ours: the special one, one of that name, or a new one. */
async function folderFor(client: ImapFlow, path: string): Promise<string> {
  const listed = await client.list()
  if (path === 'INBOX') return path
  const special = listed.find(({ specialUse }) => specialUse !== undefined && specialUse === specialUseOf.get(path))
  if (special !== undefined) return special.path
  const delimiter = listed.find((each) => each.delimiter)?.delimiter ?? '/'
  const levels = path.split('/').map((level) => (delimiter === '/' ? level : level.replaceAll(delimiter, '_')))
  const { path: made } = await client.mailboxCreate(levels)
  return made
}

/** How many messages of each name the selected folder has. */
async function listed(client: ImapFlow): Promise<Map<string, number>> {
  const counted = new Map<string, number>()
  if (!client.mailbox || client.mailbox.exists === 0) return counted
  const wanted = { uid: true, internalDate: true, headers: ['message-id'] }
  for await (const { headers, internalDate } of client.fetch('1:*', wanted)) {
    const name = nameOf(idIn(headers ?? Buffer.alloc(0)), new Date(internalDate ?? 0))
    counted.set(name, (counted.get(name) ?? 0) + 1)
  }
  return counted
}

/** Identifies a message by what every server keeps; dates are kept to the second (RFC 9051 9, date-time). */
const nameOf = (id: string, at: Date) => `${Math.floor(at.getTime() / 1_000)} ${id}`

const idIn = (raw: Buffer): string => firstHeader(readHeaders(raw).fields, 'message-id')?.value.trim() ?? ''

function flagsOf({ flags, labels }: OwnMessage): string[] {
  const system = flags.flatMap((flag: SystemFlag) => nameOfFlag.get(flag) ?? [])
  return [...system, ...labels.filter((label) => keywordForm.test(label))]
}

function codeOf(error: unknown): string {
  const code = (error as { readonly serverResponseCode?: unknown } | null)?.serverResponseCode
  return typeof code === 'string' ? code.toUpperCase() : ''
}
