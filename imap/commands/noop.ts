import { anyState, command, inFolder, nothing } from '../command.ts'

/** RFC 9051 6.1.2: a question for news. */
export const noop = command({
  states: anyState,
  read: nothing,
  async run({ selected }) {
    await selected?.view.refresh()
    return undefined
  },
})

/** RFC 3501 6.4.1: what is answered is on disk already, so it does what NOOP does. */
export const check = command({
  states: inFolder,
  read: nothing,
  async run({ folder }) {
    await folder.view.refresh()
    return undefined
  },
})
