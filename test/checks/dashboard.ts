/**
 * `npm run check -- dashboard [MESSAGES]`: scrolls through an inbox of 100,000 messages in the real browser, a screen at a time, and says
 * how long each step took until it was painted, beside the first load and an empty page of the same size.
 */
import { newId } from '../../schemas/ids.ts'
import { type DashboardDoor, openDashboard } from '../start/dashboard.ts'
import { deliver } from '../start/door.ts'

const stepMaxMs = 100
const atOnce = 2_000

type Steps = { readonly ms: readonly number[]; readonly rows: number; readonly inDocument: number }

/** @returns whether each step of scrolling was painted soon enough */
export async function run(args: readonly string[]): Promise<boolean> {
  const messages = Number(args[0] ?? 100_000)
  const door = await openDashboard()
  try {
    await fill(door, messages)
    const viewer = await door.view()
    const { page } = viewer
    await page.goto(`${door.ctx.baseUrl}/icon.svg`)
    const emptyMs = await page.evaluate<number>('performance.now()')
    await page.goto(viewer.at(`/mail/${encodeURIComponent(door.tenant.address)}`))
    await page.locator('.rows li').first().waitFor()
    const firstLoadMs = await page.evaluate<number>('performance.now()')
    const { ms, rows, inDocument } = await page.evaluate<Steps>(scrolling(messages))
    const sorted = [...ms].sort((a, b) => a - b)
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
    console.log(
      `${rows} rows in ${ms.length} steps, at most ${inDocument} of them in the document; first load ${Math.round(firstLoadMs)} ms, an empty page ${Math.round(emptyMs)} ms`,
    )
    console.log(`a step took ${at(0.5)} ms at the median, ${at(0.99)} ms at the 99th of 100, ${at(1)} ms at most`)
    await viewer.close()
    return at(0.99) < stepMaxMs
  } finally {
    await door.close()
  }
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
  for (let from = 1; from <= count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from + 1) }, (_, n) => {
      const at = new Date(startedAt - (from + n) * 1_000)
      const ids = { _id: newId('msg', at), threadId: newId('thr', at), uid: first.uid + from + n }
      return { ...copied, ...ids, subject: `Mail ${from + n}`, receivedAt: at }
    })
    await ctx.store.messages.insertMany(some)
  }
}

/** Scrolls a screen at a time to the end of what there is; a step is over when the browser has painted it. */
const scrolling = (count: number) => `(async () => {
  const frame = document.querySelector('.rows .frame')
  const all = frame.querySelector('.all')
  const rowHeight = frame.querySelector('li').offsetHeight
  const rows = () => Math.round(all.offsetHeight / rowHeight)
  const painted = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))
  const ms = []
  let inDocument = 0
  for (;;) {
    const isAtEnd = frame.scrollTop + frame.clientHeight >= all.offsetHeight
    if (isAtEnd && rows() >= ${count}) break
    if (isAtEnd) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      continue
    }
    const before = performance.now()
    frame.scrollTop += frame.clientHeight
    ms.push((await painted()) - before)
    inDocument = Math.max(inDocument, frame.querySelectorAll('li').length)
  }
  return { ms, rows: rows(), inDocument }
})()`
