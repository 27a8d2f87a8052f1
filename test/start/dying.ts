/** A process that dies: from one of its writes on, nothing that it says reaches the database. */
import type { CommandStartedEvent } from 'mongodb'
import { type Context, closeContext } from '../../core/process/context.ts'

const writes: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

/** What a connection ends with: the server would do it by itself. */
const leaving: ReadonlySet<string> = new Set(['killCursors', 'endSessions'])

/**
 * Runs `work` again and again, each time in a process of its own that dies before one of its writes, until it ends by itself; after
 * each death `check` looks at what is there. Returns how often it died. `livesFor` says how many writes a process makes before it
 * dies: one more than the process before, or, for work that goes on where it died, always as many. Contexts have to tell of
 * their commands (`monitorCommands`).
 */
export async function dyingAtEachWrite(
  open: () => Promise<Context>,
  work: (ctx: Context) => Promise<unknown>,
  check: (deaths: number) => Promise<void>,
  livesFor: (deaths: number) => number = (deaths) => deaths,
): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    const ctx = await open()
    const isDead = dieAtWrite(ctx, livesFor(deaths))
    const failure = await work(ctx).then(
      () => null,
      (error: unknown) => error,
    )
    await ctx.background.done()
    const died = isDead()
    await closeContext(ctx).catch(() => undefined)
    if (failure !== null && !died) throw failure
    await check(deaths)
    if (!died) return deaths
  }
}

/** Lets so many writes through; what the process does about itself, and its change notes, do not count. */
function dieAtWrite({ store: { db, changes, keyHolders } }: Context, lives: number): () => boolean {
  const passing = new Set([changes.collectionName, keyHolders.collectionName])
  let made = 0
  let dead = false
  db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (writes.has(commandName) && !passing.has(command[commandName])) dead ||= made++ >= lives
    // It is told before the command is on its way, and whoever gives it sees this.
    if (dead && !leaving.has(commandName)) throw new Error('This process is dead.')
  })
  return () => dead
}
