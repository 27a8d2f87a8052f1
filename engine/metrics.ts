/** The metrics of the engine's own process. The first scrape loads the library. */
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
