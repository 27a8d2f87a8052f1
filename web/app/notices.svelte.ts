/** Short news at the edge of the page: what was done, with the way back where there is one, and what did not work. */
import { type Told, toldOf } from './told.ts'

export type Notice = Told & {
  readonly id: number
  readonly tone: 'plain' | 'bad'
  readonly undo: (() => void) | null
}

/** Long enough to read and to reach the button without a mouse. */
const shownMs = 8_000
const badShownMs = 15_000

/** What a notice of something that was done has in common with the others. */
const plain = { tone: 'plain', fix: null, fixLanguage: undefined } as const

let notices = $state.raw<readonly Notice[]>([])
let count = 0
/** How to do at once what waits until the time for undoing is over; each resolves to whether it was done. */
const unfinished = new Set<() => Promise<boolean>>()
const timers = new Map<number, { readonly end: () => unknown; timer: ReturnType<typeof setTimeout> }>()

export const shownNotices = (): readonly Notice[] => notices

/** Says that something was done. `undo` takes it back. */
export function notify(text: string, { undo }: { undo?: () => unknown } = {}): void {
  const taken = undo === undefined ? null : () => void attempt(async () => undo())
  show({ ...plain, text, undo: taken }, shownMs)
}

/**
 * Says that something was done which cannot be taken back, and does it when the time for undoing is over, or at once when the
 * page is left. `undone` shows again what was taken away from the page.
 */
export function notifyThenDo(text: string, act: () => Promise<unknown>, undone: () => unknown): void {
  const isFirst = () => {
    window.removeEventListener('pagehide', finish)
    return unfinished.delete(finish)
  }
  const finish = async () => (isFirst() ? attempt(act, undone) : true)
  const takeBack = () => {
    if (isFirst()) undone()
  }
  unfinished.add(finish)
  window.addEventListener('pagehide', finish)
  show({ ...plain, text, undo: takeBack }, shownMs, finish)
}

/**
 * Does now what waits until the time for undoing is over: before the session ends or goes on to another account, where it would be
 * refused. Resolves to whether all was done.
 */
export async function finishNow(): Promise<boolean> {
  const done = await Promise.all([...unfinished].map((finish) => finish()))
  return done.every(Boolean)
}

/** Shows what went wrong, with what to change. */
export function complain(error: unknown): void {
  show({ ...toldOf(error), tone: 'bad', undo: null }, badShownMs)
}

/** Does something; what goes wrong is shown. Resolves to whether it was done. */
export async function attempt(act: () => Promise<unknown>, failed?: () => unknown): Promise<boolean> {
  try {
    await act()
    return true
  } catch (error) {
    failed?.()
    complain(error)
    return false
  }
}

/** Takes a notice away: what was to be done afterwards is done now. */
export function dismiss(id: number): void {
  const timed = timers.get(id)
  if (timed === undefined) return
  clearTimeout(timed.timer)
  timers.delete(id)
  notices = notices.filter((notice) => notice.id !== id)
  timed.end()
}

/** Takes back what the newest notice with a way back tells of. */
export function undoLast(): void {
  const last = notices.findLast(({ undo }) => undo !== null)
  if (last !== undefined) undoOf(last)
}

export function undoOf({ id, undo }: Notice): void {
  undo?.()
  dismiss(id)
}

/** Whoever reads or points at the notices has all the time. */
export function hold(isHeld: boolean): void {
  for (const [id, timed] of timers) {
    clearTimeout(timed.timer)
    if (!isHeld) timed.timer = setTimeout(() => dismiss(id), shownMs)
  }
}

function show(what: Omit<Notice, 'id'>, ms: number, end: () => unknown = () => undefined): void {
  const id = ++count
  timers.set(id, { end, timer: setTimeout(() => dismiss(id), ms) })
  notices = [...notices, { ...what, id }].slice(-4)
}
