/**
 * The records that a process has the lease of and has not made yet. Invariants: at most `atOnce` of each kind are made at a time;
 * records with files have a queue of their own, and so have those for which a model is asked, so that only records with files wait for
 * files; accounts take turns in each queue; a lease is renewed as long as its record is here, however long that takes, and ends soon
 * after the process has died.
 */
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { IntakeRecordDoc } from '../../store/documents/intake.ts'
import { releaseRecord, renewLeases } from '../../store/intake.ts'
import { inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { makeRecord } from './making.ts'
import { watchedAmong } from './watched.ts'

/**
 * Records made at the same time: plain ones, which take this thread a moment, so that their writes go together; those that wait for
 * a model; and those with files, which mostly wait for other processes and keep their mail in memory meanwhile.
 */
const atOnce = { plain: 32, model: 32, files: 4 } as const
/** Most records held here, each without its mail; further ones stay due in the database. */
const heldMax = 500
/** How long the records of a dead process have to wait; a living process renews its leases before. */
const leaseMs = 30 * secondMs
const renewMs = 10 * secondMs
/** Pause before a record is tried again for which there was no room to read it. */
const putOffMs = 5 * secondMs

type Kind = keyof typeof atOnce
type Item = { readonly ctx: Context; readonly record: IntakeRecordDoc; done(): void }

export type RecordQueue = {
  /** The token of this process's leases. */
  readonly lease: string
  /** How many more records it takes. */
  room(): number
  /**
   * Makes a record that this process has the lease of. Resolves when that was tried. A record that was not begun, or for which there
   * was no room to read it, is due again in a moment; one that failed is due again when its lease ends.
   */
  add(ctx: Context, record: IntakeRecordDoc): Promise<void>
  /** Begins no more records, and gives back those that are not begun. */
  close(): Promise<void>
}

/** The queue of a process. */
export const recordQueue = perProcess(({ background, store }) => {
  const lease = newToken()
  const held = new Map<string, IntakeRecordDoc>()
  const waiting: { readonly [kind in Kind]: Map<string, Item[]> } = {
    plain: new Map(),
    model: new Map(),
    files: new Map(),
  }
  const running = { plain: 0, model: 0, files: 0 }
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  function begin(kind: Kind): void {
    if (isClosed) return
    for (const [accountId, items] of waiting[kind]) {
      if (running[kind] >= atOnce[kind]) return
      // The other records of the account wait until all accounts have had their turn.
      waiting[kind].delete(accountId)
      const item = items.shift()
      if (items.length > 0) waiting[kind].set(accountId, items)
      if (item === undefined) continue
      running[kind] += 1
      void background.begin(item.record._id, () => run(kind, item))
    }
  }

  async function run(kind: Kind, { ctx, record, done }: Item): Promise<void> {
    await makeRecord(ctx, record).catch(async (error: unknown) => {
      ctx.log.warn({ err: error, recordId: record._id }, 'a record of Intake could not be made; it is tried again')
      if (error instanceof Failure && error.code === 'unavailable') await putOff(ctx, record)
    })
    running[kind] -= 1
    held.delete(record._id)
    done()
    begin(kind)
  }

  /** Releases the lease of a record that could not be begun, for a process that has room. */
  async function putOff(ctx: Context, { _id, accountId, mailboxId }: IntakeRecordDoc): Promise<void> {
    const own = inTimeOf(ctx, accountId)
    const at = after(own.clock.now(), isClosed ? 0 : putOffMs)
    await releaseRecord(store, { mailboxId, _id }, { lease, at }).catch((error: unknown) =>
      ctx.log.warn({ err: error, recordId: _id }, 'a record of Intake is due again when its lease ends'),
    )
    noteDue(own, 'intake', at)
  }

  async function giveBack(): Promise<void> {
    const left = Object.values(waiting).flatMap((ofAccounts) => [...ofAccounts.values()].flat())
    for (const ofAccounts of Object.values(waiting)) ofAccounts.clear()
    for (const { ctx, record, done } of left) {
      held.delete(record._id)
      await putOff(ctx, record)
      done()
    }
  }

  async function renew(ctx: Context): Promise<void> {
    for (const [accountId, own] of Map.groupBy(held.values(), (record) => record.accountId)) {
      await renewLeases(store, own, { lease, until: leaseEnd(inTimeOf(ctx, accountId)) })
    }
  }

  function keepLeases(ctx: Context): void {
    if (held.size === 0 || timer !== undefined) return
    timer = setTimeout(async () => {
      await renew(ctx).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'leases of Intake records could not be renewed; it is tried again'),
      )
      timer = undefined
      keepLeases(ctx)
    }, renewMs).unref()
  }

  return {
    lease,
    room: () => (isClosed ? 0 : heldMax - held.size),
    async add(ctx, record) {
      held.set(record._id, record)
      keepLeases(ctx)
      const kind = await kindOf(ctx, record)
      const { promise, resolve: done } = Promise.withResolvers<void>()
      waiting[kind].set(record.accountId, [...(waiting[kind].get(record.accountId) ?? []), { ctx, record, done }])
      if (isClosed) await giveBack()
      else begin(kind)
      return promise
    },
    async close() {
      isClosed = true
      await giveBack()
    },
  } satisfies RecordQueue as RecordQueue
})

async function kindOf(ctx: Context, { attachments, mailboxId }: IntakeRecordDoc): Promise<Kind> {
  if (attachments.length > 0) return 'files'
  if (ctx.settings.lens.url === null) return 'plain'
  try {
    return (await watchedAmong(ctx, [mailboxId])).get(mailboxId)?.lens.enabled === true ? 'model' : 'plain'
  } catch {
    // The database cannot be reached: making the record reports that.
    return 'plain'
  }
}

/** Stops making records. Those that are not begun, or whose files are being read, are left to another process or the next start. */
export async function endRecords(ctx: Context): Promise<void> {
  await recordQueue(ctx).close()
  await ctx.extraction.close()
}

/** When a lease that is taken now ends. */
export const leaseEnd = ({ clock }: Pick<Context, 'clock'>): Date => after(clock.now(), leaseMs)
