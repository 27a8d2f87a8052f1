/**
 * Writes the FETCH responses of messages. Messages are read in groups, so that a client that reads slowly holds at most one
 * group and its unread output in memory. A large message is passed on piece by piece.
 */
import {
  beginReading,
  bySize,
  type Held,
  heldMessages,
  isLarge,
  type Reading,
  shownMessages,
  shownPieces,
  shownSize,
} from '../../core/imap/contents.ts'
import type { Transfer } from '../../core/process/in-flight.ts'
import { type Part, readStructure } from '../../mail/message/structure.ts'
import { limits } from '../limits.ts'
import { tellKeywords } from '../news.ts'
import { createPace, type Pace } from '../pace.ts'
import { changeSelected } from '../selected/change-flags.ts'
import { flagBit } from '../selected/message-table.ts'
import type { Session } from '../session.ts'
import type { Uid } from '../wire/numbers.ts'
import { cutOut, sectionOf } from '../wire/sections.ts'
import { formatDateTime, quoted, utf8, withoutNul } from '../wire/text.ts'
import { decodedPart } from './binary.ts'
import { isInTable, tableText, writeFromTable } from './from-table.ts'
import type { BinaryItem, Item, PlainItem, SectionItem } from './items.ts'
import { type Described, describe } from './structures.ts'

/** Messages whose documents are read together. */
const documentsAtOnce = 100

const describedItems: ReadonlySet<Item> = new Set<Item>(['ENVELOPE', 'BODY', 'BODYSTRUCTURE'])
const isDescribed = (item: Item) => describedItems.has(item)

/**
 * Writes the items of messages, without messages that are gone. Stops when the connection has ended. If some messages cannot be
 * read at the moment, it writes all the others first and then rejects.
 */
export async function fetchMessages(
  session: Session,
  uids: readonly Uid[],
  items: readonly Item[],
  pace: Pace = createPace(),
): Promise<void> {
  if (items.includes('MODSEQ')) await readBefore(session, uids)
  if (items.every(isInTable)) return writeFromTable(session, uids, items, pace)
  const marks = items.some((item) => typeof item === 'object' && !item.isPeek)
  const reading = beginReading(session.ctx)
  for (let n = 0; n < uids.length && !session.writer.isOver; n += documentsAtOnce) {
    await fetchGroup(session, uids.slice(n, n + documentsAtOnce), { items, marks, pace, reading })
  }
  reading.end()
}

const none: ReadonlySet<Uid> = new Set()

/**
 * Refreshes the view if the modseq of a message is ahead of that of the view, as after a change that was taken in without a read.
 * A client that receives a modseq assumes that it has been told of every lower one.
 */
async function readBefore({ folder: { view } }: Session, uids: readonly Uid[]): Promise<void> {
  const { table, modseq } = view
  const isAhead = (index: number) => index >= 0 && table.modseqAt(index) > modseq
  if (uids.some((uid) => isAhead(table.indexOf(uid)))) await view.refresh()
}

type Asked = {
  readonly items: readonly Item[]
  /** Whether the messages are marked as read. */
  readonly marks: boolean
  readonly pace: Pace
  readonly reading: Reading
}

/** Marks messages as read. Returns the items to write for each message: FLAGS too if it was unread before. */
type ItemsOf = (read: readonly Uid[]) => Promise<(uid: Uid) => readonly Item[]>

async function fetchGroup(
  session: Session,
  uids: readonly Uid[],
  { items, marks, pace, reading }: Asked,
): Promise<void> {
  const { ctx, folder, structures, writer } = session
  const keyOf = (uid: number) => `${folder.view.folder.folderId} ${uid}`
  const known = new Map(
    items.some(isDescribed) ? uids.map((uid) => [uid, structures.get(keyOf(uid)) ?? null] as const) : [],
  )
  // RFC 7162 3.1: a client that uses CONDSTORE also gets the new modseq.
  const news: readonly Item[] = session.enabled.has('CONDSTORE') ? ['FLAGS', 'MODSEQ'] : ['FLAGS']
  const withNews: readonly Item[] = [...new Set([...items, ...news])]
  // Called once the bytes are loaded, so that a message that cannot be loaded stays unread.
  const itemsOf: ItemsOf = async (read) => {
    const told = marks ? await markSeen(session, read) : none
    return (uid) => (told.has(uid) ? withNews : items)
  }
  const write = async (uid: Uid, content: Known, own = items, held: Transfer | null = null) => {
    const keep = (described: Described) => structures.set(keyOf(uid), described)
    await writeMessage(session, { uid, items: own, content: new Content(content, keep), held })
    if (writer.isFull) await writer.room()
    const rest = pace()
    if (rest !== null) await rest
  }
  if (
    items.every((item) => isInTable(item) || isDescribed(item)) &&
    [...known.values()].every((each) => each !== null)
  ) {
    for (const [uid, described] of known) await write(uid, { message: null, bytes: null, described })
    return
  }
  const needsBytes = items.some((item) => typeof item === 'object')
  const needsStructure = items.some(isDescribed)
  const isKnown = ({ uid }: Held) => !needsBytes && (!needsStructure || (known.get(uid as Uid) ?? null) !== null)
  for (const group of bySize(await heldMessages(ctx, folder.view.folder, uids))) {
    if (writer.isOver) return
    const [first] = group
    if (first !== undefined && isLarge(first) && items.every((item) => canStream(item))) {
      await streamMessage(session, first, itemsOf, reading)
      continue
    }
    const wanted = group.filter((message) => !isKnown(message))
    const held = wanted.some(isLarge) ? session.peer.hold(shownSize(wanted[0]!)) : null
    try {
      const shown = await shownMessages(ctx, wanted, reading)
      const loaded = group.filter((message) => shown.has(message._id) || isKnown(message))
      const own = await itemsOf(loaded.map(({ uid }) => uid as Uid))
      for (const message of loaded) {
        const uid = message.uid as Uid
        const bytes = shown.get(message._id) ?? null
        await write(uid, { message, bytes, described: known.get(uid) ?? null }, own(uid), held)
      }
    } finally {
      held?.done()
    }
  }
}

type Known = {
  /** The document of the message, if it was loaded. */
  readonly message: Held | null
  readonly bytes: Buffer | null
  readonly described: Described | null
}

/** A message whose bytes are in memory or whose structure is known. */
class Content {
  readonly #keep: (described: Described) => void
  readonly #message: Held | null
  readonly #bytes: Buffer | null
  #described: Described | null
  #root: Part | null = null

  /** `keep` receives the structure when it had to be read from the bytes. */
  constructor({ message, bytes, described }: Known, keep: (described: Described) => void) {
    this.#keep = keep
    this.#message = message
    this.#bytes = bytes
    this.#described = described
  }

  described(): Described {
    if (this.#described === null) {
      this.#described = describe(this.#shown())
      this.#keep(this.#described)
    }
    return this.#described
  }

  get message(): Held {
    if (this.#message === null) throw new Error('The document of a message was not read.')
    return this.#message
  }

  section({ section, partial }: SectionItem): Buffer | null {
    const found = sectionOf(this.#shown(), section, () => this.#structure())
    return found === null ? null : withoutNul(cutOut(found, partial))
  }

  binary({ binary, partial }: BinaryItem): Buffer | null {
    const found = decodedPart(this.#shown(), binary, () => this.#structure())
    return found === null ? null : cutOut(found, partial)
  }

  #structure(): Part {
    this.#root ??= readStructure(this.#shown()).root
    return this.#root
  }

  #shown(): Buffer {
    if (this.#bytes === null) throw new Error('The bytes of a message were not read.')
    return this.#bytes
  }
}

type Written = {
  readonly uid: Uid
  readonly items: readonly Item[]
  readonly content: Content
  /** The transfer of a large message. */
  readonly held: Transfer | null
}

async function writeMessage(session: Session, { uid, items, content, held }: Written): Promise<void> {
  const { writer, folder } = session
  const index = folder.view.table.indexOf(uid)
  const seq = index < 0 ? null : folder.tracker.seqAt(index, uid)
  if (seq === null) return
  if (items.includes('FLAGS')) {
    tellKeywords(session, folder.view.table.labelsAt(index))
    folder.tracker.forgetOne(uid)
  }
  // All items are built before the first is written: a client cannot recover from a response that breaks off halfway.
  const pieces = items.map((item): readonly [string, Buffer | null] => {
    if (typeof item === 'string') return [plainItem(session, item, { uid, index, content }), null]
    return 'binary' in item
      ? binaryPieces(item, content.binary(item))
      : literalPieces(item.label, content.section(item))
  })
  writer.text(`* ${seq} FETCH (`)
  for (const [n, [text, bytes]] of pieces.entries()) {
    writer.text(n === 0 ? text : ` ${text}`)
    if (bytes === null) continue
    if (held === null) writer.bytes(bytes)
    else await writeInPieces(session, bytes, held)
  }
  writer.line(')')
}

/** Writes the bytes of a large part as fast as the client reads them. */
async function writeInPieces({ writer }: Session, bytes: Buffer, held: Transfer): Promise<void> {
  for (let from = 0; from < bytes.length && !writer.isOver; from += limits.writtenBytes) {
    writer.bytes(bytes.subarray(from, from + limits.writtenBytes))
    await writer.room()
    held.moved()
  }
}

/** Returns the text before the bytes of a part, and the bytes. Bytes that contain NUL go as a literal8 (RFC 3516 4.4). */
function binaryPieces({ label, isSize }: BinaryItem, bytes: Buffer | null): readonly [string, Buffer | null] {
  if (bytes === null) return [`${label} ${isSize ? '0' : 'NIL'}`, null]
  if (isSize) return [`${label} ${bytes.length}`, null]
  return [`${label} ${bytes.includes(0) ? '~' : ''}{${bytes.length}}\r\n`, bytes]
}

const literalPieces = (label: string, bytes: Buffer | null): readonly [string, Buffer | null] =>
  bytes === null ? [`${label} NIL`, null] : [`${label} {${bytes.length}}\r\n`, bytes]

function plainItem(
  session: Session,
  item: PlainItem,
  { uid, index, content }: { uid: Uid; index: number; content: Content },
): string {
  if (isInTable(item)) return tableText(session, item, uid, index)
  if (item === 'ENVELOPE') return `ENVELOPE ${envelopeFor(session, content.described())}`
  if (item === 'BODY') return `BODY ${content.described().body}`
  if (item === 'BODYSTRUCTURE') return `BODYSTRUCTURE ${content.described().bodyStructure}`
  return `${item} ${ofDocument[item](content.message)}`
}

const envelopeFor = ({ nameForm }: Session, { envelope, envelopeInUtf8 }: Described): string =>
  nameForm === 'utf8' && envelopeInUtf8 !== null ? envelopeInUtf8 : envelope

/** Items that are read from the document of a message (RFC 8474 5, RFC 8514 4, RFC 8970 3). */
const ofDocument: {
  readonly [I in 'EMAILID' | 'THREADID' | 'SAVEDATE' | 'PREVIEW']: (message: Held) => string
} = {
  EMAILID: ({ blob }) => `(${blob.id})`,
  THREADID: ({ threadId }) => `(${threadId})`,
  SAVEDATE: ({ savedAt, receivedAt }) => formatDateTime(savedAt ?? receivedAt),
  PREVIEW: ({ snippet }) => quoted(utf8(snippet ?? '')),
}

/** Whether an item of a large message can be streamed: it is in the table, or it is the whole message. */
const canStream = (item: Item): boolean =>
  typeof item === 'string'
    ? isInTable(item)
    : 'section' in item && item.section.path.length === 0 && item.section.text === 'all' && item.partial === null

/**
 * Streams a large message. Writes nothing if its first bytes cannot be read at the moment. If reading fails later, the connection
 * ends, because the size of the literal has already been sent.
 */
async function streamMessage(session: Session, message: Held, itemsOf: ItemsOf, reading: Reading): Promise<void> {
  const { writer, folder, peer } = session
  const begun = shownPieces(reading, message)
  let start: IteratorResult<Buffer>
  try {
    start = await begun.next()
  } catch (error) {
    return reading.missed(error)
  }
  const uid = message.uid as Uid
  const items = (await itemsOf([uid]))(uid)
  const index = folder.view.table.indexOf(uid)
  const seq = folder.tracker.seqOf(uid)
  if (index < 0 || seq === null) return
  const plain = items.filter(isInTable)
  if (plain.includes('FLAGS')) {
    tellKeywords(session, folder.view.table.labelsAt(index))
    folder.tracker.forgetOne(uid)
  }
  writer.text(`* ${seq} FETCH (`)
  writer.text(plain.map((item) => tableText(session, item, uid, index)).join(' '))
  let isFirst = plain.length === 0
  let isFirstSection = true
  for (const item of items) {
    if (typeof item === 'string' || 'binary' in item) continue
    writer.text(`${isFirst ? '' : ' '}${item.label} {${shownSize(message)}}\r\n`)
    isFirst = false
    try {
      const pieces = isFirstSection ? begun : shownPieces(reading, message)
      let piece = isFirstSection ? start : await pieces.next()
      isFirstSection = false
      for (; !piece.done; piece = await pieces.next()) {
        writer.bytes(withoutNul(piece.value))
        await writer.room()
        if (writer.isOver) return
      }
    } catch (error) {
      peer.abandon()
      throw error
    }
  }
  writer.line(')')
}

/** Marks messages as read before they are written. Returns those that were unread. */
async function markSeen(session: Session, uids: readonly Uid[]): Promise<ReadonlySet<Uid>> {
  const { view, tracker, isReadOnly, folder } = session.folder
  if (isReadOnly) return none
  const unseen = uids.filter((uid) => {
    const index = view.table.indexOf(uid)
    return index >= 0 && (view.table.flagsAt(index) & flagBit('seen')) === 0
  })
  if (unseen.length === 0) return none
  await changeSelected(session.ctx, { folder, view }, unseen, { mode: 'add', flags: new Set(['seen']), labels: [] })
  tracker.forget(unseen)
  return new Set(unseen)
}
