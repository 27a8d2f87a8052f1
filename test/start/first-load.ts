/** The cost of opening a page for the first time, as the browser itself measures it. */
import type { CDPSession, Page } from 'playwright-core'
import { isTask, type TraceEvent, traced, workMs } from './trace.ts'

export type FirstLoad = {
  readonly requests: number
  /** The bytes on the wire: compressed bodies and headers of all answers. */
  readonly bytes: number
  /** Elapsed time from the beginning of navigation to the first paint, and until the page can be used. */
  readonly paintedMs: number
  readonly usableMs: number
  /** Processor time of the page's main thread, which other work on the machine does not lengthen. */
  readonly workToPaintMs: number
  readonly workMs: number
  readonly longestTaskMs: number
}

const categories = [
  'toplevel',
  'disabled-by-default-devtools.timeline',
  'devtools.timeline',
  'loading',
  'blink.user_timing',
]

type Opened = readonly [page: Page, address: string, usable: () => Promise<unknown>]

/** Opens a URL with an empty cache. The page can be used when `usable` resolves. */
export async function firstLoad(page: Page, address: string, usable: () => Promise<unknown>): Promise<FirstLoad> {
  const network = await page.context().newCDPSession(page)
  try {
    await page.goto('about:blank')
    const seen = await watch(network)
    const events = await traced(page, categories, async () => {
      await page.goto(address)
      await usable()
      await page.evaluate(markUsable)
    })
    return { ...seen, ...timesOf(events, address) }
  } finally {
    await network.detach()
  }
}

/**
 * Opens pages in turn, each `rounds` times, so that other work on the machine affects all of them alike. Resolves to the median of
 * each figure, by the name of the page.
 */
export async function firstLoads<Name extends string>(
  pages: Readonly<Record<Name, Opened>>,
  rounds: number,
): Promise<Record<Name, FirstLoad>> {
  const names = Object.keys(pages) as Name[]
  const seen = new Map<Name, FirstLoad[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const [page, address, usable]: Opened = pages[name]
      seen.get(name)?.push(await firstLoad(page, address, usable))
    }
  return Object.fromEntries(names.map((name) => [name, medians(seen.get(name) ?? [])])) as Record<Name, FirstLoad>
}

function medians(loads: readonly FirstLoad[]): FirstLoad {
  const figures = Object.keys(loads[0] ?? {}) as (keyof FirstLoad)[]
  const median = (figure: keyof FirstLoad) =>
    loads.map((load) => load[figure]).toSorted((a, b) => a - b)[Math.floor(loads.length / 2)]
  return Object.fromEntries(figures.map((figure) => [figure, median(figure)])) as FirstLoad
}

/** Starts to count requests and bytes on the wire. */
async function watch(network: CDPSession): Promise<{ requests: number; bytes: number }> {
  const seen = { requests: 0, bytes: 0 }
  network.on('Network.requestWillBeSent', () => {
    seen.requests += 1
  })
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    seen.bytes += encodedDataLength
  })
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  return seen
}

function timesOf(events: readonly TraceEvent[], address: string) {
  const begun = events.find(({ name, args }) => name === 'navigationStart' && args?.data?.documentLoaderURL === address)
  if (begun === undefined) throw new Error(`The trace has no navigation to ${address}.`)
  const ofPage = events.filter(({ pid, ts }) => pid === begun.pid && ts >= begun.ts)
  const at = (wanted: string) => {
    const found = ofPage.find(({ name }) => name === wanted)
    if (found === undefined) throw new Error(`The trace of ${address} has no ${wanted}.`)
    return found.ts
  }
  const [painted, usable] = [at('firstContentfulPaint'), at('usable')]
  const tasks = ofPage.filter((event) => isTask(event) && event.tid === begun.tid && event.ts < usable)
  return {
    paintedMs: (painted - begun.ts) / 1_000,
    usableMs: (usable - begun.ts) / 1_000,
    workToPaintMs: workMs(tasks.filter(({ ts }) => ts < painted)),
    workMs: workMs(tasks),
    longestTaskMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000,
  }
}

// Runs in the page, which can be used once its first content and what it showed last are painted.
const markUsable = `(async () => {
  await new Promise((resolve) =>
    new PerformanceObserver((list) => {
      if (list.getEntriesByName('first-contentful-paint').length > 0) resolve()
    }).observe({ type: 'paint', buffered: true }),
  )
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  performance.mark('usable')
})()`
