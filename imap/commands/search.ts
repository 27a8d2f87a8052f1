import { beginReading } from '../../core/imap/contents.ts'
import { type Command, command, inFolder } from '../command.ts'
import { type Key, readCharset, readKeys } from '../search/keys.ts'
import { searchFolder } from '../search/search.ts'
import type { MessageTable } from '../selected/message-table.ts'
import type { Session } from '../session.ts'
import type { Kind } from '../sets.ts'
import { Bad } from '../wire/answers.ts'
import { formatSet, type Uid } from '../wire/numbers.ts'
import { formatPage, onPage, type Page, readPage } from '../wire/pages.ts'
import type { Parser } from '../wire/parser.ts'

const results = ['MIN', 'MAX', 'ALL', 'COUNT', 'SAVE', 'PARTIAL'] as const
type Result = (typeof results)[number]

type Asked = {
  readonly tag: string
  /** Null for a search without RETURN. */
  readonly wanted: ReadonlySet<Result> | null
  readonly page: Page | null
  readonly key: Key
}

/** RFC 9051 6.4.4, with RFC 4731 (ESEARCH) and RFC 5182 (SEARCHRES), which are part of it. */
export const search = (kind: Kind): Command =>
  command({
    states: inFolder,
    updates: kind === 'uid' ? 'all' : 'allButExpunges',
    read: readSearch,
    async run(session, { tag, wanted, page, key }) {
      const { tracker, view } = session.folder
      const asksModseqs = asks(key, 'modseq')
      if (asksModseqs) session.useModseqs()
      const reading = beginReading(session.ctx)
      let uids: Uid[]
      try {
        uids = await searchFolder(session, key, reading)
      } catch (error) {
        // RFC 5182 2.1: a search that fails leaves nothing saved.
        if (wanted?.has('SAVE') === true) session.folder.saved = []
        throw error
      }
      const numbers = kind === 'uid' ? uids : uids.flatMap((uid) => tracker.seqOf(uid) ?? [])
      const named = wanted === null ? uids : namedOf(uids, wanted, page)
      if (wanted?.has('SAVE') === true) session.folder.saved = reading.isWhole ? named : []
      // RFC 7162 3.1.5, RFC 4731 3.2: the highest modseq of the messages in the result.
      const modseqs = asksModseqs ? modseqsOf(view.table, named) : []
      const modseq = modseqs.length === 0 ? null : modseqs.reduce((a, b) => Math.max(a, b))
      if (wanted === null && !session.enabled.has('IMAP4REV2'))
        session.writer.line(['* SEARCH', ...numbers, ...(modseq === null ? [] : [`(MODSEQ ${modseq})`])].join(' '))
      else tellExtended(session, { tag, kind, wanted: wanted ?? new Set(['ALL']), page, numbers, modseq })
      reading.end()
      return undefined
    },
  })

function readSearch(parser: Parser, session: Session): Asked {
  let wanted: Set<Result> | null = null
  let page: Page | null = null
  parser.space()
  if (parser.take('RETURN ')) {
    wanted = new Set(
      parser.list(() => {
        const word = parser.word('A result')
        const result = results.find((each) => each === word)
        if (result === undefined) throw new Bad(`${word} is not a result option of SEARCH`)
        if (result === 'PARTIAL') {
          parser.space()
          page = readPage(parser)
        }
        return result
      }),
    )
    if (wanted.size === 0) wanted.add('ALL')
    if (wanted.has('PARTIAL') && wanted.has('ALL')) throw new Bad('ALL and PARTIAL cannot be combined')
    parser.space()
  }
  if (parser.take('CHARSET ')) {
    // RFC 6855 3: with UTF8=ACCEPT every search is in UTF-8.
    if (session.enabled.has('UTF8=ACCEPT')) throw new Bad('CHARSET is not allowed once UTF8=ACCEPT is enabled')
    readCharset(parser)
    parser.space()
  }
  return { tag: session.currentTag, wanted, page, key: readKeys(parser) }
}

/** Whether a query contains a key of this kind. */
function asks(key: Key, kind: Key['is']): boolean {
  if (key.is === 'and' || key.is === 'or') return key.keys.some((each) => asks(each, kind))
  return key.is === 'not' ? asks(key.key, kind) : key.is === kind
}

function tellExtended(
  { writer }: Session,
  {
    tag,
    kind,
    wanted,
    page,
    numbers,
    modseq,
  }: Pick<Asked, 'tag' | 'page'> & {
    kind: Kind
    wanted: ReadonlySet<Result>
    numbers: readonly number[]
    modseq: number | null
  },
): void {
  const [first, last] = [numbers[0], numbers.at(-1)]
  const told = [
    `* ESEARCH (TAG "${tag}")`,
    ...(kind === 'uid' ? ['UID'] : []),
    ...(wanted.has('MIN') && first !== undefined ? [`MIN ${first}`] : []),
    ...(wanted.has('MAX') && last !== undefined ? [`MAX ${last}`] : []),
    ...(wanted.has('ALL') && first !== undefined ? [`ALL ${formatSet(numbers)}`] : []),
    ...(wanted.has('COUNT') ? [`COUNT ${numbers.length}`] : []),
    ...(page === null ? [] : [`PARTIAL (${formatPage(page)} ${formatSet(onPage(numbers, page)) || 'NIL'})`]),
    ...(modseq === null ? [] : [`MODSEQ ${modseq}`]),
  ]
  if (wanted.size > 1 || !wanted.has('SAVE')) writer.line(told.join(' '))
}

/** The UIDs that the result names: only those of MIN, MAX and PARTIAL unless ALL or COUNT is asked for (RFC 5182 2.4, RFC 9394 3.2). */
function namedOf(uids: readonly Uid[], wanted: ReadonlySet<Result>, page: Page | null): readonly Uid[] {
  const isOfAll = !wanted.has('MIN') && !wanted.has('MAX') && page === null
  if (wanted.has('ALL') || wanted.has('COUNT') || isOfAll) return uids
  const [first, last] = [wanted.has('MIN') ? uids[0] : undefined, wanted.has('MAX') ? uids.at(-1) : undefined]
  const named = new Set([first, ...(page === null ? [] : onPage(uids, page)), last])
  return uids.filter((uid) => named.has(uid))
}

/** The modseqs of messages, without those that have left the folder in the meantime. */
const modseqsOf = (table: MessageTable, uids: readonly Uid[]): readonly number[] =>
  uids.flatMap((uid) => {
    const index = table.indexOf(uid)
    return index < 0 ? [] : [table.modseqAt(index)]
  })
