/** An OpenTelemetry collector: receives spans by OTLP over HTTP, in JSON. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CollectedSpan = {
  readonly traceId: string
  readonly spanId: string
  /** '' for the first span of a trace. */
  readonly parentSpanId: string
  readonly name: string
  readonly service: string
  readonly attributes: Readonly<Record<string, unknown>>
}

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }
type Batch = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}
type WireSpan = Omit<CollectedSpan, 'attributes' | 'service' | 'parentSpanId'> & {
  readonly parentSpanId?: string
  readonly attributes?: readonly Attribute[]
}

export type SpanCollector = {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  close(): Promise<void>
}

export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    if (request.url === '/v1/traces') spans.push(...spansIn(JSON.parse(Buffer.concat(parts).toString()) as Batch))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function spansIn({ resourceSpans }: Batch): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ traceId, spanId, parentSpanId = '', name, attributes = [] }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        service,
        attributes: valuesOf(attributes),
      })),
    )
  })
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
