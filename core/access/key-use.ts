/**
 * When and from where each key was last used. The use is written after the answer, in groups, and at most once a minute for each key
 * and process, so it may lag by a minute.
 */
import { type KeyUse, noteKeyUses } from '../../store/accounts.ts'
import { inTimeOf } from '../process/account-time.ts'
import { minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import type { Principal } from './principal.ts'

/** Keys whose use within the last minute this process remembers. */
const keysMax = 100_000
/** Uses that are written in one command. */
const groupMax = 200

const keyUses = perProcess(({ clock, store }) => ({
  noted: createKept<true>(clock, { max: keysMax, ttlMs: minuteMs }),
  write: createGroupCommit<KeyUse>(groupMax, async (uses) => {
    await noteKeyUses(store, uses)
    return []
  }),
}))

/** Records that a key was used from an address. */
export function noteKeyUse(ctx: Context, { accountId, keyId, keyHash: hash }: Principal, address: string): void {
  const { noted, write } = keyUses(ctx)
  if (hash === null || noted.get(keyId) !== undefined) return
  noted.set(keyId, true)
  const use = { hash, keyId, at: inTimeOf(ctx, accountId).clock.now(), address }
  const lost = (error: unknown) => ctx.log.error({ err: error, keyId }, 'the use of a key could not be recorded')
  // The owner of the work is the key, not the account, so that no request waits for it.
  void ctx.background.begin(keyId, () => write(use).catch(lost))
}
