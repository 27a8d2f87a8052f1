/** Simulates a process that dies: from one of its writes on, none of its commands reaches the database. */
import type { CommandStartedEvent } from 'mongodb'
import { type Context, closeContext } from '../../core/process/context.ts'

const writes: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

/** Commands that end a connection, which are let through: the server would end it by itself. */
const leaving: ReadonlySet<string> = new Set(['killCursors', 'endSessions'])

/**
 * Runs `work` again and again, each time in a new process that dies before one of its writes, until it completes. After each death
 * `check` examines what is stored. Returns how often it died. `livesFor` returns how many writes a process makes before it dies: by
 * default one more than the previous process; for work that resumes where it died, a constant. Contexts must emit their commands
 * (`monitorCommands`).
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

/** Lets `lives` writes through. Writes about the process itself and its change notes do not count. */
function dieAtWrite({ store: { db, changes, keyHolders } }: Context, lives: number): () => boolean {
  const passing = new Set([changes.collectionName, keyHolders.collectionName])
  let made = 0
  let dead = false
  db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (writes.has(commandName) && !passing.has(command[commandName])) dead ||= made++ >= lives
    // The event comes before the command is sent, and the error reaches the caller of the command.
    if (dead && !leaving.has(commandName)) throw new Error('This process is dead.')
  })
  return () => dead
}
