import { command, loggedIn, noArguments } from '../command.ts'
import { tellNews } from '../news.ts'
import { Bad } from '../wire/answers.ts'

/** RFC 2177: sends news of the selected folder as it happens, until the client sends DONE. */
export const idle = command({
  states: loggedIn,
  read: noArguments,
  async run(session) {
    const { writer, peer, selected } = session
    await selected?.view.refresh()
    writer.line('+ idling')
    writer.flush()
    let isTelling = false
    const tell = async () => {
      if (session.notifier !== null) return session.notifier.wake()
      // While the client does not read, news collects in the tracker and is sent once the client reads again.
      if (isTelling) return
      isTelling = true
      if (session.selected?.view.isGone === true) peer.end('The folder has been deleted')
      else tellNews(session, { withExpunged: true })
      writer.flush()
      await writer.room()
      isTelling = false
      if (session.onNews !== null && session.selected?.tracker.hasNews() === true && !session.selected.view.isGone)
        void tell()
    }
    session.onNews = () => void tell()
    void tell()
    const line = await peer.line()
    session.onNews = null
    await session.notifier?.settled()
    if (line?.toUpperCase() !== 'DONE') throw new Bad('IDLE ends with DONE')
    return undefined
  },
})
