import { command, loggedIn } from '../command.ts'
import type { Extension } from '../session.ts'

/** The names by which clients enable extensions, and the extensions that each enables. */
const names: { readonly [name: string]: readonly Extension[] } = {
  IMAP4REV2: ['IMAP4REV2'],
  CONDSTORE: ['CONDSTORE'],
  // RFC 7162 3.2.3: QRESYNC enables CONDSTORE too.
  QRESYNC: ['QRESYNC', 'CONDSTORE'],
  'UTF8=ACCEPT': ['UTF8=ACCEPT'],
}
const toldNames: { readonly [E in Extension]: string } = {
  IMAP4REV2: 'IMAP4rev2',
  CONDSTORE: 'CONDSTORE',
  QRESYNC: 'QRESYNC',
  'UTF8=ACCEPT': 'UTF8=ACCEPT',
}

/** RFC 5161. Unknown extensions are ignored. */
export const enable = command({
  states: loggedIn,
  read(parser) {
    const asked: string[] = []
    parser.space()
    do asked.push(parser.atom('The name of an extension').toUpperCase())
    while (parser.takeSpace())
    return asked
  },
  async run(session, asked) {
    const known = asked.filter((name) => Object.hasOwn(names, name))
    const fresh = new Set(known.flatMap((name) => names[name] ?? []).filter((each) => !session.enabled.has(each)))
    if (fresh.has('CONDSTORE')) session.useModseqs()
    for (const extension of fresh) session.enabled.add(extension)
    session.writer.line(['* ENABLED', ...[...fresh].map((extension) => toldNames[extension])].join(' '))
    return undefined
  },
})
