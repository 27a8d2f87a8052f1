/**
 * Work that goes on after its caller was answered: what follows from something that is committed already. Invariants: at most
 * `worksMax` works are under way, further callers wait for one to end; whoever asks for what earlier requests of an account
 * changed can wait until their work is done; a process ends after it.
 */

export type Background = {
  /**
   * Begins work, which must not reject, for an account; for another owner when no request waits for it. Resolves as soon as
   * not too much is under way.
   */
  begin(owner: string, work: () => Promise<void>): Promise<void>
  /** Resolves when the work is done that an account has under way; without an account, when all is. */
  done(accountId?: string): Promise<void>
}

/** Bounds the memory of what is not done yet. */
const worksMax = 200

/** Makes the background of a process. */
export function createBackground(): Background {
  const works = new Map<Promise<void>, string>()
  const waiting: (() => void)[] = []
  return {
    async begin(owner, work) {
      while (works.size >= worksMax) await new Promise<void>((resolve) => waiting.push(resolve))
      const done = work().finally(() => {
        works.delete(done)
        waiting.shift()?.()
      })
      works.set(done, owner)
    },
    async done(accountId) {
      const own = [...works].filter(([, owner]) => accountId === undefined || owner === accountId)
      await Promise.all(own.map(([work]) => work))
    },
  }
}
