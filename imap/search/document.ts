/** What the document of a message tells of what SEARCH asks. */
import type { SearchFields } from '../../core/imap/search-fields.ts'
import { folded } from './keys.ts'
import { dayOf, type Knowledge } from './matching.ts'

type Person = { readonly name: string; readonly address: string }

/** Zones are at most so far from UTC. */
const zoneMs = 14 * 3_600_000
/** A list as long as this may have been cut (core/receive/message-document.ts). */
const listMax = 100

const addressFields = new Set(['from', 'to', 'cc', 'bcc'])

export function documentTexts(fields: SearchFields): Omit<Knowledge, 'row'> {
  const { from, authorName, to, cc, bcc, subject, date, messageIdHeader, blob, threadId } = fields
  const people = (list: readonly Person[]) => (list.length >= listMax ? undefined : list.map(personText))
  return {
    ids: { email: blob.id, thread: threadId },
    savedAt: (fields.savedAt ?? fields.receivedAt).getTime(),
    header(name) {
      if (fields.namesMore === true && addressFields.has(name)) return undefined
      if (name === 'from') return [from === null ? folded(authorName ?? '') : personText(from)]
      if (name === 'to') return people(to)
      if (name === 'cc') return people(cc)
      if (name === 'bcc') return people(bcc)
      if (name === 'subject') return subject === null ? [] : [folded(subject)]
      if (name === 'message-id' && messageIdHeader !== undefined) return [folded(`<${messageIdHeader}>`)]
      return undefined
    },
    sentOn() {
      if (date === null) return undefined
      const at = date.getTime()
      return { first: dayOf(at - zoneMs), last: dayOf(at + zoneMs) }
    },
  }
}

const personText = ({ name, address }: Person) => folded(name === '' ? address : `${name} <${address}>`)
