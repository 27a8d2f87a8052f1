/**
 * Writes things in groups: all that wait while a group is being written form the next one. Invariants: one group is written
 * at a time, in the order of asking; who waits for a thing hears when its group is written, or what it failed of.
 */
export type Gather<T> = (item: T) => Promise<void>

type Waiting<T> = { readonly item: T; resolve(): void; reject(error: unknown): void }

/** Makes a gatherer that writes at most `max` things at once. */
export function createGather<T>(max: number, write: (items: readonly T[]) => Promise<void>): Gather<T> {
  const waiting: Waiting<T>[] = []
  let running = false

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, max)
      try {
        await write(group.map(({ item }) => item))
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      // What comes in the same turn of the loop goes together.
      if (!running) setImmediate(run)
      running = true
    })
}
