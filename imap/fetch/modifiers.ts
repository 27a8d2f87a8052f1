/** The modifiers that may follow the items of FETCH (RFC 7162 3.1.4, 3.2.6; RFC 9394 3.2). */
import { Bad } from '../wire/answers.ts'
import { type Page, readPage } from '../wire/pages.ts'
import type { Parser } from '../wire/parser.ts'

export type Modifiers = {
  /** Only messages with a higher modseq are returned. */
  readonly changedSince: number | null
  /** Whether messages that have left the folder are reported too. */
  readonly vanished: boolean
  readonly page: Page | null
}

export function readModifiers(parser: Parser): Modifiers {
  let changedSince: number | null = null
  let vanished = false
  let page: Page | null = null
  if (parser.takeSpace()) {
    parser.list(() => {
      const word = parser.word('A modifier')
      if (word === 'CHANGEDSINCE') {
        parser.space()
        changedSince = parser.modseq()
      } else if (word === 'VANISHED') vanished = true
      else if (word === 'PARTIAL') {
        parser.space()
        page = readPage(parser)
      } else throw new Bad(`${word} is not a FETCH modifier`)
    })
  }
  return { changedSince, vanished, page }
}
