/**
 * Agenda holds the clocks: when things happen. What happens is in core. A clock's run is locked in the database, so with
 * several processes each tick still runs once.
 */
import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda } from 'agenda'
import { stepBatches } from '../core/batches.ts'
import type { Context } from '../core/context.ts'
import { attemptDue } from '../core/deliveries.ts'
import { sweepPlaces } from '../core/places.ts'
import { sweepSearch, tidySearch } from '../core/search-sweep.ts'
import { settleDue } from '../core/settle.ts'
import { sweepStorage } from '../core/storage.ts'
import {
  sweepArrivals,
  sweepDiscarded,
  sweepEnded,
  sweepEndings,
  sweepEventFloors,
  sweepMailboxes,
  sweepReservations,
  sweepUnclaimed,
} from '../core/sweep.ts'
import { sweepTakes } from '../core/takes.ts'
import { sweepBlobs } from '../core/unused-blobs.ts'

type Clock = { readonly name: string; readonly every: string; readonly run: (ctx: Context) => Promise<unknown> }

const clocks: readonly Clock[] = [
  { name: 'webhook retries', every: '1 second', run: attemptDue },
  { name: 'step batches', every: '1 second', run: stepBatches },
  { name: 'settle sends', every: '1 second', run: settleDue },
  { name: 'sweep arrivals', every: '10 seconds', run: sweepArrivals },
  { name: 'sweep search', every: '10 seconds', run: sweepSearch },
  { name: 'tidy search', every: '10 minutes', run: tidySearch },
  { name: 'sweep mailboxes', every: '1 minute', run: sweepMailboxes },
  { name: 'sweep endings of mailboxes', every: '1 minute', run: sweepEndings },
  { name: 'sweep reservations', every: '30 seconds', run: sweepReservations },
  { name: 'sweep unclaimed accounts', every: '1 minute', run: sweepUnclaimed },
  { name: 'sweep discarded mail', every: '10 minutes', run: sweepDiscarded },
  { name: 'sweep ended mailboxes', every: '1 hour', run: sweepEnded },
  { name: 'sweep blobs', every: '1 minute', run: sweepBlobs },
  { name: 'sweep takes', every: '1 minute', run: sweepTakes },
  { name: 'sweep places', every: '1 minute', run: sweepPlaces },
  { name: 'sweep event numbers', every: '1 hour', run: sweepEventFloors },
  { name: 'repeat storage warnings', every: '10 minutes', run: sweepStorage },
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
