import { type SearchHit, searchAll, searchMailbox } from '../core/search/search.ts'
import { AddressPart, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { FoundMessage, SearchQuery } from '../schemas/search.ts'
import { operation } from './registry.ts'
import { messageSummary } from './summaries.ts'

const describe = {
  q: 'Words, "phrases", from: to: cc: subject: in: label: filename: has:attachment is:unread is:flagged before: after: larger: smaller: -not OR ( ). Quote other words with a colon.',
}

export const searchMessages = operation({
  name: 'messages.search',
  summary: 'Search the mail of a mailbox, newest first. A page may be short: go on until next is null.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/search',
  tools: [
    {
      name: 'search_messages',
      description: 'Search a mailbox for words, newest first. Without words use list_messages.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', 'q', 'limit', 'before'],
      describe,
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({ address: AddressPart, q: SearchQuery, ...paging }),
  output: page('messages', FoundMessage),
  errors: ['not_found', 'agent_inbox_only'],
  async handle({ ctx, principal }, { limit = pageSizeDefault, ...search }) {
    const { items, next } = await searchMailbox(ctx, principal, { ...search, limit })
    return { messages: items.map(foundMessage), next }
  },
})

export const searchEverywhere = operation({
  name: 'search.all',
  summary:
    'Search the mail of every mailbox the key reaches, newest first. A page may be short: go on until next is null.',
  scope: 'mail:read',
  http: 'GET /api/v1/search',
  tools: [
    {
      name: 'search_all_mailboxes',
      description: 'Like search_messages, across all your mailboxes.',
      toolset: 'mail',
      effect: 'read',
      expose: ['q', 'limit', 'before'],
      describe: { q: 'As in search_messages.' },
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({ q: SearchQuery, ...paging }),
  output: page('messages', FoundMessage),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, ...search }) {
    const { items, next } = await searchAll(ctx, principal, { ...search, limit })
    return { messages: items.map(foundMessage), next }
  },
})

function foundMessage({ highlights, ...message }: SearchHit): FoundMessage {
  return {
    ...messageSummary(message),
    highlights: highlights.map(({ field, text, marks }) => ({
      field,
      text,
      marks: marks.map((mark) => inPoints(text, mark)),
    })),
  }
}

/** Converts UTF-16 offsets to code points. */
function inPoints(text: string, { start, end }: { readonly start: number; readonly end: number }) {
  const count = (to: number) => [...text.slice(0, to)].length
  return { start: count(start), end: count(end) }
}
