import { command, loggedIn, nothing } from '../command.ts'
import { tellNews } from '../news.ts'
import { Bad } from '../wire/answers.ts'

/** RFC 2177: news as they come, until the client says DONE. */
export const idle = command({
  states: loggedIn,
  read: nothing,
  async run(session) {
    const { writer, peer, selected } = session
    await selected?.view.refresh()
    writer.line('+ idling')
    writer.flush()
    let isTelling = false
    const tell = async () => {
      if (session.notifier !== null) return session.notifier.wake()
      // A client that does not read is told all of it when it does.
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
