/**
 * The storage of mailboxes, and the warnings as it fills up (decisions.md 3, Storage). Plans limit the storage of each
 * mailbox, not that of the whole account.
 */
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
import { inTimeOf } from '../process/account-time.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { after, dayMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** A mailbox and the bytes of all its messages, including Trash and Spam. */
export type MailboxUsage = { readonly accountId: string; readonly mailboxId: string; readonly usedBytes: number }

/** Percentages of the limit at which the account is warned, highest first. */
const warningPercents = [95, 80] as const
type WarningPercent = (typeof warningPercents)[number]

/** No mailbox with fewer bytes is near its limit, whatever the plan of its account. */
const warnFromBytes =
  (Math.min(...agentsPlanNames.map((agentsPlan) => allowanceOf({ plan: null, agentsPlan }).storagePerInboxBytes)) *
    warningPercents[warningPercents.length - 1]!) /
  100
const repeatMs = dayMs
const pageSize = 200

/** Adds up the bytes of folders by mailbox; all folders of each mailbox must be given. */
export function usageByMailbox(folders: readonly FolderDoc[]): readonly MailboxUsage[] {
  return [...Map.groupBy(folders, ({ mailboxId }) => mailboxId)].map(([mailboxId, own]) => ({
    accountId: own[0]!.accountId,
    mailboxId,
    usedBytes: bytesIn(own),
  }))
}

const bytesIn = (folders: readonly FolderDoc[]) => folders.reduce((sum, { bytes }) => sum + bytes, 0)

const usedBytes = perProcess(() => createBatchedLookup<number>())

/** The current size in bytes of all messages of each mailbox, by mailbox id. Concurrent callers share one query. */
export async function storageOf(ctx: Context, mailboxIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const load = (ids: readonly string[]) => storageUsed(ctx.store, ids)
  return new Map(await Promise.all(mailboxIds.map(async (id) => [id, (await usedBytes(ctx)(id, load)) ?? 0] as const)))
}

/** The folders of an ordinary mailbox: a cached mailbox with more of them weighs more. */
const usualFolders = 6
/** A mailbox that uses at least this much has its storage read from the database each time. */
const exactFromBytes = warnFromBytes / 2

/** The folders of mailboxes that are far from their limit. Their counts may be some seconds old. */
const knownFolders = perProcess(({ clock }) =>
  createKnown<readonly FolderDoc[]>(clock, { weigh: ({ length }) => Math.max(1, length / usualFolders) }),
)

/**
 * The folders of a mailbox, for callers that need their paths and how full the mailbox is. Their counts may be some seconds old
 * while the mailbox is far from its limit.
 */
export async function foldersToFill(ctx: Context, mailboxId: string): Promise<readonly FolderDoc[]> {
  const load = async (ids: readonly string[]) =>
    Map.groupBy(await findFoldersOf(ctx.store, ids), (folder) => folder.mailboxId)
  const folders = (await knownFolders(ctx).find(mailboxId, load)) ?? []
  if (bytesIn(folders) >= exactFromBytes) knownFolders(ctx).forget((id) => id === mailboxId)
  return folders
}

/**
 * Whether a mailbox with these folders has storage for `sizeBytes` more. A full mailbox can still send, but keeps no
 * copy in Sent (decisions.md 3, Storage).
 */
export function fitsStorage(account: Account, folders: readonly FolderDoc[], sizeBytes: number): boolean {
  return bytesIn(folders) + sizeBytes <= allowanceOf(account).storagePerInboxBytes
}

/** Records a warning for each mailbox that has grown close to its limit. Costs no query while all are far from it. */
export async function warnOfStorage(ctx: Context, usages: readonly MailboxUsage[]): Promise<void> {
  const filling = usages.filter(({ usedBytes }) => usedBytes >= warnFromBytes)
  if (filling.length > 0) await warnAll(ctx, filling, await findMailboxes(ctx.store, filling))
}

/**
 * Repeats warnings that are a day old: for the mailboxes of one account, or of all, that are still close to their limit.
 * Clears the warnings of the others. Returns the number of mailboxes checked.
 */
export async function repeatStorageWarnings(ctx: Context, accountId?: string): Promise<number> {
  const before = after(ctx.clock.now(), -repeatMs)
  const warned = await findWarnedMailboxes(ctx.store, before, { accountId, limit: pageSize })
  const used = await storageUsed(
    ctx.store,
    warned.map(({ _id }) => _id),
  )
  const usages = warned.map(({ _id, accountId }) => ({ accountId, mailboxId: _id, usedBytes: used.get(_id) ?? 0 }))
  await warnAll(ctx, usages, warned)
  return warned.length
}

/** When the next warning of an account is repeated; null when none of its mailboxes has a warning. */
export async function nextWarning({ store }: Context, accountId: string): Promise<Date | null> {
  const [first] = await findWarnedMailboxes(store, new Date(8.64e15), { accountId, limit: 1 })
  return first?.warned === undefined ? null : after(first.warned.at, repeatMs)
}

async function warnAll(ctx: Context, usages: readonly MailboxUsage[], mailboxes: readonly MailboxDoc[]): Promise<void> {
  const accounts = await findAccounts(ctx.store, [...new Set(mailboxes.map(({ accountId }) => accountId))])
  for (const mailbox of mailboxes) {
    const account = accounts.find(({ _id }) => _id === mailbox.accountId)
    const usedBytes = usages.find(({ mailboxId }) => mailboxId === mailbox._id)?.usedBytes ?? 0
    if (account !== undefined) await warnMailbox(inTimeOf(ctx, account._id), mailbox, account, usedBytes)
  }
}

async function warnMailbox(ctx: Context, mailbox: MailboxDoc, account: AccountDoc, usedBytes: number): Promise<void> {
  const at = ctx.clock.now()
  const limitBytes = allowanceOf(account).storagePerInboxBytes
  const percent = Math.floor((usedBytes / limitBytes) * 100)
  const level = warningPercents.find((each) => percent >= each) ?? null
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

/** The warning event; its id allows one per mailbox, percentage and day. */
function warningEvent(
  { _id, accountId }: MailboxDoc,
  level: WarningPercent,
  at: Date,
  data: NewEvent['data'],
): NewEvent {
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
