/** A whole service whose events go to a webhook sink, for the benches that measure webhook deliveries. */
import path from 'node:path'
import { type Context, closeContext } from '../core/process/context.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import type { Sink } from './announced-arrivals.ts'
import { startChild } from './child.ts'
import { threadReport } from './profile.ts'
import { makeSenders, type Sender } from './senders.ts'

export type WebhookService = {
  readonly service: Service
  readonly ctx: Context
  readonly sink: Sink
  readonly senders: readonly Sender[]
  /** The URL to which endpoints post. */
  readonly url: string
}

/**
 * Starts a sink and a service with senders, runs `measure`, and stops them. With `profileDir` every process of the service writes a
 * V8 CPU profile there, and the busiest functions are printed.
 */
export async function withWebhookService(
  profileDir: string | undefined,
  measure: (running: WebhookService) => Promise<void>,
): Promise<void> {
  const sink: Sink = startChild('webhook-sink')
  const { port } = await sink.ask('port')
  const service = await startService({
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
      ...(profileDir !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path.resolve(profileDir)}` }),
    },
  })
  const ctx = await contextOf(service)
  try {
    await measure({ service, ctx, sink, senders: await makeSenders(ctx), url: `http://127.0.0.1:${port}/hook` })
  } finally {
    await closeContext(ctx)
    await service.dispose()
    await sink.stop()
  }
  if (profileDir !== undefined) console.log(`\n${threadReport(profileDir)}`)
}
