import { anyState, command, inFolder, noArguments } from '../command.ts'

/** RFC 9051 6.1.2: polls for news. */
export const noop = command({
  states: anyState,
  read: noArguments,
  async run({ selected }) {
    await selected?.view.refresh()
    return undefined
  },
})

/** RFC 3501 6.4.1: as NOOP, because every change is on disk before it is answered. */
export const check = command({
  states: inFolder,
  read: noArguments,
  async run({ folder }) {
    await folder.view.refresh()
    return undefined
  },
})
