/** What can be done with one or two keys, and from the command palette: both show the same commands. */
import { untrack } from 'svelte'

export type Command = {
  readonly title: string
  /** One key, or two after each other, such as `g m`; as `KeyboardEvent.key` names them. */
  readonly keys?: string
  /** The heading in the list of shortcuts. */
  readonly group: string
  /** Further words that find it in the palette. */
  readonly also?: string
  run(): unknown
}

/** The second key of a pair comes within this time. */
const pairMs = 1_200

let sets = $state.raw<readonly (readonly Command[])[]>([])
let first: { readonly key: string; readonly at: number } | null = null

/** All commands that the frame and the page that is shown offer, the page's own first. */
export const commands = (): readonly Command[] => sets.toReversed().flat()

/** Offers commands while a component is shown. `list` may read state: it is read anew when that changes. */
export function offerCommands(list: () => readonly Command[]): void {
  $effect(() => {
    const set = list()
    sets = [...untrack(() => sets), set]
    return () => {
      sets = sets.filter((each) => each !== set)
    }
  })
}

/** Runs the command of a key that was pressed. Keys are left alone in fields, and with Control, Alt or Command. */
export function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (document.querySelector('dialog[open]') !== null) return
  const pair = first !== null && event.timeStamp - first.at < pairMs ? `${first.key} ${event.key}` : null
  first = null
  const found = commands().find(({ keys }) => keys !== undefined && (keys === pair || keys === event.key))
  if (found !== undefined) {
    event.preventDefault()
    void found.run()
  } else if (commands().some(({ keys }) => keys?.startsWith(`${event.key} `))) {
    first = { key: event.key, at: event.timeStamp }
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName) || isTextField(target)
}

const isTextField = (element: HTMLElement) =>
  element instanceof HTMLInputElement && !/^(?:checkbox|radio|button|submit)$/.test(element.type)
