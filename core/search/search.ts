/** Searches mail: in one mailbox, or in all mailboxes that a key reaches, newest first. */
import { type Excerpt, excerptOf, type Marker, markersOf, shownFields } from '../../mail/search/highlight.ts'
import { leavesOf, operatorNames, type ParsedQuery, parseQuery } from '../../mail/search/query.ts'
import { Failure } from '../../schemas/failures.ts'
import { unknownName } from '../../schemas/words.ts'
import type { FolderDoc, MailboxDoc } from '../../store/documents/mail.ts'
import type { SegmentDoc } from '../../store/documents/search.ts'
import { findFolders } from '../../store/folders.ts'
import { findMailboxesOfAccount } from '../../store/mailboxes.ts'
import { findMessagesInState, type MessageState, type SearchedMessage } from '../../store/messages.ts'
import { findSegments, findSegmentsOfAccount, findTexts } from '../../store/search.ts'
import { versionOf } from '../../store/segment-table.ts'
import { encodeIdCursor, type Page, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { canonicalPath, folderIn, foldersOf } from '../mailbox/folders.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import type { Context } from '../process/context.ts'
import { StaleSegment } from './block-cache.ts'
import { createYield, fieldTexts } from './indexing.ts'
import { type Candidate, type SegmentSupply, walkSegments } from './walk.ts'

export type Highlight = { readonly field: (typeof shownFields)[number] } & Excerpt
export type SearchHit = Message & { readonly highlights: readonly Highlight[] }

export type Search = { readonly q: string; readonly limit: number; readonly before?: string }

/** Candidates that one search checks: each one that does not match costs a read. */
const candidatesMax = 5_000
const candidatesAtOnce = 500
/** Segments of an account read at once. */
const segmentsAtOnce = 300
/** How often a search starts again because a merge removed the segments that it was reading. */
const triesMax = 5
const highlightsMax = 3

/**
 * Searches a mailbox. Fails with `mailbox_not_found`, `validation_error` (q, cursor), `agent_inbox_only`, `not_found`
 * (in:).
 */
export async function searchMailbox(
  ctx: Context,
  principal: Principal,
  { address, q, limit, before }: Search & { address: string },
): Promise<Page<SearchHit>> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const query = queryOf(q)
  const position = readIdCursor(before, 'msg')
  const leaves = leavesOf(query)
  if (mailbox.kind === 'person' && leaves.some(({ kind }) => kind === 'label')) throw new Failure('agent_inbox_only')
  const read = () => findSegments(ctx.store, mailbox._id)
  const [folders, segments] = await Promise.all([findFolders(ctx.store, mailbox._id), read()])
  for (const leaf of leaves) if (leaf.kind === 'in') folderIn(folders, leaf.name)
  const known = new Map(folders.map((folder) => [folder._id, folder]))
  return search(ctx, query, {
    accountId: mailbox.accountId,
    limit,
    before: position,
    supply: (tries) => once(async () => (tries === 1 ? segments : read())),
    foldersFor: async () => known,
    living: async (messages) => messages.filter(({ mailboxId }) => mailboxId === mailbox._id),
  })
}

/** Searches all mailboxes that the key reaches. Fails with `validation_error` (q, cursor). */
export async function searchAll(
  ctx: Context,
  principal: Principal,
  { q, limit, before }: Search,
): Promise<Page<SearchHit>> {
  const query = queryOf(q)
  const { accountId, mailboxIds } = principal
  return search(ctx, query, {
    accountId,
    limit,
    before: readIdCursor(before, 'msg'),
    supply: () => segmentsOfAccount(ctx, { accountId, only: mailboxIds }),
    foldersFor: (messages) => foldersOf(ctx, messages),
    async living(messages) {
      const ids = [...new Set(messages.map(({ mailboxId }) => mailboxId))]
      const mailboxes = new Set(
        (await findMailboxesOfAccount(ctx.store, { accountId, ids })).map(({ _id }: MailboxDoc) => _id),
      )
      return messages.filter(({ mailboxId }) => mailboxes.has(mailboxId))
    },
  })
}

function queryOf(q: string): ParsedQuery {
  const read = parseQuery(q)
  if ('query' in read) return read.query
  const { problem, fix, operator } = read
  if (operator === null) throw new Failure('validation_error', `"q" cannot be read: ${problem}.`, { param: 'q', fix })
  const known = operatorNames.map((name) => `${name}:`)
  const words = unknownName('search operator', `${operator}:`, known)
  throw new Failure('validation_error', words.message, { param: 'q', fix: `${words.fix} ${fix}` })
}

type SearchScope = {
  readonly accountId: string
  readonly limit: number
  readonly before: string | null
  /** Gives the segments. `tries` counts from 1; later tries must read them again. */
  supply(tries: number): SegmentSupply
  foldersFor(messages: readonly SearchedMessage[]): Promise<ReadonlyMap<string, FolderDoc>>
  /** Keeps the messages whose mailbox is not deleted and is within reach of the key. */
  living(messages: readonly SearchedMessage[]): Promise<readonly SearchedMessage[]>
}

async function search(ctx: Context, query: ParsedQuery, scope: SearchScope): Promise<Page<SearchHit>> {
  for (let tries = 1; ; tries++) {
    try {
      return await searchOnce(ctx, query, { ...scope, tries })
    } catch (error) {
      if (!(error instanceof StaleSegment) || tries === triesMax) throw error
    }
  }
}

async function searchOnce(
  ctx: Context,
  query: ParsedQuery,
  { tries, ...scope }: SearchScope & { readonly tries: number },
): Promise<Page<SearchHit>> {
  const { limit, before } = scope
  const walk = walkSegments(ctx, query, { supply: scope.supply(tries), before })
  const found = new Map<string, { message: SearchedMessage; folder: FolderDoc }>()
  let candidatesRead = 0
  let last = ''
  const state = stateOf(query)
  let atOnce = limit + 1
  while (found.size <= limit && candidatesRead < candidatesMax) {
    const candidates = await walk.next(atOnce)
    if (candidates.length === 0) break
    last = candidates.at(-1)!.id
    candidatesRead += candidates.length
    for (const each of await matchingOf(ctx, candidates, { ...scope, state })) found.set(each.message._id, each)
    atOnce = Math.min(candidatesAtOnce, atOnce * 3)
  }
  const all = [...found.values()]
  const items = await withHighlights(ctx, query, all.slice(0, limit))
  const resumeAt = candidatesRead >= candidatesMax ? last : walk.resumeBefore
  const end = all.length > limit ? all[limit - 1]!.message._id : resumeAt
  return { items, next: end === null ? null : encodeIdCursor(end) }
}

/** Checks the candidates against the current messages. Returns those that match. */
async function matchingOf(
  ctx: Context,
  candidates: readonly Candidate[],
  { accountId, foldersFor, living, state }: SearchScope & { readonly state: MessageState },
): Promise<readonly { message: SearchedMessage; folder: FolderDoc }[]> {
  const ids = [...new Set(candidates.map(({ id }) => id))]
  const mailboxIds = [...new Set(candidates.map(({ mailboxId }) => mailboxId))]
  const docs = await living(await findMessagesInState(ctx.store, { accountId, mailboxIds, ids }, state))
  const folders = await foldersFor(docs)
  const byId = new Map(docs.map((message) => [message._id, message]))
  return candidates.flatMap(({ id, version, matches }) => {
    const message = byId.get(id)
    const folder = message === undefined ? undefined : folders.get(message.folderId)
    // A message that was deleted, or changed since it was indexed, does not match by this entry.
    if (message === undefined || folder === undefined || versionOf(message.blob.id) !== version) return []
    const { seen, flagged, answered, labels = [] } = message
    const isIn = (name: string) => folder.path === canonicalPath(name)
    const isMatch = matches({ isIn, hasLabel: (label) => labels.includes(label), seen, flagged, answered })
    return isMatch ? [{ message, folder }] : []
  })
}

/** The flags and label that every match must have, so that the store filters by them. */
function stateOf(query: ParsedQuery): MessageState {
  const state: { seen?: boolean; flagged?: boolean; answered?: boolean; label?: string } = {}
  for (const part of query.kind === 'and' ? query.parts : [query]) {
    if (part.kind === 'label') state.label = part.name
    if (part.kind !== 'is') continue
    if (part.flag === 'read' || part.flag === 'unread') state.seen = part.flag === 'read'
    else state[part.flag] = true
  }
  return state
}

async function withHighlights(
  ctx: Context,
  query: ParsedQuery,
  found: readonly { message: SearchedMessage; folder: FolderDoc }[],
): Promise<readonly SearchHit[]> {
  const markers = markersOf(query)
  const inBody = markers.some(({ field }) => field === null)
  const blobIds = found.map(({ message }) => message.blob.id)
  const texts = inBody && found.length > 0 ? await findTexts(ctx.store, blobIds) : new Map<string, string>()
  const yieldNow = createYield()
  const shown: SearchHit[] = []
  for (const { message, folder } of found) {
    await yieldNow()
    const highlights = highlightsOf(message, texts.get(message.blob.id) ?? '', markers)
    shown.push({ ...messageOf(message, folder.path), highlights })
  }
  return shown
}

/** The first match in each field; when too many fields match, the last ones, which are longest. */
function highlightsOf(message: SearchedMessage, text: string, markers: readonly Marker[]): readonly Highlight[] {
  const texts = fieldTexts(message, text)
  const highlights = shownFields.flatMap((field): Highlight[] => {
    for (const each of field === 'to' ? [...texts.to, ...texts.bcc] : texts[field]) {
      const excerpt = excerptOf(each, field, markers)
      if (excerpt !== null) return [{ field, ...excerpt }]
    }
    return []
  })
  return highlights.slice(-highlightsMax)
}

/** A supply that gives all segments at the first call. */
function once(read: () => Promise<readonly SegmentDoc[]>): SegmentSupply {
  let isRead = false
  return async () => {
    if (isRead) return []
    isRead = true
    return read()
  }
}

/** A supply of the segments of all mailboxes of an account, several at once. */
function segmentsOfAccount(
  ctx: Context,
  { accountId, only }: { accountId: string; only: readonly string[] | null },
): SegmentSupply {
  let from: { newest: string; id: string } | null = null
  let isEnd = false
  return async () => {
    if (isEnd) return []
    const segments: readonly SegmentDoc[] = await findSegmentsOfAccount(ctx.store, {
      accountId,
      only,
      from,
      limit: segmentsAtOnce,
    })
    const last = segments.at(-1)
    isEnd = segments.length < segmentsAtOnce
    if (last !== undefined) from = { newest: last.newest, id: last._id }
    return segments
  }
}
