import { type Command, command, inFolder } from '../command.ts'
import { type Key, readKeys } from '../search/keys.ts'
import { searchFolder } from '../search/search.ts'
import type { Session } from '../session.ts'
import type { Kind } from '../sets.ts'
import { Bad, No } from '../wire/answers.ts'
import { formatSet, type Uid } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'

const results = ['MIN', 'MAX', 'ALL', 'COUNT', 'SAVE'] as const
type Result = (typeof results)[number]

type Asked = {
  readonly tag: string
  /** Null: without RETURN. */
  readonly wanted: ReadonlySet<Result> | null
  readonly key: Key
}

/** RFC 9051 6.4.4, with RFC 4731 (ESEARCH) and RFC 5182 (SEARCHRES), which are part of it. */
export const search = (kind: Kind): Command =>
  command({
    states: inFolder,
    tells: kind === 'uid' ? 'all' : 'allButExpunges',
    read: readSearch,
    async run(session, { tag, wanted, key }) {
      const { tracker } = session.folder
      let uids: Uid[]
      try {
        uids = await searchFolder(session, key)
      } catch (error) {
        // RFC 5182 2.1: a search that fails leaves nothing saved.
        if (wanted?.has('SAVE') === true) session.folder.saved = []
        throw error
      }
      const numbers = kind === 'uid' ? uids : uids.flatMap((uid) => tracker.seqOf(uid) ?? [])
      if (wanted?.has('SAVE') === true) session.folder.saved = savedOf(uids, wanted)
      if (wanted === null && !session.enabled.has('IMAP4REV2')) session.writer.line(['* SEARCH', ...numbers].join(' '))
      else tellExtended(session, { tag, kind, wanted: wanted ?? new Set(['ALL']), numbers })
      return undefined
    },
  })

function readSearch(parser: Parser, { currentTag }: Session): Asked {
  let wanted: Set<Result> | null = null
  parser.space()
  if (parser.take('RETURN ')) {
    wanted = new Set(
      parser.list(() => {
        const word = parser.word('A result')
        const result = results.find((each) => each === word)
        if (result === undefined) throw new Bad(`${word} is no result of a search`)
        return result
      }),
    )
    if (wanted.size === 0) wanted.add('ALL')
    parser.space()
  }
  if (parser.take('CHARSET ')) {
    const charset = parser.astring().toUpperCase()
    if (charset !== 'UTF-8' && charset !== 'US-ASCII')
      throw new No('BADCHARSET (US-ASCII UTF-8)', 'Only US-ASCII and UTF-8 are known')
    parser.space()
  }
  return { tag: currentTag, wanted, key: readKeys(parser) }
}

function tellExtended(
  { writer }: Session,
  { tag, kind, wanted, numbers }: { tag: string; kind: Kind; wanted: ReadonlySet<Result>; numbers: readonly number[] },
): void {
  const [first, last] = [numbers[0], numbers.at(-1)]
  const told = [
    `* ESEARCH (TAG "${tag}")`,
    ...(kind === 'uid' ? ['UID'] : []),
    ...(wanted.has('MIN') && first !== undefined ? [`MIN ${first}`] : []),
    ...(wanted.has('MAX') && last !== undefined ? [`MAX ${last}`] : []),
    ...(wanted.has('ALL') && first !== undefined ? [`ALL ${formatSet(numbers)}`] : []),
    ...(wanted.has('COUNT') ? [`COUNT ${numbers.length}`] : []),
  ]
  if (wanted.size > 1 || !wanted.has('SAVE')) writer.line(told.join(' '))
}

/** RFC 5182 2.4: with MIN or MAX alone, only these are saved. */
function savedOf(uids: readonly Uid[], wanted: ReadonlySet<Result>): readonly Uid[] {
  if (wanted.has('ALL') || wanted.has('COUNT') || (!wanted.has('MIN') && !wanted.has('MAX'))) return uids
  const ends = [wanted.has('MIN') ? uids[0] : undefined, wanted.has('MAX') ? uids.at(-1) : undefined]
  return [...new Set(ends.filter((uid) => uid !== undefined))]
}
