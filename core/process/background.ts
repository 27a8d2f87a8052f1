/**
 * Work that continues after its caller was answered: what follows from something that is already committed. Invariants: at most
 * `worksMax` pieces of work are under way, and further callers wait for one to end; a request can wait until the work of earlier
 * requests of its account is done; a process ends only when all work is done.
 */

export type Background = {
  /**
   * Begins work, which must not reject. `owner` is the id of an account, or another name if no request should wait for the work.
   * Resolves once the work has begun, as soon as fewer than `worksMax` are under way.
   */
  begin(owner: string, work: () => Promise<void>): Promise<void>
  /** Resolves when the work that an account has under way is done; without an account, when all work is done, including work that other work began. */
  done(accountId?: string): Promise<void>
}

/** Bounds the memory of unfinished work. */
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
      if (accountId === undefined) while (works.size > 0) await Promise.all(works.keys())
      else await Promise.all([...works].flatMap(([work, owner]) => (owner === accountId ? [work] : [])))
    },
  }
}
