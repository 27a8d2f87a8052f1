/** What can be done with one or two keys, and from the command palette: both show the same commands. */

export type Command = {
  readonly title: string
  /**
   * One key, or two after each other, such as `g m`; as `KeyboardEvent.key` names them. With `Ctrl+` in front, or the Command key, it
   * works in fields too.
   */
  readonly keys?: string
  /** The heading in the list of shortcuts. */
  readonly group: string
  /** Further words that find it in the palette. */
  readonly also?: string
  run(): unknown
}

/** The second key of a pair comes within this time. */
const pairMs = 1_200

const sets = new Set<readonly Command[]>()
/** Tells who reads the commands that they are others. The sets are no state: an effect that ends would see those of before. */
let version = $state(0)
let versions = 0
let first: { readonly key: string; readonly at: number } | null = null

/** All commands that the frame and the page that is shown offer, the page's own first. */
export function commands(): readonly Command[] {
  void version
  return [...sets].toReversed().flat()
}

/** Offers commands while a component is shown. `list` may read state: it is read anew when that changes. */
export function offerCommands(list: () => readonly Command[]): void {
  $effect(() => {
    const set = list()
    sets.add(set)
    version = ++versions
    return () => {
      sets.delete(set)
      version = ++versions
    }
  })
}

/** Runs the command of a key that was pressed. In fields and dialogs keys are left alone. */
export function pressed(event: KeyboardEvent): void {
  const isChord = event.ctrlKey || event.metaKey
  if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]') !== null) return
  if (!isChord && (isTyping(event.target) || presses(event))) return
  const key = isChord ? `Ctrl+${event.key}` : event.key
  const pair = first !== null && event.timeStamp - first.at < pairMs ? `${first.key} ${key}` : null
  first = null
  const of = (wanted: string | null) => commands().find(({ keys }) => keys !== undefined && keys === wanted)
  // The second key of a pair may be a command of the page by itself: `e` archives, and `g e` leads to the events.
  const found = of(pair) ?? of(key)
  if (found !== undefined) {
    event.preventDefault()
    void found.run()
  } else if (commands().some(({ keys }) => keys?.startsWith(`${key} `))) {
    first = { key, at: event.timeStamp }
  }
}

/** Whether the key is for what has the focus, such as a button or a link; that of the open row leads to where one is. */
function presses({ key, target }: KeyboardEvent): boolean {
  return (
    /^(?:Enter| )$/.test(key) &&
    target instanceof HTMLElement &&
    target.closest('a:not([aria-current]), button, summary') !== null
  )
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName) || isTextField(target)
}

const isTextField = (element: HTMLElement) =>
  element instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit)$/.test(element.type)
