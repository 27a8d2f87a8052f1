import { quotaOf } from '../../core/imap/quota.ts'
import { command, loggedIn, readFolder } from '../command.ts'
import type { Session } from '../session.ts'
import { No } from '../wire/answers.ts'
import { folderName } from '../wire/text.ts'

/** The only quota root, which covers all folders of the mailbox. */
const root = ''

/** RFC 9208 4.1.2: which quota applies to a folder. */
export const getQuotaRoot = command({
  states: loggedIn,
  read: readFolder,
  async run(session, name) {
    const { path } = await session.folderAt(name)
    session.writer.line(`* QUOTAROOT ${folderName(path, session.nameForm)} ""`)
    await tellQuota(session)
    return undefined
  },
})

/** RFC 9208 4.1.1. */
export const getQuota = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    return parser.astring()
  },
  async run(session, name) {
    requireRoot(name)
    await tellQuota(session)
    return undefined
  },
})

/** RFC 9208 4.1.3: always refused, because the account's plan sets the quota. */
export const setQuota = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const name = parser.astring()
    parser.space()
    parser.list(() => {
      parser.atom('A resource')
      parser.space()
      parser.number()
    })
    return name
  },
  async run(_session, name) {
    requireRoot(name)
    throw new No('NOPERM', 'The plan of the account sets the quota')
  },
})

function requireRoot(name: string): void {
  if (name !== root) throw new No('NONEXISTENT', 'There is no quota root of that name')
}

/** Writes the QUOTA response, in units of 1,024 bytes (RFC 9208 5.1). */
async function tellQuota({ ctx, user, writer }: Session): Promise<void> {
  const { usedBytes, limitBytes } = await quotaOf(ctx, user)
  writer.line(`* QUOTA "" (STORAGE ${Math.ceil(usedBytes / 1024)} ${Math.floor(limitBytes / 1024)})`)
}
