/**
 * Answers to change notes, by which the sender of a note learns when every process that follows the notes has acted on it. Invariant: a
 * process answers after its listeners have finished. A process that does not answer in time is taken to be dead or hung, and is not waited
 * for until it answers again.
 */
import { newToken } from '../schemas/ids.ts'
import { findKeyHolders } from './master-keys.ts'
import type { Store } from './open.ts'

/** How long answers are waited for after the note was inserted: many times as long as a busy process needs for one. */
export const answerMsMax = 2_000

/** Whether a process of this role follows change notes. Administrators' commands do not: they run briefly and poll instead. */
export const followsChanges = (role: string): boolean => role !== 'admin'

export type Answers = {
  /** Records that a process answered these tokens. */
  hear(answer: { readonly by: string; readonly asked: readonly string[] }): void
  /**
   * Calls `send` to insert a note with a token; `send` returns whether it was inserted. Resolves once this process and all others have
   * answered the token, or the time is over. Rejects if the database does not answer.
   */
  of(send: (ask: string) => Promise<boolean>): Promise<void>
}

/** Tracks the answers to the notes of one process, whose id is `self`. */
export function createAnswers(store: Store, { self, now }: { self: string; now: () => Date }): Answers {
  /** Handlers of answers, by token. */
  const asking = new Map<string, (by: string) => void>()
  const silent = new Set<string>()

  async function others(): Promise<readonly string[]> {
    const holders = await findKeyHolders(store, now())
    const following = holders.filter(({ _id, role }) => followsChanges(role) && _id !== self).map(({ _id }) => _id)
    for (const id of silent) if (!following.includes(id)) silent.delete(id)
    return following.filter((id) => !silent.has(id))
  }

  return {
    hear({ by, asked }) {
      silent.delete(by)
      for (const ask of asked) asking.get(ask)?.(by)
    },
    async of(send) {
      const ask = newToken()
      const answered = new Set<string>()
      let waited: readonly string[] | null = null
      const all = Promise.withResolvers<void>()
      const look = () => {
        if (waited?.every((id) => answered.has(id)) === true) all.resolve()
      }
      asking.set(ask, (by) => {
        answered.add(by)
        look()
      })
      try {
        waited = (await send(ask)) ? [self, ...(await others())] : []
        // The time begins only now: nobody can answer a note that is not inserted yet.
        const late = setTimeout(all.resolve, answerMsMax)
        look()
        await all.promise
        clearTimeout(late)
        for (const id of waited) if (!answered.has(id)) silent.add(id)
      } finally {
        asking.delete(ask)
      }
    },
  }
}
