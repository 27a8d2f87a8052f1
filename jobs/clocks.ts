/**
 * Agenda holds the clocks: when things happen. What happens is in core. A clock's run is locked in the database, so with
 * several processes each tick still runs once.
 */
import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda } from 'agenda'
import type { Context } from '../core/context.ts'
import { attemptDue } from '../core/deliveries.ts'
import { settleDue } from '../core/settle.ts'
import { sweepArrivals, sweepEnded, sweepMailboxes, sweepReservations, sweepUnclaimed } from '../core/sweep.ts'

type Clock = { readonly name: string; readonly every: string; readonly run: (ctx: Context) => Promise<unknown> }

const clocks: readonly Clock[] = [
  { name: 'webhook retries', every: '1 second', run: attemptDue },
  { name: 'settle sends', every: '1 second', run: settleDue },
  { name: 'sweep arrivals', every: '10 seconds', run: sweepArrivals },
  { name: 'sweep mailboxes', every: '1 minute', run: sweepMailboxes },
  { name: 'sweep reservations', every: '30 seconds', run: sweepReservations },
  { name: 'sweep unclaimed accounts', every: '1 minute', run: sweepUnclaimed },
  { name: 'sweep ended mailboxes', every: '1 hour', run: sweepEnded },
]

const pollMs = 500
/** A run that takes longer than this is taken for dead and may start elsewhere: every run is safe to repeat. */
const lockMs = 60_000

export type Clocks = { stop(): Promise<void> }

/** Starts all clocks. A run that fails is logged; the next tick tries again. */
export async function startClocks(ctx: Context): Promise<Clocks> {
  const agenda = new Agenda({
    backend: new MongoBackend({ mongo: ctx.store.db }),
    processEvery: pollMs,
    defaultLockLifetime: lockMs,
    removeOnComplete: false,
  })
  agenda.on('error', (error: unknown) => ctx.log.error({ err: error }, 'agenda'))
  for (const { name, run } of clocks) {
    agenda.define(
      name,
      async () => {
        await run(ctx).catch((error: unknown) => ctx.log.error({ err: error, clock: name }, 'clock'))
      },
      { concurrency: 1, lockLifetime: lockMs },
    )
  }
  await agenda.start()
  for (const { name, every } of clocks) await agenda.every(every, name)
  return {
    async stop() {
      await agenda.drain()
    },
  }
}
