/**
 * Answers to change notes: who tells one learns when every process that follows the notes has acted on it. Invariant: a process
 * answers after its listeners are through. One that does not answer in time has died or hangs; it is waited for again once it
 * answers.
 */
import { newToken } from '../schemas/ids.ts'
import { findKeyHolders } from './master-keys.ts'
import type { Store } from './open.ts'

/** How long answers are waited for: many times as long as a busy process takes for one. */
export const answerMsMax = 2_000

/** Whether a process of this role follows change notes: a command of an administrator is over in a moment, and looks now and then. */
export const followsChanges = (role: string): boolean => role !== 'admin'

export type Answers = {
  /** Notes who answered which tokens. */
  hear(answer: { readonly by: string; readonly asked: readonly string[] }): void
  /**
   * Has `send` insert a note with a token, which returns whether it did, and resolves when all others have answered it. Rejects when
   * the database is away.
   */
  of(send: (ask: string) => Promise<boolean>): Promise<void>
}

/** Makes the answers to the notes of one process, whose id is `process`. */
export function createAnswers(store: Store, { process, now }: { process: string | null; now: () => Date }): Answers {
  /** What is done about an answer, by token. */
  const asking = new Map<string, (by: string) => void>()
  const silent = new Set<string>()

  async function others(): Promise<readonly string[]> {
    const holders = await findKeyHolders(store, now())
    const following = holders.filter(({ _id, role }) => followsChanges(role) && _id !== process).map(({ _id }) => _id)
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
      const late = setTimeout(all.resolve, answerMsMax)
      try {
        waited = (await send(ask)) ? await others() : []
        look()
        await all.promise
        for (const id of waited) if (!answered.has(id)) silent.add(id)
      } finally {
        clearTimeout(late)
        asking.delete(ask)
      }
    },
  }
}
