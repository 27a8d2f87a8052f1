/**
 * The waiters of this process: the requests that wait for mail. Invariants: one listener of the change feed serves all
 * of them; a message is read once, however many wait for it; the messages of a mailbox are shown in the order of their
 * ids; a message that a waiter leased is shown to no further waiter that leases; a message that changed, or whose lease
 * ended, is shown once more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { readBlob } from '../../store/blobs.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { findReceivedIn } from '../../store/received.ts'
import { accountOf, requireAllowed } from '../access/account-record.ts'
import { accountById } from '../access/known-callers.ts'
import { endedCaller, isPerson, memberPrincipal } from '../access/principal.ts'
import { foldersHolding } from '../mailbox/known-folders.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { inMemoryRoom } from '../read/bodies.ts'
import type { Arrived } from './filters.ts'

export type Waiter = {
  readonly accountId: string
  readonly keyId: string
  readonly mailboxId: string
  /** Whether it leases the message that it gets, so that no other such waiter gets it. */
  readonly takes: boolean
  /** Authenticates its caller again. Fails when the caller may not wait any more. */
  again(): Promise<unknown>
  /** Shows it a message. Resolves with whether it chose the message; never rejects. */
  show(arrived: Arrived): Promise<boolean>
  /** Ends it, with the failure that its caller gets. */
  stop(why: Failure): void
}

/** Messages read in one query. */
const readMax = 200
/**
 * Shortest time until a leased message is shown again: its lease may have been taken just now, and its end is then not
 * known yet.
 */
const showAgainMs = 500
/** Pause before messages that could not be read are read again. */
const readAgainMs = 1_000

type WaitRegister = {
  readonly byMailbox: Map<string, Set<Waiter>>
  readonly byKey: Map<string, number>
  count: number
  closed: boolean
  /** Ids of messages that change notes named and that were not read yet, with their mailboxes. */
  readonly queued: Map<string, readonly string[]>
  isReading: boolean
  /** By mailbox: the last message that is being shown. */
  readonly showing: Map<string, Promise<void>>
  /** By message: the timer that shows it again when its lease is over. */
  readonly leased: Map<string, NodeJS.Timeout>
  leaveFeed: (() => void) | null
}

const registerOf = perProcess(
  (): WaitRegister => ({
    byMailbox: new Map(),
    byKey: new Map(),
    count: 0,
    closed: false,
    queued: new Map(),
    isReading: false,
    showing: new Map(),
    leased: new Map(),
    leaveFeed: null,
  }),
)

/**
 * Registers a waiter, which is then shown the messages of its mailbox. Returns a function that removes it. Fails with
 * `rate_limited` past the limit of its key, and with `unavailable` past the limit of the process or while it stops.
 */
export function registerWaiter(ctx: Context, waiter: Waiter): () => void {
  const { waitsPerKey, waits } = ctx.settings.limits.http
  const register = registerOf(ctx)
  const { keyId, mailboxId } = waiter
  const ofKey = register.byKey.get(keyId) ?? 0
  if (register.closed) throw stoppingFailure()
  if (ofKey >= waitsPerKey)
    throw new Failure('rate_limited', `This key already has ${waitsPerKey} waits in progress.`, {
      fix: 'Start another wait when one of them has ended.',
    })
  if (register.count >= waits)
    throw new Failure('unavailable', 'Too many waits are in progress; please try again later.')
  if (register.count === 0) listen(ctx, register)
  register.count += 1
  register.byKey.set(keyId, ofKey + 1)
  const ofMailbox = register.byMailbox.get(mailboxId) ?? new Set()
  register.byMailbox.set(mailboxId, ofMailbox.add(waiter))
  return () => unregister(register, waiter)
}

/** Shows a message again at `at`, to those who wait then. While that is pending, further calls for the message do nothing. */
export function showLater(
  ctx: Context,
  { mailboxId, messageId, at }: { mailboxId: string; messageId: string; at: Date },
): void {
  const register = registerOf(ctx)
  if (register.leased.has(messageId)) return
  const delayMs = Math.max(showAgainMs, at.getTime() - ctx.clock.now().getTime())
  const timer = setTimeout(() => {
    register.leased.delete(messageId)
    queueRead(ctx, register, { ids: [messageId], mailboxIds: [mailboxId] })
  }, delayMs)
  register.leased.set(messageId, timer.unref())
}

/** Ends all waiters because the process stops, and accepts no more. */
export function closeWaiters(ctx: Context): void {
  const register = registerOf(ctx)
  register.closed = true
  for (const waiters of register.byMailbox.values()) for (const waiter of waiters) waiter.stop(stoppingFailure())
}

/** The failure of a wait when the process stops. */
function stoppingFailure(): Failure {
  return new Failure('unavailable', 'The service is stopping; repeat the wait, with "since".', { retryAfter: 1 })
}

/** The messages as they are shown to waiters, oldest first. */
export async function arrivedOf(ctx: Context, messages: readonly MessageDoc[]): Promise<readonly Arrived[]> {
  if (messages.length === 0) return []
  const ofMailboxes = [...Map.groupBy(messages, ({ mailboxId }) => mailboxId)].map(([mailboxId, own]) =>
    foldersHolding(ctx, mailboxId, own),
  )
  const folders = new Map((await Promise.all(ofMailboxes)).flat().map((folder) => [folder._id, folder]))
  return [...messages]
    .sort((a, b) => (a._id < b._id ? -1 : 1))
    .flatMap((message) => {
      const folder = folders.get(message.folderId)
      return folder === undefined ? [] : [{ message, folder, text: once(() => textOf(ctx, message)) }]
    })
}

function unregister(register: WaitRegister, waiter: Waiter): void {
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
    if (note.kind === 'messages') queueRead(ctx, register, note)
    if (note.kind === 'folders') queueRead(ctx, register, { ids: note.messageIds ?? [], mailboxIds: [note.mailboxId] })
    if (note.kind === 'keys') stopWaitersOf(register, note.keyIds)
    if (note.kind === 'callers') {
      for (const accountId of note.accountIds) void checkWaitersOf(ctx, register, accountId)
      void checkSessionsOf(ctx, register, note.personIds)
    }
    if (note.kind === 'freed') queueRead(ctx, register, { ids: [note.messageId], mailboxIds: [note.mailboxId] })
  })
  register.leaveFeed = () => {
    stopListening()
    register.queued.clear()
    for (const timer of register.leased.values()) clearTimeout(timer)
    register.leased.clear()
  }
}

/** Ends the waits of keys that were revoked or rotated, and of people whose sessions all ended. */
function stopWaitersOf(register: WaitRegister, keyIds: readonly string[]): void {
  for (const waiter of waitersIn(register)) if (keyIds.includes(waiter.keyId)) waiter.stop(endedCaller(waiter))
}

/** Ends the waits of an account that may not make requests any more, and those of people who are not its members any more. */
async function checkWaitersOf(ctx: Context, register: WaitRegister, accountId: string): Promise<void> {
  const own = waitersIn(register).filter((waiter) => waiter.accountId === accountId)
  if (own.length === 0) return
  try {
    const account = await accountById(ctx, accountId)
    if (account === undefined) return
    requireAllowed(accountOf(account), 'ask')
    for (const waiter of own)
      if (isPerson(waiter.keyId) && memberPrincipal(account, waiter.keyId) === null) waiter.stop(endedCaller(waiter))
  } catch (error) {
    if (!(error instanceof Failure)) return ctx.log.warn({ err: error, accountId }, 'waits could not be checked')
    for (const waiter of own) waiter.stop(error)
  }
}

/** Ends the waits of ended sessions. Checks the waits of all people whose sessions have changed. */
async function checkSessionsOf(ctx: Context, register: WaitRegister, personIds: readonly string[]): Promise<void> {
  if (personIds.length === 0) return
  const own = waitersIn(register).filter(({ keyId }) => personIds.includes(keyId))
  const checks = own.map(async (waiter) => {
    try {
      await waiter.again()
    } catch (error) {
      if (error instanceof Failure) waiter.stop(error)
      else ctx.log.warn({ err: error, personId: waiter.keyId }, 'a wait could not be checked')
    }
  })
  await Promise.all(checks)
}

const waitersIn = ({ byMailbox }: WaitRegister): Waiter[] => [...byMailbox.values()].flatMap((waiters) => [...waiters])

type ChangedMessages = { readonly ids: readonly string[]; readonly mailboxIds: readonly string[] }

function queueRead(ctx: Context, register: WaitRegister, queued: ChangedMessages): void {
  const mailboxIds = queued.mailboxIds.filter((mailboxId) => register.byMailbox.has(mailboxId))
  if (mailboxIds.length === 0) return
  for (const id of queued.ids) register.queued.set(id, mailboxIds)
  if (!register.isReading) void readQueued(ctx, register)
}

/** Reads the messages that change notes named and shows them. Messages that cannot be read are tried again while somebody waits. */
async function readQueued(ctx: Context, register: WaitRegister): Promise<void> {
  register.isReading = true
  while (register.queued.size > 0) {
    const queued = [...register.queued].slice(0, readMax)
    for (const [id] of queued) register.queued.delete(id)
    const mailboxIds = [...new Set(queued.flatMap(([, ids]) => ids))]
    try {
      const messages = await findReceivedIn(ctx.store, { mailboxIds, ids: queued.map(([id]) => id) })
      for (const arrived of await arrivedOf(ctx, messages)) showNext(register, arrived)
    } catch (error) {
      ctx.log.warn({ err: error }, 'messages could not be shown to waiters')
      await sleep(readAgainMs, undefined, { ref: false })
      for (const [id, ids] of queued)
        if (!register.queued.has(id) && ids.some((mailboxId) => register.byMailbox.has(mailboxId)))
          register.queued.set(id, ids)
    }
  }
  register.isReading = false
}

/** Shows a message after the earlier ones of its mailbox. */
function showNext(register: WaitRegister, arrived: Arrived): void {
  const { mailboxId } = arrived.message
  const shown = (register.showing.get(mailboxId) ?? Promise.resolve()).then(() => show(register, arrived))
  register.showing.set(mailboxId, shown)
  void shown.then(() => {
    if (register.showing.get(mailboxId) === shown) register.showing.delete(mailboxId)
  })
}

/** Shows a message to all waiters of its mailbox; of those that lease it, only until one has chosen it. */
async function show({ byMailbox }: WaitRegister, arrived: Arrived): Promise<void> {
  const waiters = [...(byMailbox.get(arrived.message.mailboxId) ?? [])]
  for (const waiter of waiters) if (!waiter.takes) void waiter.show(arrived)
  for (const waiter of waiters) if (waiter.takes && (await waiter.show(arrived))) return
}

/** The visible text of a message; '' when it cannot be read, so that the wait continues. */
async function textOf(ctx: Context, message: MessageDoc): Promise<string> {
  try {
    return await inMemoryRoom(ctx, message, async () => {
      const raw = await readBlob(ctx.store, message.blob)
      return raw === null ? '' : (await ctx.parsing.run('text', { raw })).text
    })
  } catch (error) {
    ctx.log.warn({ err: error, messageId: message._id }, 'the text of a message could not be read for waiters')
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
