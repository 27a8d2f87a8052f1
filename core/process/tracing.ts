/**
 * Traces for OpenTelemetry: what happens to one mail or request, across all processes. Invariants: without the setting nothing is
 * loaded, work runs as if it were not wrapped, and documents gain no field. With the setting, code that writes a document which
 * causes later work adds the trace context (W3C Trace Context, `traceparent`), and the code that does the work begins its span under
 * that context. Spans name no address, account or mailbox.
 */

import type { Context as Scope, Span } from '@opentelemetry/api'

/** The trace context that a document or a header carries: the span that caused it; empty when there is none. */
export type Cause = { readonly traceparent?: string }

const nothing: Cause = {}

/** The cause recorded in a document, for another document that is made from it. */
export const causeOf = ({ traceparent }: Cause): Cause => (traceparent === undefined ? nothing : { traceparent })

export type SpanOptions = {
  /** What caused the span, which may be empty; default: the span that the caller is in. */
  readonly cause?: Cause
  /** Whether the span handles a request (`server`) or makes one (`client`); default: neither. */
  readonly kind?: 'server' | 'client'
  readonly attributes?: Readonly<Record<string, string | number>>
}

/** A span that does not end with one function. */
export type OpenSpan = {
  readonly cause: Cause
  end(attributes?: SpanOptions['attributes']): void
}

export type Tracing = {
  /** Runs work within a span. If the work rejects, the span has the status ERROR. */
  span<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T>
  /** Begins a span that the caller ends by `OpenSpan.end`. */
  open(name: string, options?: SpanOptions): OpenSpan
  /** The span that the caller is in. */
  cause(): Cause
  /** Sends the spans that are not sent yet. Never rejects, and takes at most `closeMs`. */
  close(): Promise<void>
}

const openNothing: OpenSpan = { cause: nothing, end: () => undefined }
/** How long a collector may delay the stop of a process. */
const closeMs = 1_000

export const noTracing: Tracing = {
  span: (_name, _options, work) => work(),
  open: () => openNothing,
  cause: () => nothing,
  close: async () => undefined,
}

/** Starts the SDK. Its own environment variables (OTEL_...) say where spans go and how many are sampled. */
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
        // Without the text of the error, which may name an address.
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
