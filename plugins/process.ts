/**
 * What the plugins of one Haraka process share. Haraka passes a plugin nothing but itself, so this state lives in a module that
 * all plugins import. Invariant: the context is opened once, and closed after every registered stop has run.
 */
import { type Context, closeContext, openContext } from '../core/process/context.ts'
import { type Metrics, noMetrics } from '../core/process/metrics.ts'
import { noTracing, type SpanOptions, type Tracing } from '../core/process/tracing.ts'
import type { Transaction } from './haraka.d.ts'

type Settings = Context['settings']

let resolved: Settings | undefined
let opened: Promise<Context> | undefined
let counting: Metrics = noMetrics
let refusing: (code: string) => void = () => undefined
let spans: Tracing = noTracing
const stops: ((timeoutMs: number) => Promise<void>)[] = []

/** The settings, resolved by the supervisor and handed over as JSON in MAILROOM_SETTINGS. */
export function settings(): Settings {
  resolved ??= readSettings()
  return resolved
}

/** The context of this process, opened by the first call. Rejects if the database does not answer. */
export function context(): Promise<Context> {
  opened ??= openContext({ settings: settings(), role: 'smtp' }).then((ctx) => {
    counting = ctx.metrics
    refusing = ctx.vitals.noteRefusal
    spans = ctx.tracing
    return ctx
  })
  return opened
}

/** The metrics of this process; they count nothing before its context is open. */
export function metrics(): Metrics {
  return counting
}

/** Counts a reply that refused a command or a mail, by its codes. */
export function countRefusal(code: string): void {
  counting.count('mailroom_smtp_refusals_total', { code })
  refusing(code)
}

/** The tracing of this process; it makes no spans before its context is open. */
export function tracing(): Tracing {
  return spans
}

/** Puts a span below that of its transaction. */
export function causedBy({ notes: { span } }: Transaction): SpanOptions {
  return span === undefined ? {} : { cause: span.cause }
}

/** Registers work that must end before the context is closed; `timeoutMs` is the time that it may take. */
export function onStop(stop: (timeoutMs: number) => Promise<void>): void {
  stops.push(stop)
}

/** Runs the registered stops in parallel. When all have ended, rejects with the first failure, if any. */
export async function runStops(timeoutMs: number): Promise<void> {
  const results = await Promise.allSettled(stops.map((stop) => stop(timeoutMs)))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Closes the context, if it was opened. */
export async function close(): Promise<void> {
  if (opened !== undefined) await closeContext(await opened)
}

function readSettings(): Settings {
  const json = process.env.MAILROOM_SETTINGS
  if (json === undefined) throw new Error('MAILROOM_SETTINGS is not set: this process is started by the supervisor')
  return JSON.parse(json) as Settings
}
