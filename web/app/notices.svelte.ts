/** Short notices at the edge of the page: what was done, with an undo where possible, and what failed. */
import { type ErrorText, errorTextOf } from './error-text.ts'

export type Notice = ErrorText & {
  readonly id: number
  readonly tone: 'plain' | 'bad'
  readonly undo: (() => void) | null
}

/** Long enough to read and to reach the button without a mouse. */
const shownMs = 8_000
const badShownMs = 15_000
/** How many notices are shown, the newest ones; older ones appear again when newer ones are gone. */
const shownMax = 4

/** The fields that all notices of success share. */
const plain = { tone: 'plain', fix: null, fixLanguage: undefined } as const

let notices = $state.raw<readonly Notice[]>([])
let count = 0
/** The actions that wait until the time for undoing is over. Each runs its action at once and resolves to whether it succeeded. */
const unfinished = new Set<() => Promise<boolean>>()
type Timed = { readonly end: () => unknown; readonly ms: number; timer: ReturnType<typeof setTimeout> | undefined }
const timers = new Map<number, Timed>()
let isHeld = false

export const shownNotices = (): readonly Notice[] => notices.slice(-shownMax)

/** Shows that something was done. `undo` reverses it. */
export function notify(text: string, { undo }: { undo?: () => unknown } = {}): void {
  const taken = undo === undefined ? null : () => void attempt(async () => undo())
  show({ ...plain, text, undo: taken }, shownMs)
}

/**
 * Shows an action that cannot be undone as done, but runs it only when the time for undoing is over, or when the page is left.
 * `undone` restores what was removed from the page; `failed` does so if the action fails.
 */
export function notifyThenDo(
  text: string,
  act: () => Promise<unknown>,
  undone: () => unknown,
  failed: () => unknown = undone,
): void {
  const isFirst = () => {
    window.removeEventListener('pagehide', finish)
    return unfinished.delete(finish)
  }
  const finish = async () => (isFirst() ? attempt(act, failed) : true)
  const takeBack = () => {
    if (isFirst()) undone()
  }
  unfinished.add(finish)
  window.addEventListener('pagehide', finish)
  show({ ...plain, text, undo: takeBack }, shownMs, finish)
}

/**
 * Runs now the actions that wait until the time for undoing is over. Call it before the session ends or switches to another
 * account, where they would be refused. Resolves to whether all of them succeeded.
 */
export async function finishNow(): Promise<boolean> {
  const done = await Promise.all([...unfinished].map((finish) => finish()))
  return done.every(Boolean)
}

/** Shows what went wrong, with what to change. */
export function complain(error: unknown): void {
  show({ ...errorTextOf(error), tone: 'bad', undo: null }, badShownMs)
}

/** Runs an action and shows its error. Resolves to whether it succeeded. */
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

/** Removes a notice and runs the action that waits for its end, if there is one. */
export function dismiss(id: number): void {
  const timed = timers.get(id)
  if (timed === undefined) return
  clearTimeout(timed.timer)
  timers.delete(id)
  notices = notices.filter((notice) => notice.id !== id)
  timed.end()
  // The browser sends no event when the element under the pointer or focus is removed.
  if (isHeld) hold(false)
}

/** Undoes the action of the newest notice that can be undone. */
export function undoLast(): void {
  const last = notices.findLast(({ undo }) => undo !== null)
  if (last !== undefined) undoOf(last)
}

export function undoOf({ id, undo }: Notice): void {
  undo?.()
  dismiss(id)
}

/** Keeps the notices for as long as the pointer or the focus is on them. */
export function hold(held: boolean): void {
  isHeld = held
  for (const [id, timed] of timers) {
    clearTimeout(timed.timer)
    if (!isHeld) begin(id, timed)
  }
}

function begin(id: number, timed: Timed): void {
  timed.timer = setTimeout(() => dismiss(id), timed.ms)
}

function show(what: Omit<Notice, 'id'>, ms: number, end: () => unknown = () => undefined): void {
  const id = ++count
  const timed: Timed = { end, ms, timer: undefined }
  timers.set(id, timed)
  if (!isHeld) begin(id, timed)
  notices = [...notices, { ...what, id }]
}
