/**
 * Traces for OpenTelemetry: what happens to one mail or request, over all processes. Invariants: without the setting nothing is
 * loaded, work runs as if it were not wrapped, and no document has a field more; with it, whoever writes down what causes later
 * work adds the context (W3C Trace Context, `traceparent`), and whoever does that work begins its span under it. Spans name no
 * address, account or mailbox.
 */

import type { Context as Scope, Span } from '@opentelemetry/api'

/** What a document or a header carries of the span that caused it; nothing when there is none. */
export type Cause = { readonly traceparent?: string }

const nothing: Cause = {}

/** What caused a document, for one that is made from it. */
export const causeOf = ({ traceparent }: Cause): Cause => (traceparent === undefined ? nothing : { traceparent })

export type SpanOptions = {
  /** What caused it, with or without a span; default: the span that the caller is in. */
  readonly cause?: Cause
  /** Whether it answers somebody (`server`) or asks somebody (`client`); default: neither. */
  readonly kind?: 'server' | 'client'
  readonly attributes?: Readonly<Record<string, string | number>>
}

/** A span that does not end with one function. */
export type OpenSpan = {
  readonly cause: Cause
  end(attributes?: SpanOptions['attributes']): void
}

export type Tracing = {
  /** Does work within a span. What it rejects with is noted in the span. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
  /** Begins a span that somebody else ends. */
  open(name: string, options?: SpanOptions): OpenSpan
  /** The span that the caller is in. */
  cause(): Cause
  /** Sends what is not sent yet. Never rejects, and takes no longer than a stop has time for. */
  close(): Promise<void>
}

const openNothing: OpenSpan = { cause: nothing, end: () => undefined }
/** How long a collector may keep a stop waiting. */
const closeMs = 1_000

export const noTracing: Tracing = {
  span: (_name, _options, work) => work(),
  open: () => openNothing,
  cause: () => nothing,
  close: async () => undefined,
}

/** Starts the SDK, which is told by its own environment variables (OTEL_...) where spans go and how many. */
export async function openTracing(role: string): Promise<Tracing> {
  const [{ NodeSDK }, api] = await Promise.all([import('@opentelemetry/sdk-node'), import('@opentelemetry/api')])
  const serviceName = process.env.OTEL_SERVICE_NAME ?? `mailroom-${role}`
  const sdk = new NodeSDK({ serviceName, metricReaders: [], logRecordProcessors: [], instrumentations: [] })
  sdk.start()
  const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const tracer = trace.getTracer('mailroom')
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const

  const scopeOf = (cause: Cause | undefined): Scope =>
    cause === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, cause)
  const causeIn = (scope: Scope): Cause => {
    const carrier: { traceparent?: string } = {}
    propagation.inject(scope, carrier)
    return causeOf(carrier)
  }
  function begin(name: string, { cause, kind, attributes = {} }: SpanOptions): { span: Span; scope: Scope } {
    const scope = scopeOf(cause)
    const span = tracer.startSpan(
      name,
      { kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind], attributes },
      scope,
    )
    return { span, scope: trace.setSpan(scope, span) }
  }

  return {
    async span(name, options, work) {
      const { span, scope } = begin(name, options)
      try {
        return await context.with(scope, work)
      } catch (error) {
        // Without its text, which may name an address.
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
    open(name, options = {}) {
      const { span, scope } = begin(name, options)
      return {
        cause: causeIn(scope),
        end(attributes = {}) {
          span.setAttributes(attributes)
          span.end()
        },
      }
    },
    cause: () => causeIn(context.active()),
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref())
      await Promise.race([sdk.shutdown().catch(() => undefined), late])
    },
  }
}
