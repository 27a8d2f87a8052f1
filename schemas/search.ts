/** Searches and what they find (decisions.md 2, Search grammar). */
import { array, extended, type Infer, integer, object, oneOf, string, untrusted } from './infer.ts'
import { MessageSummary } from './messages.ts'

export const SearchQuery = string({
  minLength: 1,
  maxLength: 1_000,
  description:
    'Words and "phrases" over subject, sender, recipients, body (its first 262,144 characters) and attachment names, ' +
    'ignoring case and diacritics; a word may end in * (invoi*). from: to: cc: subject: filename: look in one place, also with a phrase or ' +
    'with (several words); in: takes a folder, label: a label; has:attachment; is:unread, is:read, is:flagged, ' +
    'is:answered; before: and after: a day or a time (UTC); larger: and smaller: a size such as 500K or 5MB. - excludes, ' +
    'OR (in capitals) joins alternatives, ( ) group. All other terms must match. An operator that does not exist is ' +
    'refused; a colon before white space, "/" or another colon, or after a digit, is part of a word (Re:, https://host, ' +
    '10:30); put other words with a colon in quotes ("localhost:8080").',
})

const Highlight = object({
  field: oneOf(['subject', 'from', 'to', 'cc', 'filename', 'body']),
  text: untrusted(string({ description: 'A line with a match, at most 200 characters.' })),
  marks: array(object({ start: integer({ minimum: 0 }), end: integer({ minimum: 0 }) }), {
    description:
      'The matches in text: from start up to but not including end, in code points. They are kept apart from the text, so that no mail can forge them.',
  }),
})

export const FoundMessage = extended(MessageSummary, {
  highlights: array(Highlight, { description: 'Where the words of the query were found; empty if it has none.' }),
})
export type FoundMessage = Infer<typeof FoundMessage>
