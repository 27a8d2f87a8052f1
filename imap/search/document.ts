/** What the document of a message answers of SEARCH keys, cached in bounded memory: for one UID it never changes. */
import type { SearchFields } from '../../core/imap/search-fields.ts'
import type { Context } from '../../core/process/context.ts'
import { createKept, type Kept } from '../../core/process/kept.ts'
import { folded } from './keys.ts'
import { dayOf, type Knowledge } from './matching.ts'

type Person = { readonly name: string; readonly address: string }

/** The largest offset of a time zone from UTC. */
const zoneMs = 14 * 3_600_000
/** A list as long as this may have been cut (core/receive/message-document.ts). */
const listMax = 100

const addressFields = new Set(['from', 'to', 'cc', 'bcc'])

export type DocumentTexts = Knowledge & {
  /** The approximate memory of the texts. */
  readonly bytes: number
}

export type Texts = Kept<DocumentTexts>

const keptBytes = 24 * 1024 * 1024
const keptMs = 60 * 60_000
/** The approximate memory of one entry beside its characters. */
const aroundBytes = 700

export const createTexts = ({ clock }: Pick<Context, 'clock'>): Texts =>
  createKept<DocumentTexts>(clock, { max: keptBytes, weigh: ({ bytes }) => bytes, ttlMs: keptMs, renewOnUse: true })

export function documentTexts(fields: SearchFields): DocumentTexts {
  const { authorName, date, messageIdHeader, blob, threadId } = fields
  const people = (list: readonly Person[]) => (list.length >= listMax ? undefined : list.map(personText))
  const from = [fields.from === null ? folded(authorName ?? '') : personText(fields.from)]
  const subject = fields.subject === null ? [] : [folded(fields.subject)]
  const [to, cc, bcc] = [people(fields.to), people(fields.cc), people(fields.bcc)]
  const texts = [from, subject, to ?? [], cc ?? [], bcc ?? []].flat()
  const valuesOf = (name: string) => {
    if (name === 'from') return from
    if (name === 'to') return to
    if (name === 'cc') return cc
    if (name === 'bcc') return bcc
    if (name === 'subject') return subject
    if (name === 'message-id' && messageIdHeader !== undefined) return [folded(`<${messageIdHeader}>`)]
    return undefined
  }
  return {
    bytes: texts.reduce((sum, { length }) => sum + 2 * length, aroundBytes),
    ids: { email: blob.id, thread: threadId },
    savedAt: (fields.savedAt ?? fields.receivedAt).getTime(),
    header(name, text) {
      if (fields.namesMore === true && addressFields.has(name)) return undefined
      const values = valuesOf(name)
      // RFC 9051 6.4.4: an empty text asks whether the field exists. It may exist although the document holds nothing of it.
      return text === '' && values?.every((value) => value === '') === true ? undefined : values
    },
    sentOn() {
      if (date === null) return undefined
      const at = date.getTime()
      return { first: dayOf(at - zoneMs), last: dayOf(at + zoneMs) }
    },
  }
}

const personText = ({ name, address }: Person) => folded(name === '' ? address : `${name} <${address}>`)
