/**
 * Test clocks: how far the clock of each sandbox is ahead of the machine's (decisions.md 4, Sandbox). The offset is stored only in
 * the account document of the sandbox; every process knows the clocks that were moved. Invariants: an offset only grows; all work for
 * an account is done in a context with its clock (core/process/account-time.ts), while the state of the process (caches, lanes,
 * alarms) uses the machine's. A process that has not yet received a move does work late; other accounts are never affected.
 */
import { findTestClocks } from '../../store/accounts.ts'
import type { ChangeFeed } from '../../store/changes.ts'
import type { Store } from '../../store/open.ts'
import { aheadBy, type Clock } from './clock.ts'

export type TestClocks = {
  /** The clock of an account. */
  of(accountId: string): Clock
  /** The accounts whose clock was moved. */
  moved(): readonly string[]
  /** Records that this process moved a clock. */
  note(accountId: string, aheadMs: number): void
  /** Reads the test clocks again, for moves whose change note was lost. */
  refresh(): Promise<void>
}

/** Sandboxes whose moved clock is kept, the last moved; beyond that, a sandbox has the machine's time until its clock moves again. */
const movedMax = 10_000

/** Reads the test clocks, and follows moves made by other processes. */
export async function openTestClocks(
  store: Store,
  { clock, changes, onError }: { clock: Clock; changes: ChangeFeed | null; onError: (error: unknown) => void },
): Promise<TestClocks> {
  const clocks = new Map<string, Clock>()
  const note = (accountId: string, aheadMs: number) => {
    if ((clocks.get(accountId)?.aheadMs ?? 0) >= aheadMs) return
    clocks.delete(accountId)
    clocks.set(accountId, aheadBy(clock, aheadMs))
    for (const oldest of [...clocks.keys()].slice(0, Math.max(0, clocks.size - movedMax))) clocks.delete(oldest)
  }
  const refresh = async () => {
    // The last moved is noted last. A clock that is not found stays: it may have been moved after the query.
    for (const { _id, clockAheadMs = 0 } of (await findTestClocks(store, movedMax)).reverse()) note(_id, clockAheadMs)
  }
  await refresh()
  changes?.listen((told) => (told.kind === 'clocks' ? refresh().catch(onError) : undefined))
  return { of: (accountId) => clocks.get(accountId) ?? clock, moved: () => [...clocks.keys()], note, refresh }
}
