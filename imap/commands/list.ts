import { allFolders, subscribedPaths } from '../../core/imap/folder-list.ts'
import type { FolderRole } from '../../schemas/threads.ts'
import { command, loggedIn } from '../command.ts'
import { folderPattern } from '../folder-patterns.ts'
import type { Session } from '../session.ts'
import { readStatusItems, type StatusItem, tellStatus } from '../status-items.ts'
import { Bad } from '../wire/answers.ts'
import type { Parser } from '../wire/parser.ts'
import { folderName } from '../wire/text.ts'

type Asked = {
  readonly select: ReadonlySet<string>
  readonly reference: string
  readonly patterns: readonly string[]
  readonly isExtended: boolean
  readonly results: ReadonlySet<string>
  readonly status: readonly StatusItem[] | null
}

/** RFC 6154 2: the special-use attribute of each folder role. */
export const specialUses: { readonly [R in FolderRole]: string | null } = {
  inbox: null,
  sent: '\\Sent',
  drafts: '\\Drafts',
  trash: '\\Trash',
  spam: '\\Junk',
  archive: '\\Archive',
}

/** RFC 9051 6.3.9, with all its options (RFC 5258, RFC 5819, RFC 6154). */
export const list = command({
  states: loggedIn,
  read: readList,
  async run(session, asked) {
    if (!asked.isExtended && asked.patterns[0] === '') {
      session.writer.line('* LIST (\\Noselect) "/" ""')
      return undefined
    }
    await tellFolders(session, asked)
    return undefined
  },
})

function readList(parser: Parser): Asked {
  parser.space()
  const isSelecting = parser.peek() === '('
  const select = new Set(isSelecting ? parser.list(() => selectOption(parser)) : [])
  if (select.has('RECURSIVEMATCH') && !select.has('SUBSCRIBED'))
    throw new Bad('RECURSIVEMATCH needs SUBSCRIBED beside it')
  if (isSelecting) parser.space()
  const reference = parser.folder()
  parser.space()
  const isList = parser.peek() === '('
  const patterns = isList ? parser.list(() => parser.folderPattern()) : [parser.folderPattern()]
  const results = new Set<string>()
  let status: readonly StatusItem[] | null = null
  const isReturning = parser.takeSpace()
  if (isReturning) {
    parser.expect('RETURN ')
    parser.list(() => {
      const option = parser.word('A return option')
      if (option === 'STATUS') {
        parser.space()
        status = readStatusItems(parser)
      } else if (!returnOptions.has(option)) throw new Bad(`${option} is not a return option`)
      results.add(option)
    })
  }
  return { select, reference, patterns, isExtended: isSelecting || isList || isReturning, results, status }
}

const selectOptions: ReadonlySet<string> = new Set(['SUBSCRIBED', 'REMOTE', 'RECURSIVEMATCH', 'SPECIAL-USE'])
const returnOptions: ReadonlySet<string> = new Set(['SUBSCRIBED', 'CHILDREN', 'SPECIAL-USE'])

function selectOption(parser: Parser): string {
  const option = parser.word('A selection option')
  if (!selectOptions.has(option)) throw new Bad(`${option} is not a selection option`)
  return option
}

async function tellFolders(session: Session, asked: Asked): Promise<void> {
  const { ctx, writer, user } = session
  const { select, reference, patterns, results, status } = asked
  const tests = patterns.map((pattern) => folderPattern(reference, pattern))
  const isMatch = (path: string) => tests.some((test) => test(path))
  const folders = await allFolders(ctx, user.mailbox._id)
  const needsSubscribed = select.has('SUBSCRIBED') || results.has('SUBSCRIBED')
  const subscribed = new Set(needsSubscribed ? await subscribedPaths(ctx, user.mailbox._id) : [])
  const isSelected = (path: string, use: string | null) =>
    (!select.has('SUBSCRIBED') || subscribed.has(path)) && (!select.has('SPECIAL-USE') || use !== null)
  const usesOf = new Map(folders.map(({ path, role }) => [path, role === null ? null : specialUses[role]]))
  // A subscribed folder may have been deleted (RFC 9051 6.3.9.1).
  const gone = select.has('SUBSCRIBED') ? [...subscribed].filter((path) => !usesOf.has(path)) : []
  const all = [...usesOf.keys(), ...gone].sort()
  for (const path of all) {
    if (!isMatch(path)) continue
    const use = usesOf.get(path) ?? null
    const isOwn = isSelected(path, use)
    const below = all.filter((other) => other.startsWith(`${path}/`))
    const hasSelectedBelow =
      select.has('RECURSIVEMATCH') &&
      below.some((other) => !isMatch(other) && isSelected(other, usesOf.get(other) ?? null))
    if (!isOwn && !hasSelectedBelow) continue
    const attributes = [
      ...(usesOf.has(path) ? [] : ['\\NonExistent']),
      ...(isOwn && subscribed.has(path) ? ['\\Subscribed'] : []),
      below.some((other) => usesOf.has(other)) ? '\\HasChildren' : '\\HasNoChildren',
      ...(use === null ? [] : [use]),
    ]
    const info = hasSelectedBelow ? ' ("CHILDINFO" ("SUBSCRIBED"))' : ''
    writer.line(`* LIST (${attributes.join(' ')}) "/" ${folderName(path, session.nameForm)}${info}`)
    const folder = folders.find((each) => each.path === path)
    if (status !== null && folder !== undefined && isOwn) await tellStatus(session, folder, status)
  }
}
