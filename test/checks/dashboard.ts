/**
 * `npm run check -- dashboard [MESSAGES]`: an inbox of 100,000 messages in the real browser, scrolled through a screen at a time to its
 * end and back, then a message in the middle, the way back from it, and its address opened anew. Each step is measured by the
 * processor time of the page's main thread, which other work on the machine does not lengthen.
 */
import { expect } from 'chai'
import type { CDPSession, Page } from 'playwright-core'
import { newId } from '../../schemas/ids.ts'
import { eventually } from '../eventually.ts'
import { compareFirstLoads, type DashboardDoor, openDashboard, type Viewer } from '../start/dashboard.ts'
import { deliver } from '../start/door.ts'
import { firstLoad } from '../start/first-load.ts'

/** What a person takes for immediate (RAIL): from a step to what it shows. */
const stepMaxMs = 100
const insertedAtOnce = 2_000
/** On the way back, as one drags the bar. */
const screensAtOnce = 10

/** Milliseconds of the main thread, of each step. */
type Steps = number[]

/** @returns whether 99 of 100 steps, opening a message and going back cost little enough */
export async function run(args: readonly string[]): Promise<boolean> {
  const messages = Number(args[0] ?? 100_000)
  const door = await openDashboard()
  try {
    await fill(door, messages)
    const viewer = await door.view()
    const { page } = viewer
    const meter = await page.context().newCDPSession(page)
    await meter.send('Performance.enable', { timeDomain: 'threadTicks' })
    const list = viewer.at(`/mail/${encodeURIComponent(door.tenant.address)}`)
    await sayFirstLoads(door, viewer)
    await page.goto(list)
    await page.locator('.rows li').first().waitFor()
    const down = await toTheEnd(page, meter, messages)
    console.log(`${messages} rows, ${await memoryMb(meter)} MB of heap with all of them`)
    say('a screen down', down)
    const up = await toTheTop(page, meter)
    say(`${screensAtOnce} screens up`, up)
    const middle = await intoTheMiddle(page, meter, messages)
    console.log(
      `a message in the middle opened ${round(middle.openedMs)} ms, back to the list ${round(middle.backMs)} ms`,
    )
    const anew = await firstLoad(page, viewer.at(middle.path), () => page.locator('.pane h1').waitFor())
    console.log(`its address opened anew ${round(anew.workMs)} ms, the longest task ${round(anew.longestTaskMs)} ms`)
    await viewer.close()
    return [share(down, 0.99), share(up, 0.99), middle.openedMs, middle.backMs].every((ms) => ms < stepMaxMs)
  } finally {
    await door.close()
  }
}

/** By the clock, which is a matter of the machine; what holds anywhere is asserted in test/web/mail.test.ts. */
async function sayFirstLoads(door: DashboardDoor, viewer: Viewer): Promise<void> {
  const { empty, ...others } = await compareFirstLoads(door, viewer, 7)
  for (const [name, load] of Object.entries(others))
    console.log(
      `${name}: ${load.requests} requests, ${load.bytes} bytes; beside an empty page first paint ${round(load.paintedMs / empty.paintedMs)}, ` +
        `usable ${round(load.usableMs / empty.usableMs)}, work ${round(load.workMs / empty.workMs)} times; longest task ${round(load.longestTaskMs)} ms, there ${round(empty.longestTaskMs)} ms`,
    )
}

const round = (ms: number) => Math.round(ms * 10) / 10
const share = (steps: Steps, part: number) =>
  round(steps.toSorted((a, b) => a - b)[Math.floor((steps.length - 1) * part)] ?? Number.NaN)

/** Says what steps cost, and which cost too much. */
function say(name: string, steps: Steps): void {
  const slow = steps.flatMap((ms, n) => (ms < stepMaxMs ? [] : [`step ${n} ${round(ms)} ms`]))
  console.log(
    `${name}: ${steps.length} steps, ${share(steps, 0.5)} ms at the median, ${share(steps, 0.99)} ms at the 99th of 100, ${share(steps, 1)} ms at most` +
      (slow.length === 0 ? '' : `; ${slow.length} above ${stepMaxMs} ms: ${slow.slice(0, 10).join(', ')}`),
  )
}

/** Puts copies of one message into the mailbox, each a conversation of its own. */
async function fill({ ctx, tenant }: DashboardDoor, count: number): Promise<void> {
  const raw = `From: Ann <ann@remote.example>\nTo: ${tenant.address}\nSubject: Mail 0\nMessage-ID: <0@remote.example>\n\nText\n`
  const id = await deliver(ctx, { to: tenant.address, raw })
  const first = await ctx.store.messages.findOne({ _id: id })
  if (first === null) throw new Error('The first mail is not there.')
  // Copies are no repeats of a delivery.
  const { fingerprint: _, ...copied } = first
  const startedAt = first.receivedAt.getTime()
  // The oldest first, as mail comes: ids of one moment go on in the order in which they are made.
  for (let left = count - 1; left > 0; left -= insertedAtOnce) {
    const some = Array.from({ length: Math.min(insertedAtOnce, left) }, (_, n) => {
      const at = new Date(startedAt - (left - n) * 1_000)
      const ids = { _id: newId('msg', at), threadId: newId('thr', at), uid: first.uid + count - left + n }
      return { ...copied, ...ids, subject: `Mail ${left - n}`, receivedAt: at }
    })
    await ctx.store.messages.insertMany(some)
  }
}

/** The work of the main thread since the page began, in milliseconds. */
async function workedMs(meter: CDPSession): Promise<number> {
  return (await metric(meter, 'TaskDuration')) * 1_000
}
const memoryMb = async (meter: CDPSession) => Math.round((await metric(meter, 'JSHeapUsedSize')) / 1024 / 1024)

async function metric(meter: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await meter.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN
}

/** What an act costs until the browser has painted what came of it. */
async function costOf(page: Page, meter: CDPSession, act: () => Promise<unknown>): Promise<number> {
  const before = await workedMs(meter)
  await act()
  await page.evaluate(painted)
  return (await workedMs(meter)) - before
}

async function toTheEnd(page: Page, meter: CDPSession, messages: number): Promise<Steps> {
  const steps: Steps = []
  for (;;) {
    const { isAtEnd, rows, inDocument, hasFailed } = await page.evaluate<Standing>(standing)
    if (hasFailed) throw new Error(`The list stopped loading at ${rows} rows.`)
    expect(inDocument, 'rows in the document').to.be.below(60)
    if (isAtEnd && rows >= messages) return steps
    if (isAtEnd) await eventually('more rows', async () => (await page.evaluate<Standing>(standing)).rows > rows)
    else steps.push(await costOf(page, meter, () => page.evaluate(scroll(1))))
  }
}

async function toTheTop(page: Page, meter: CDPSession): Promise<Steps> {
  const steps: Steps = []
  while ((await page.evaluate<Standing>(standing)).top > 0)
    steps.push(await costOf(page, meter, () => page.evaluate(scroll(-screensAtOnce))))
  return steps
}

/** Opens a message in the middle of the list, and goes back to where the list was. */
async function intoTheMiddle(page: Page, meter: CDPSession, messages: number) {
  const subject = `Mail ${Math.floor(messages / 2)}`
  await page.evaluate(
    `document.querySelector('.rows .frame').scrollTop = document.querySelector('.rows .all').offsetHeight / 2`,
  )
  await page.getByRole('link', { name: subject }).first().waitFor()
  const openedMs = await costOf(page, meter, () =>
    page.evaluate(
      untilShown(
        true,
        `[...document.querySelectorAll('.rows a')].find((row) => row.textContent.includes('${subject}')).click()`,
      ),
    ),
  )
  const { top } = await page.evaluate<Standing>(standing)
  const path = new URL(page.url()).pathname.replace(/^\/app/, '')
  const backMs = await costOf(page, meter, () => page.evaluate(untilShown(false, 'history.back()')))
  expect((await page.evaluate<Standing>(standing)).top, 'where the list was').to.equal(top)
  return { path, openedMs, backMs }
}

// What runs in the page.
type Standing = {
  readonly top: number
  readonly isAtEnd: boolean
  readonly rows: number
  readonly inDocument: number
  readonly hasFailed: boolean
}
const standing = `(() => {
  const frame = document.querySelector('.rows .frame')
  const all = frame.querySelector('.all')
  return {
    top: frame.scrollTop,
    isAtEnd: frame.scrollTop + frame.clientHeight >= all.offsetHeight,
    rows: Math.round(all.offsetHeight / frame.querySelector('li').offsetHeight),
    inDocument: frame.querySelectorAll('li').length,
    hasFailed: frame.querySelector('.foot button') !== null,
  }
})()`
const scroll = (screens: number) => `(() => {
  const frame = document.querySelector('.rows .frame')
  frame.scrollTop += ${screens} * frame.clientHeight
})()`
const painted = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))'
/** Acts, and waits until a message stands beside the list, or none any more. */
const untilShown = (isOpen: boolean, act: string) => `new Promise((resolve) => {
  const look = () => {
    const isShown = [...document.querySelectorAll('.pane h1')].some(({ textContent }) => /^Mail \\d/.test(textContent))
    if (isShown !== ${isOpen}) return
    watcher.disconnect()
    resolve()
  }
  const watcher = new MutationObserver(look)
  watcher.observe(document.body, { childList: true, subtree: true, characterData: true })
  ;${act}
})`
