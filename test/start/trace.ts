/** Traces that the browser itself records of its work. */
import type { Page } from 'playwright-core'

// Times of traces are in microseconds; `tdur` is the processor time that the event took in its thread.
export type TraceEvent = {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly data?: { readonly isOutermostMainFrame?: boolean; readonly documentLoaderURL?: string } }
}

/** Returns what the browser records of some categories while `act` runs. */
export async function traced(
  page: Page,
  categories: readonly string[],
  act: () => Promise<unknown>,
): Promise<readonly TraceEvent[]> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser of its own.')
  await browser.startTracing(page, { categories: [...categories] })
  let written: Buffer
  try {
    await act()
  } finally {
    written = await browser.stopTracing()
  }
  return (JSON.parse(written.toString()) as { traceEvents: TraceEvent[] }).traceEvents
}

/** Whether an event is a whole task of a thread's event loop. */
export const isTask = ({ name }: TraceEvent) => name === 'ThreadControllerImpl::RunTask'

/** Returns the processor time of tasks, in milliseconds. */
export const workMs = (tasks: readonly TraceEvent[]) => tasks.reduce((total, { tdur = 0 }) => total + tdur, 0) / 1_000

/**
 * Returns the processor time of the page's main thread, in milliseconds, for each step that the page begins with the mark `step`;
 * the last step ends at the mark `end`.
 */
export async function stepsMs(page: Page, act: () => Promise<unknown>): Promise<number[]> {
  const events = await traced(page, ['toplevel', 'blink.user_timing'], act)
  const marks = events.filter(({ name }) => name === 'step' || name === 'end').toSorted((a, b) => a.ts - b.ts)
  const [first] = marks
  if (first === undefined) throw new Error('The page began no step.')
  const tasks = events
    .filter((event) => isTask(event) && event.pid === first.pid && event.tid === first.tid)
    .toSorted((a, b) => a.ts - b.ts)
  let at = tasks.findIndex(({ ts, dur = 0 }) => ts + dur >= first.ts)
  return marks.slice(0, -1).map((_, n) => {
    const from = at
    const end = marks[n + 1]?.ts ?? 0
    while (at < tasks.length && (tasks[at]?.ts ?? 0) < end) at++
    return workMs(tasks.slice(from, at))
  })
}
