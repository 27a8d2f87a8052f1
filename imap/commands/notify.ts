import { canonicalPath } from '../../core/mailbox/folders.ts'
import { command, loggedIn } from '../command.ts'
import { type Item, readItems } from '../fetch/items.ts'
import { startNotifier } from '../notify/notifier.ts'
import {
  type EventGroup,
  type FolderFilter,
  isMessageEvent,
  type NotifyEvent,
  type NotifyRequest,
  notifyEvents,
  type SelectedGroup,
} from '../notify/request.ts'
import { Bad, No } from '../wire/answers.ts'
import type { Parser } from '../wire/parser.ts'

/** RFC 5465 3: each NOTIFY replaces the previous one. */
export const notify = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const word = parser.word('SET or NONE')
    if (word === 'NONE') return null
    if (word !== 'SET') throw new Bad('NOTIFY is followed by SET or NONE')
    return readSet(parser)
  },
  async run(session, asked) {
    const before = session.notifier
    session.notifier = asked === null ? null : await startNotifier(session, asked.request, asked)
    before?.close()
    return undefined
  },
})

type NotifySet = { readonly request: NotifyRequest; readonly tellsStatus: boolean }

function readSet(parser: Parser): NotifySet {
  const tellsStatus = parser.take(' STATUS')
  let selected: SelectedGroup | null = null
  const groups: EventGroup[] = []
  while (parser.takeSpace()) {
    const group = parser.nested(() => readGroup(parser))
    if (!('isDelayed' in group)) groups.push(group)
    else if (selected !== null) throw new Bad('Only one group may name the selected folder')
    else selected = group
  }
  if (selected === null && groups.length === 0) throw new Bad('Name at least one group of folders and events')
  return { request: { selected, groups }, tellsStatus }
}

function readGroup(parser: Parser): EventGroup | SelectedGroup {
  parser.expect('(')
  const word = parser.word('Which folders')
  const isSelected = word === 'SELECTED' || word === 'SELECTED-DELAYED'
  const filter = isSelected ? null : readFilter(parser, word)
  parser.space()
  const { events, items } = readEvents(parser, isSelected)
  parser.expect(')')
  return filter === null ? { isDelayed: word === 'SELECTED-DELAYED', events, items } : { filter, events }
}

function readFilter(parser: Parser, word: string): FolderFilter {
  if (word === 'INBOXES' || word === 'PERSONAL' || word === 'SUBSCRIBED') return { kind: word }
  if (word !== 'MAILBOXES' && word !== 'SUBTREE') throw new Bad(`${word} is not a way to name folders`)
  parser.space()
  const paths = parser.peek() === '(' ? parser.list(() => parser.folder()) : [parser.folder()]
  if (paths.length === 0) throw new Bad('Name at least one folder')
  return { kind: word, paths: paths.map(canonicalPath) }
}

function readEvents(
  parser: Parser,
  isSelected: boolean,
): { readonly events: ReadonlySet<NotifyEvent>; readonly items: readonly Item[] } {
  if (parser.take('NONE')) return { events: new Set(), items: [] }
  let items: readonly Item[] = []
  const unknown: string[] = []
  const events = parser.list(() => {
    const word = parser.word('The name of an event')
    const event = notifyEvents.find((each) => each.toUpperCase() === word)
    if (event === undefined) unknown.push(word)
    else if (isSelected && !isMessageEvent(event)) throw new Bad(`${event} cannot be asked of the selected folder`)
    if (event === 'MessageNew' && parser.follows(' (')) {
      if (!isSelected) throw new Bad('Only the selected folder may have FETCH items after MessageNew')
      parser.space()
      items = readItems(parser)
    }
    return event
  })
  if (unknown.length > 0)
    throw new No(`BADEVENT (${notifyEvents.join(' ')})`, `The event ${unknown[0]} is not supported`)
  const known = new Set(events.filter((event) => event !== undefined))
  if (known.size === 0) throw new Bad('Name at least one event, or NONE')
  // RFC 5465 5.
  if (known.has('MessageNew') !== known.has('MessageExpunge'))
    throw new Bad('MessageNew and MessageExpunge must be named together')
  if (known.has('FlagChange') && !known.has('MessageNew'))
    throw new Bad('FlagChange needs MessageNew and MessageExpunge beside it')
  return { events: known, items }
}
