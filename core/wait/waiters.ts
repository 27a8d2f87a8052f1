/**
 * Those who wait for mail in this process. Invariants: one listener of the change feed serves all of them; a message is
 * looked up once, however many wait for it; the messages of a mailbox are shown in the order of their ids; one that somebody
 * took for himself alone is shown to no further taker; one that changed, or is free again, is shown once more.
 */
import { Failure } from '../../schemas/failures.ts'
import { readBlob } from '../../store/blobs.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { findReceivedIn } from '../../store/received.ts'
import { foldersOf } from '../mailbox/folders.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { inMemoryRoom } from '../read/bodies.ts'
import type { Arrived } from './filters.ts'

export type Waiter = {
  readonly keyId: string
  readonly mailboxId: string
  /** Whether it takes messages for itself alone. */
  readonly takes: boolean
  /** Shows it a message; true when it took it. Never rejects. */
  show(arrived: Arrived): Promise<boolean>
  /** Ends it, with what its caller is told. */
  stop(why: Failure): void
}

/** How many messages one look-up asks for. */
const lookUpMax = 200
/** A message whose lease was just taken is looked at again after this time, to see until when. */
const againMs = 500

type WaitRegister = {
  readonly byMailbox: Map<string, Set<Waiter>>
  readonly byKey: Map<string, number>
  count: number
  closed: boolean
  /** Ids that the feed told, not looked up yet. */
  readonly told: Map<string, readonly string[]>
  looking: boolean
  /** By mailbox: what is being shown there. */
  readonly showing: Map<string, Promise<void>>
  /** By message: when it is shown again because its lease is over. */
  readonly leased: Map<string, NodeJS.Timeout>
  leaveFeed: (() => void) | null
}

const registerOf = perProcess(
  (): WaitRegister => ({
    byMailbox: new Map(),
    byKey: new Map(),
    count: 0,
    closed: false,
    told: new Map(),
    looking: false,
    showing: new Map(),
    leased: new Map(),
    leaveFeed: null,
  }),
)

/**
 * Lets a waiter in; from now on it is shown what comes in to its mailbox. Returns a function that lets it leave. Fails with `rate_limited`
 * past the limit of a key, with `unavailable` past that of the process and while it stops.
 */
export function enter(ctx: Context, waiter: Waiter): () => void {
  const { waitsPerKey, waits } = ctx.settings.limits.http
  const register = registerOf(ctx)
  const { keyId, mailboxId } = waiter
  const ofKey = register.byKey.get(keyId) ?? 0
  if (register.closed) throw stopping()
  if (ofKey >= waitsPerKey)
    throw new Failure('rate_limited', `This key has ${waitsPerKey} waits under way; let one end first.`)
  if (register.count >= waits) throw new Failure('unavailable', 'Too many waits are under way; please try again later.')
  if (register.count === 0) listen(ctx, register)
  register.count += 1
  register.byKey.set(keyId, ofKey + 1)
  const ofMailbox = register.byMailbox.get(mailboxId) ?? new Set()
  register.byMailbox.set(mailboxId, ofMailbox.add(waiter))
  return () => leave(register, waiter)
}

/** Shows a message again to those who wait then; once, however many ask for it. */
export function showAgain(
  ctx: Context,
  { mailboxId, messageId, at }: { mailboxId: string; messageId: string; at: Date },
): void {
  const register = registerOf(ctx)
  if (register.leased.has(messageId)) return
  const delayMs = Math.max(againMs, at.getTime() - ctx.clock.now().getTime())
  const timer = setTimeout(() => {
    register.leased.delete(messageId)
    tell(ctx, register, { ids: [messageId], mailboxIds: [mailboxId] })
  }, delayMs)
  register.leased.set(messageId, timer.unref())
}

/** Tells all who wait that the process stops, and lets nobody in any more. */
export function closeWaiters(ctx: Context): void {
  const register = registerOf(ctx)
  register.closed = true
  for (const waiters of register.byMailbox.values()) for (const waiter of waiters) waiter.stop(stopping())
}

/** What a waiter is told when the process stops. */
function stopping(): Failure {
  return new Failure('unavailable', 'The service is stopping; ask again, with since.', { retryAfter: 1 })
}

/** Messages as waiters are shown them, oldest first. */
export async function arrivedOf(ctx: Context, messages: readonly MessageDoc[]): Promise<readonly Arrived[]> {
  if (messages.length === 0) return []
  const folders = await foldersOf(
    ctx,
    messages.map(({ folderId }) => folderId),
  )
  return [...messages]
    .sort((a, b) => (a._id < b._id ? -1 : 1))
    .flatMap((message) => {
      const folder = folders.get(message.folderId)
      return folder === undefined ? [] : [{ message, folder, text: once(() => textOf(ctx, message)) }]
    })
}

function leave(register: WaitRegister, waiter: Waiter): void {
  const { keyId, mailboxId } = waiter
  const ofMailbox = register.byMailbox.get(mailboxId)
  if (ofMailbox?.delete(waiter) !== true) return
  if (ofMailbox.size === 0) register.byMailbox.delete(mailboxId)
  const ofKey = (register.byKey.get(keyId) ?? 1) - 1
  if (ofKey === 0) register.byKey.delete(keyId)
  else register.byKey.set(keyId, ofKey)
  register.count -= 1
  if (register.count === 0) register.leaveFeed?.()
}

function listen(ctx: Context, register: WaitRegister): void {
  const stopListening = ctx.changes.listen((note) => {
    if (note.kind === 'messages') tell(ctx, register, note)
    if (note.kind === 'folders') tell(ctx, register, { ids: note.messageIds ?? [], mailboxIds: [note.mailboxId] })
    if (note.kind === 'keys') stopWaitersOf(register, note.keyIds)
    if (note.kind === 'freed') tell(ctx, register, { ids: [note.messageId], mailboxIds: [note.mailboxId] })
  })
  register.leaveFeed = () => {
    stopListening()
    register.told.clear()
    for (const timer of register.leased.values()) clearTimeout(timer)
    register.leased.clear()
  }
}

/** A revoked key waits no longer. */
function stopWaitersOf(register: WaitRegister, keyIds: readonly string[]): void {
  for (const waiters of register.byMailbox.values())
    for (const waiter of waiters) if (keyIds.includes(waiter.keyId)) waiter.stop(new Failure('invalid_api_key'))
}

type Told = { readonly ids: readonly string[]; readonly mailboxIds: readonly string[] }

function tell(ctx: Context, register: WaitRegister, told: Told): void {
  const mailboxIds = told.mailboxIds.filter((mailboxId) => register.byMailbox.has(mailboxId))
  if (mailboxIds.length === 0) return
  for (const id of told.ids) register.told.set(id, mailboxIds)
  if (!register.looking) void lookUp(ctx, register)
}

/** Looks up what was told and shows it. What cannot be read now the waiters find themselves when their time is over. */
async function lookUp(ctx: Context, register: WaitRegister): Promise<void> {
  register.looking = true
  while (register.told.size > 0) {
    const told = [...register.told].slice(0, lookUpMax)
    for (const [id] of told) register.told.delete(id)
    const mailboxIds = [...new Set(told.flatMap(([, ids]) => ids))]
    try {
      const messages = await findReceivedIn(ctx.store, { mailboxIds, ids: told.map(([id]) => id) })
      for (const arrived of await arrivedOf(ctx, messages)) showNext(register, arrived)
    } catch (error) {
      ctx.log.warn({ err: error }, 'messages could not be shown to those who wait')
    }
  }
  register.looking = false
}

/** Shows a message when those before it in its mailbox have been shown. */
function showNext(register: WaitRegister, arrived: Arrived): void {
  const { mailboxId } = arrived.message
  const shown = (register.showing.get(mailboxId) ?? Promise.resolve()).then(() => show(register, arrived))
  register.showing.set(mailboxId, shown)
  void shown.then(() => {
    if (register.showing.get(mailboxId) === shown) register.showing.delete(mailboxId)
  })
}

/** All see it; of those who would take it for themselves, the first does. */
async function show({ byMailbox }: WaitRegister, arrived: Arrived): Promise<void> {
  const waiters = [...(byMailbox.get(arrived.message.mailboxId) ?? [])]
  for (const waiter of waiters) if (!waiter.takes) void waiter.show(arrived)
  for (const waiter of waiters) if (waiter.takes && (await waiter.show(arrived))) return
}

/** What cannot be read has no text, and keeps nobody from waiting on. */
async function textOf(ctx: Context, message: MessageDoc): Promise<string> {
  try {
    return await inMemoryRoom(ctx, message, async () => {
      const raw = await readBlob(ctx.store, message.blob)
      return raw === null ? '' : (await ctx.parsing.run('text', { raw })).text
    })
  } catch (error) {
    ctx.log.warn({ err: error, messageId: message._id }, 'a message could not be read for those who wait')
    return ''
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
