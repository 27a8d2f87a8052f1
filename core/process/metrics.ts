/**
 * Counts and measures what this process does, for Prometheus. Invariants: without the setting nothing is loaded and a count is
 * an empty call; with it a count changes a number in memory, and the text is written when a scrape asks for it.
 */
import { metrics as declared, type LabelsOf, type MetricOf, type ProcessName } from '../../schemas/metrics.ts'

export type Metrics = {
  count<N extends MetricOf<'counter'>>(name: N, labels: LabelsOf<N>, by?: number): void
  set<N extends MetricOf<'gauge'>>(name: N, labels: LabelsOf<N>, value: number): void
  observe<N extends MetricOf<'histogram'>>(name: N, labels: LabelsOf<N>, seconds: number): void
  /** All metrics in the text format of Prometheus, after the work that `beforeScrape` was given. */
  text(): Promise<string>
  /** Sets the work to run before each scrape. Its errors are ignored: a scrape must not fail because the database does. */
  beforeScrape(work: () => Promise<void>): void
  readonly isOn: boolean
}

/** Counts nothing. */
export const noMetrics: Metrics = {
  count: () => undefined,
  set: () => undefined,
  observe: () => undefined,
  text: async () => '',
  beforeScrape: () => undefined,
  isOn: false,
}

/** Makes the metrics of a process and begins to measure its CPU, memory and event loop. */
export async function openMetrics(process: ProcessName): Promise<Metrics> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  registry.setDefaultLabels({ process })
  collectDefaultMetrics({ register: registry })
  const counters = new Map<string, InstanceType<typeof Counter>>()
  const gauges = new Map<string, InstanceType<typeof Gauge>>()
  const histograms = new Map<string, InstanceType<typeof Histogram>>()
  for (const [name, metric] of Object.entries(declared)) {
    if (!(metric.from as readonly string[]).includes(process)) continue
    const options = { name, help: metric.about, labelNames: Object.keys(metric.labels), registers: [registry] }
    if (metric.kind === 'counter') counters.set(name, new Counter(options))
    else if (metric.kind === 'gauge') gauges.set(name, new Gauge(options))
    else histograms.set(name, new Histogram({ ...options, buckets: [...metric.buckets] }))
  }
  let prepare: () => Promise<void> = async () => undefined
  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, seconds) => histograms.get(name)?.observe(labels, seconds),
    async text() {
      await prepare().catch(() => undefined)
      return registry.metrics()
    },
    beforeScrape(work) {
      prepare = work
    },
    isOn: true,
  }
}

/** Lets the supervisor scrape this process over its channel: `{ scrape: true }` is answered with `{ metrics: TEXT }`. */
export function answerScrapes({ text }: Pick<Metrics, 'text'>): void {
  process.on('message', (told: { readonly scrape?: boolean }) => {
    if (told.scrape === true) void text().then((metrics) => process.send?.({ metrics }))
  })
}
