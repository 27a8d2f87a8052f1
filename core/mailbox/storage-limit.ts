/** What mailboxes hold, and the warnings when they fill up (decisions.md 3, Storage). No plan limits the account as a whole. */
import { deriveId } from '../../schemas/ids.ts'
import { agentsPlanNames, allowanceOf } from '../../schemas/plans.ts'
import { findAccounts } from '../../store/accounts.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import type { FolderDoc, MailboxDoc } from '../../store/documents/mail.ts'
import type { NewEvent } from '../../store/events.ts'
import { findFoldersOf, storageUsed } from '../../store/folders.ts'
import { findMailboxes, findWarnedMailboxes, setStorageWarning } from '../../store/mailboxes.ts'
import type { Account } from '../access/account-record.ts'
import { recordEvents } from '../notify/events.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { after, dayMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

/** A mailbox and the bytes of its messages, Trash and Spam too. */
export type Held = { readonly accountId: string; readonly mailboxId: string; readonly usedBytes: number }

/** Percent of the limit at which the account is warned. */
const levels = [95, 80] as const
type Level = (typeof levels)[number]

/** Below this nobody is warned, whatever the plan. */
const quietBytes =
  (Math.min(...agentsPlanNames.map((agentsPlan) => allowanceOf({ plan: null, agentsPlan }).storagePerInboxBytes)) *
    levels[levels.length - 1]!) /
  100
const repeatMs = dayMs
const pageSize = 200

/** What mailboxes hold, from all their folders. */
export function heldBy(folders: readonly FolderDoc[]): readonly Held[] {
  return [...Map.groupBy(folders, ({ mailboxId }) => mailboxId)].map(([mailboxId, own]) => ({
    accountId: own[0]!.accountId,
    mailboxId,
    usedBytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
  }))
}

const rounds = perProcess(() => createBatchedLookup<readonly FolderDoc[]>())

/** All folders of a mailbox as they are now: asked for together with those of others. */
export async function keptIn(ctx: Context, mailboxId: string): Promise<readonly FolderDoc[]> {
  const load = async (ids: readonly string[]) =>
    Map.groupBy(await findFoldersOf(ctx.store, ids), (folder) => folder.mailboxId)
  return (await rounds(ctx)(mailboxId, load)) ?? []
}

/** Whether a mailbox with these folders can keep so much more: a full one still sends, and keeps no copy (decisions.md 3, Storage). */
export function hasRoom(account: Account, folders: readonly FolderDoc[], sizeBytes: number): boolean {
  const used = folders.reduce((sum, { bytes }) => sum + bytes, 0)
  return used + sizeBytes <= allowanceOf(account).storagePerInboxBytes
}

/** Warns of mailboxes that something was just stored in. Costs nothing while all are far from their limits. */
export async function watchStorage(ctx: Context, held: readonly Held[]): Promise<void> {
  const filling = held.filter(({ usedBytes }) => usedBytes >= quietBytes)
  if (filling.length > 0) await warn(ctx, filling, await findMailboxes(ctx.store, filling))
}

/** Repeats the warnings of a day ago where nothing has changed, and forgets the others. Returns how many it looked at. */
export async function sweepStorage(ctx: Context): Promise<number> {
  const warned = await findWarnedMailboxes(ctx.store, after(ctx.clock.now(), -repeatMs), pageSize)
  const used = await storageUsed(
    ctx.store,
    warned.map(({ _id }) => _id),
  )
  const held = warned.map(({ _id, accountId }) => ({ accountId, mailboxId: _id, usedBytes: used.get(_id) ?? 0 }))
  await warn(ctx, held, warned)
  return warned.length
}

async function warn(ctx: Context, held: readonly Held[], mailboxes: readonly MailboxDoc[]): Promise<void> {
  const accounts = await findAccounts(ctx.store, [...new Set(mailboxes.map(({ accountId }) => accountId))])
  for (const mailbox of mailboxes) {
    const account = accounts.find(({ _id }) => _id === mailbox.accountId)
    const usedBytes = held.find(({ mailboxId }) => mailboxId === mailbox._id)?.usedBytes ?? 0
    if (account !== undefined) await warnOf(ctx, mailbox, account, usedBytes)
  }
}

async function warnOf(ctx: Context, mailbox: MailboxDoc, account: AccountDoc, usedBytes: number): Promise<void> {
  const at = ctx.clock.now()
  const limitBytes = allowanceOf(account).storagePerInboxBytes
  const percent = Math.floor((usedBytes / limitBytes) * 100)
  const level = levels.find((each) => percent >= each) ?? null
  const { _id: mailboxId, accountId, warned = null } = mailbox
  if (level === null) {
    if (warned !== null) await setStorageWarning(ctx.store, { accountId, mailboxId, warned: null })
    return
  }
  if (warned !== null && warned.level >= level && warned.at > after(at, -repeatMs)) return
  const data = { mailbox: mailbox.address, used: usedBytes, limit: limitBytes, percent }
  await recordEvents(ctx, [warningEvent(mailbox, level, at, data)])
  await setStorageWarning(ctx.store, { accountId, mailboxId, warned: { level, at } })
}

/** One per mailbox, level and day, however often it is passed. */
function warningEvent({ _id, accountId }: MailboxDoc, level: Level, at: Date, data: NewEvent['data']): NewEvent {
  return {
    _id: deriveId('evt', _id, `account.storage_warning ${level} ${periodsOf(at).day}`),
    accountId,
    type: 'account.storage_warning',
    createdAt: at,
    mailbox: null,
    mailboxId: null,
    domain: null,
    data,
  }
}
