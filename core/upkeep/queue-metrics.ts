/** The metrics that a scrape reads from the database: how much waits, and how long it is overdue. Each reads one index. */
import { nextDelivery } from '../../store/deliveries.ts'
import { countWaiting, nextLane } from '../../store/outbox.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** Counting stops here: a scrape comes every few seconds, and must be cheap with a long queue too. */
const waitingMax = 10_000

/** Measures the queues of the deployment. */
export async function measureQueues(ctx: Context): Promise<void> {
  const { metrics, store } = ctx
  const [waiting, lane, delivery] = await Promise.all([
    countWaiting(store, waitingMax),
    nextLane(store),
    nextDelivery(store),
  ])
  metrics.set('mailroom_outbox_waiting', {}, waiting)
  metrics.set('mailroom_outbox_overdue_seconds', {}, overdueSeconds(ctx, lane))
  metrics.set('mailroom_webhook_overdue_seconds', {}, overdueSeconds(ctx, delivery))
}

function overdueSeconds({ clock }: Context, dueAt: Date | null): number {
  return dueAt === null ? 0 : Math.max(0, clock.now().getTime() - dueAt.getTime()) / secondMs
}
