/**
 * Test clocks: how far the clock of each sandbox is ahead of the machine's (decisions.md 4, Sandbox). The offset stands in the
 * sandbox's account alone; every process knows those that were moved. Invariants: an offset only grows; whatever is done for
 * an account is done in a context with its clock (core/process/account-time.ts), and what belongs to the process (caches,
 * lanes, alarms) keeps the machine's. A process that has not heard of a move yet does a thing later than it could, never for
 * another account.
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
  /** Notes that a clock was moved, by this process. */
  note(accountId: string, aheadMs: number): void
  /** Reads them again, for changes whose note was lost. */
  refresh(): Promise<void>
}

/** Sandboxes with a moved clock, the last moved first: more are taken for unmoved until they are moved again. */
const movedMax = 10_000

/** Reads the test clocks, and follows the moves of other processes. */
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
    // The last moved is noted last. What is not found stays: it may have been moved since it was asked for.
    for (const { _id, clockAheadMs = 0 } of (await findTestClocks(store, movedMax)).reverse()) note(_id, clockAheadMs)
  }
  await refresh()
  changes?.listen((told) => (told.kind === 'clocks' ? refresh().catch(onError) : undefined))
  return { of: (accountId) => clocks.get(accountId) ?? clock, moved: () => [...clocks.keys()], note, refresh }
}
