/** What the engine's process measures of itself. The library is loaded with the first scrape. */
let register: Promise<() => Promise<string>> | undefined

/** CPU, memory and event loop since the first call, in the text format of Prometheus. */
export async function metricsText(): Promise<string> {
  register ??= import('prom-client').then(({ collectDefaultMetrics, Registry }) => {
    const registry = new Registry()
    registry.setDefaultLabels({ process: 'engine' })
    collectDefaultMetrics({ register: registry })
    return () => registry.metrics()
  })
  return (await register)()
}
