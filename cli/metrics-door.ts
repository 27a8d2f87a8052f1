/** The port of Prometheus: one scrape of the supervisor covers all processes of the installation. */
import { createServer, type Server } from 'node:http'
import type { Metrics } from '../core/process/metrics.ts'
import { listenFailure } from '../schemas/doors.ts'
import type { Settings } from '../schemas/settings.ts'
import { errorText } from './io.ts'
import type { Part } from './supervisor.ts'

/** A part that takes longer to answer is left out of a scrape. */
const partMs = 2_000

/** Listens at `metrics.host` and `metrics.port`. Rejects if it cannot. */
export async function openMetricsDoor(
  { host, port }: { readonly host: string; readonly port: number },
  settings: Settings,
  { own, parts }: { readonly own: Metrics; readonly parts: () => readonly Part[] },
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    void scrape(own, parts()).then((text) =>
      response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const why = errorText(listenFailure(cause, settings)).replace(/\.$/, '')
      reject(new Error(`metrics could not start: ${why}.`, { cause }))
    })
    server.listen(port, host, resolve)
  })
  return server
}

/** Where it listens; null if the settings do not open it. */
export const metricsDoorOf = ({ metrics: { host, port } }: Settings) => (port === null ? null : { host, port })

async function scrape(own: Metrics, parts: readonly Part[]): Promise<string> {
  for (const part of parts) own.set('mailroom_part_ready', { part: part.name }, part.isReady() ? 1 : 0)
  return joined(await Promise.all([own.text(), ...parts.map((part) => part.metrics(partMs))]))
}

/** Joins several texts into one: a family may occur only once, so the samples of all processes are put together. */
export function joined(texts: readonly string[]): string {
  const families = new Map<string, { readonly head: string; readonly samples: string[] }>()
  for (const block of texts.flatMap((text) => text.split(/^(?=# HELP )/m))) {
    const [help = '', type = '', ...samples] = block.trim().split('\n')
    const family = families.get(help) ?? { head: `${help}\n${type}`, samples: [] }
    if (help !== '') families.set(help, family)
    family.samples.push(...samples)
  }
  return [...families.values()].map(({ head, samples }) => `${[head, ...samples].join('\n')}\n`).join('')
}
