/** The commands of the keyboard shortcuts and of the command palette, which are the same. */

export type Command = {
  readonly title: string
  /**
   * One key, or two in sequence such as `g m`, named as in `KeyboardEvent.key`. A key with `Ctrl+` in front, which also stands for
   * the Command key, works in text fields too.
   */
  readonly keys?: string
  /** The heading in the list of shortcuts. */
  readonly group: string
  /** Further words by which the palette finds it. */
  readonly also?: string
  /** Whether it is one of very many, such as the mailboxes, which the palette shows below the others. */
  readonly isOneOfMany?: boolean
  run(): unknown
}

/** The second key of a pair must follow within this time. */
const pairMs = 1_200

const sets = new Set<readonly Command[]>()
/** Notifies readers that the commands have changed. `sets` is not reactive itself: an effect that ends would see its old content. */
let version = $state(0)
let versions = 0
let first: { readonly key: string; readonly at: number } | null = null

/** Returns all commands that the frame and the current page offer, those of the page first. */
export function commands(): readonly Command[] {
  void version
  return [...sets].toReversed().flat()
}

/** Offers commands while a component is shown. `list` may read reactive state and runs again when that changes. */
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

/** Runs the command of a pressed key. In dialogs it does nothing, and in text fields only with Ctrl or Command. */
export function pressed(event: KeyboardEvent): void {
  const isChord = event.ctrlKey || event.metaKey
  if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]') !== null) return
  if (!isChord && (isTyping(event.target) || presses(event))) return
  const key = isChord ? `Ctrl+${event.key}` : event.key
  const pair = first !== null && event.timeStamp - first.at < pairMs ? `${first.key} ${key}` : null
  first = null
  const of = (wanted: string | null) => commands().find(({ keys }) => keys !== undefined && keys === wanted)
  // The second key of a pair may be a command by itself: `e` archives, `g e` opens the events.
  const found = of(pair) ?? of(key)
  if (found !== undefined) {
    event.preventDefault()
    void found.run()
  } else if (commands().some(({ keys }) => keys?.startsWith(`${key} `))) {
    first = { key, at: event.timeStamp }
  }
}

/** Whether the key activates the focused button or link. The link of the open row is excluded: it leads to the current place. */
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
