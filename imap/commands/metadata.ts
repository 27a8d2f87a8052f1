import { changeMetadata, type Metadata, metadataMax, metadataOf } from '../../core/imap/metadata.ts'
import type { KnownFolder } from '../../core/mailbox/known-folders.ts'
import { command, loggedIn } from '../command.ts'
import type { Session } from '../session.ts'
import { Bad, No } from '../wire/answers.ts'
import type { Parser } from '../wire/parser.ts'
import { entryName, folderName, metadataValue } from '../wire/text.ts'
import { specialUses } from './list.ts'

/** How many levels of entries below the named one are returned too. */
type Depth = 0 | 1 | typeof Number.POSITIVE_INFINITY

type Options = { depth: Depth; maxBytes: number }

/** RFC 5464 4.2. The options come before the folder's name (section 5) or after it (in the RFC's examples). */
export const getMetadata = command({
  states: loggedIn,
  read(parser) {
    const options: Options = { depth: 0, maxBytes: Number.POSITIVE_INFINITY }
    parser.space()
    if (parser.peek() === '(') {
      readOptions(parser, options)
      parser.space()
    }
    const name = parser.folder()
    parser.space()
    if (parser.follows('(MAXSIZE ') || parser.follows('(DEPTH ')) {
      readOptions(parser, options)
      parser.space()
    }
    const entries = parser.peek() === '(' ? parser.list(() => readEntry(parser)) : [readEntry(parser)]
    if (entries.length === 0) throw new Bad('Ask for at least one entry')
    return { name, entries: new Set(entries), ...options }
  },
  async run(session, { name, entries, depth, maxBytes }) {
    const folder = await folderOf(session, name)
    const all = await allOf(session, folder)
    const named = new Set([...entries].flatMap((entry) => [entry, ...below(all, entry, depth)]))
    let longest = 0
    const told: string[] = []
    for (const entry of named) {
      const value = all.get(entry)
      // An entry that does not exist is answered with NIL only if depth is 0.
      if (value === undefined && depth > 0) continue
      if (value !== undefined && value.length > maxBytes) longest = Math.max(longest, value.length)
      else told.push(`${entryName(entry)} ${metadataValue(value ?? null)}`)
    }
    if (told.length > 0)
      session.writer.line(`* METADATA ${folderName(folder?.path ?? '', session.nameForm)} (${told.join(' ')})`)
    return longest === 0
      ? undefined
      : { responseCode: `METADATA LONGENTRIES ${longest}`, text: 'Some values are longer than MAXSIZE' }
  },
})

/** RFC 5464 4.3: sets all of the entries, or none. */
export const setMetadata = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const name = parser.folder()
    parser.space()
    const changes = parser.list((): [string, Buffer | null] => {
      const entry = readEntry(parser)
      if (!entry.includes('/', 1)) throw new Bad(`${entry} cannot have a value: put a name behind it`)
      parser.space()
      const value = parser.nstring()
      return [entry, value === null ? null : Buffer.from(value, 'latin1')]
    })
    if (changes.length === 0) throw new Bad('Set at least one entry')
    return { name, changes: new Map(changes) }
  },
  async run(session, { name, changes }) {
    session.requireWrite()
    const folder = await folderOf(session, name)
    if (folder !== null && changes.has(specialUseEntry))
      throw new No('USEATTR', 'The special uses of folders cannot be changed')
    if (folder === null && changes.has(adminEntry)) throw new No('NOPERM', `${adminEntry} cannot be changed`)
    for (const value of changes.values())
      if (value !== null && value.length > metadataMax.valueBytes)
        throw new No(`METADATA MAXSIZE ${metadataMax.valueBytes}`, 'A value is too long')
    if (!(await changeMetadata(session.ctx, session.user.mailbox, folder, changes)))
      throw new No('METADATA TOOMANY', 'No more entries fit here: remove some by setting them to NIL')
    return undefined
  },
})

/** The special use of a folder (RFC 6154 5.4). */
const specialUseEntry = '/private/specialuse'
/** How to reach the server's administrator (RFC 5464 6.2.1). */
const adminEntry = '/shared/admin'

function readOptions(parser: Parser, options: Options): void {
  parser.list(() => {
    const option = parser.word('An option')
    if (option !== 'MAXSIZE' && option !== 'DEPTH') throw new Bad(`${option} is not an option of GETMETADATA`)
    parser.space()
    if (option === 'MAXSIZE') options.maxBytes = parser.number()
    else options.depth = readDepth(parser)
  })
}

function readDepth(parser: Parser): Depth {
  const depth = parser.word('0, 1 or infinity')
  if (depth === '0') return 0
  if (depth === '1') return 1
  if (depth !== 'INFINITY') throw new Bad('DEPTH is 0, 1 or infinity')
  return Number.POSITIVE_INFINITY
}

/** Reads the name of an entry (RFC 5464 4.1), in lower case because names are case-insensitive. */
function readEntry(parser: Parser): string {
  const name = parser.astring().toLowerCase()
  if (name.length > entryCharsMax) throw new Bad(`The name of an entry has at most ${entryCharsMax} characters`)
  if (!/^\/(?:private|shared)(?:\/[^/*%\p{Cc}\P{ASCII}]+)*$/u.test(name))
    throw new Bad('The name of an entry is /private or /shared with names behind it, in ASCII and without * and %')
  return name
}

const entryCharsMax = 500

/** Returns the folder of that name, or null for the empty name, which means the mailbox itself. */
async function folderOf(session: Session, name: string): Promise<KnownFolder | null> {
  return name === '' ? null : session.folderAt(name)
}

/** The stored entries, and the special use that the folder's role implies. */
async function allOf({ ctx, user }: Session, folder: KnownFolder | null): Promise<Metadata> {
  const noted = await metadataOf(ctx, user.mailbox, folder)
  const use = folder === null || folder.role === null ? null : specialUses[folder.role]
  return use === null ? noted : new Map([...noted, [specialUseEntry, Buffer.from(use)]])
}

/** Returns the names of the entries at most `depth` levels below one. */
function below(all: Metadata, entry: string, depth: Depth): readonly string[] {
  const isNear = (rest: string) => depth > 1 || !rest.includes('/')
  return depth === 0
    ? []
    : [...all.keys()].filter((name) => name.startsWith(`${entry}/`) && isNear(name.slice(entry.length + 1)))
}
