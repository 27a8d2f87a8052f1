import { subscribedPaths } from '../../core/imap/folder-list.ts'
import { command, loggedIn } from '../command.ts'
import { folderPattern } from '../folder-patterns.ts'
import { folderName } from '../wire/text.ts'

/** RFC 3501 6.3.9. */
export const lsub = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const reference = parser.folder()
    parser.space()
    return { reference, pattern: parser.folderPattern() }
  },
  async run({ ctx, writer, user, nameForm }, { reference, pattern }) {
    const isMatch = folderPattern(reference, pattern)
    const paths = (await subscribedPaths(ctx, user.mailbox._id)).toSorted()
    const told = new Set<string>()
    for (const path of paths) {
      if (isMatch(path)) {
        told.add(path)
        writer.line(`* LSUB () "/" ${folderName(path, nameForm)}`)
        continue
      }
      // With %, a folder above subscribed ones is listed in their place, as \Noselect.
      const levels = path.split('/')
      const above = levels.map((_, n) => levels.slice(0, n).join('/')).filter((each) => each !== '')
      for (const each of above.filter((one) => isMatch(one) && !told.has(one) && !paths.includes(one))) {
        told.add(each)
        writer.line(`* LSUB (\\Noselect) "/" ${folderName(each, nameForm)}`)
      }
    }
    return undefined
  },
})
