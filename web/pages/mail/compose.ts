/** The initial content of a message that is being written, and how it becomes a request. */
import type { Address, DraftsCreateParams, FullMessage } from '../../../sdk/generated/types.ts'
import { attachment } from '../../../sdk/mailroom.ts'
import { mailroom } from '../../app/client.ts'
import { dateTime } from '../../app/format.ts'
import { words } from '../../app/language.ts'
import { nameOf, recipientsIn, written } from './people.ts'

type Attached = Awaited<ReturnType<typeof attachment>>
type Stored = { readonly messageId: string; readonly attachmentId: string }
export type ComposedFile = { readonly name: string; readonly size: number; readonly part: Attached | Stored }

export type Composed = {
  to: string
  cc: string
  bcc: string
  subject: string
  body: string
  files: readonly ComposedFile[]
  /** The message that is answered; null for a reopened draft, which the service already knows to be a reply. */
  readonly inReplyTo: string | null
  readonly draftId: string | null
}

export const empty: Composed = {
  to: '',
  cc: '',
  bcc: '',
  subject: '',
  body: '',
  files: [],
  inReplyTo: null,
  draftId: null,
}

/** The contract's limits for files. */
export const filesMax = 10
export const filesBytesMax = 10 * 1024 * 1024

/** Returns the initial content: empty, a reply, a forwarded message, or a draft (then `how` is its id). */
export async function beginning(
  how: string,
  { mailbox, messageId }: { readonly mailbox: string; readonly messageId: string | null },
): Promise<Composed> {
  if (how.startsWith('msg_')) return draftOf(await mailroom.mailboxes.drafts.get(mailbox, how))
  if (how === 'new' || messageId === null) return empty
  const message = await mailroom.mailboxes.messages.get(mailbox, messageId, { view: 'text' })
  return how === 'forward' ? forwardOf(message) : replyTo(message, { mailbox, isToAll: how === 'reply-all' })
}

/** Returns the fields of a request. Files and text are left out unless asked for: files are long, and a text replaces the HTML. */
export function fieldsOf(
  composed: Composed,
  { withFiles, withText }: { readonly withFiles: boolean; readonly withText: boolean },
): DraftsCreateParams {
  const { to, cc, bcc, subject, body, files, inReplyTo } = composed
  return {
    to: recipientsIn(to),
    cc: recipientsIn(cc),
    bcc: recipientsIn(bcc),
    subject,
    ...(withText && { text: body }),
    ...(inReplyTo !== null && { inReplyTo }),
    ...(withFiles && { attachments: files.map(({ part }) => part) }),
  }
}

/** Does not use `crypto.randomUUID`, which exists only in secure contexts. */
export const newIdempotencyKey = (): string => `web-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`

export async function fileOf(file: File): Promise<ComposedFile> {
  return { name: file.name, size: file.size, part: await attachment(file.name, file) }
}

function draftOf(draft: FullMessage): Composed {
  const listed = (people: FullMessage['to']) => people.map(written).join(', ')
  return {
    ...empty,
    to: listed(draft.to),
    cc: listed(draft.cc),
    bcc: listed(draft.bcc),
    subject: draft.subject ?? '',
    body: draft.text ?? '',
    files: storedFiles(draft),
    draftId: draft.message_id,
  }
}

function replyTo(message: FullMessage, { mailbox, isToAll }: { mailbox: string; isToAll: boolean }): Composed {
  const isOwn = message.from?.address === mailbox
  const answered = message.reply_to.length > 0 ? message.reply_to : message.from === null ? [] : [message.from]
  const known = new Set<string>()
  const isFirst = ({ address }: Address) => {
    const { size } = known
    return known.add(address.toLowerCase()).size > size
  }
  const to = (isOwn ? message.to : answered).filter(isFirst)
  known.add(mailbox)
  const others = isToAll ? [...message.to, ...message.cc].filter(isFirst) : []
  return {
    ...empty,
    to: to.map(written).join(', '),
    cc: others.map(written).join(', '),
    subject: prefixed('Re: ', message.subject),
    body: `\n\n${words.mail.write.quote(nameOf(message.from), dateTime(message.received_at))}\n${quoted(message.text ?? '')}`,
    inReplyTo: message.message_id,
  }
}

function forwardOf(message: FullMessage): Composed {
  const { mail } = words
  const head = [
    [mail.fromLabel, message.from === null ? '' : written(message.from)],
    [mail.dateLabel, dateTime(message.received_at)],
    [mail.write.subject, message.subject ?? ''],
    [mail.toLabel, message.to.map(written).join(', ')],
  ].map(([name, value]) => `${name}: ${value}`)
  return {
    ...empty,
    subject: prefixed('Fwd: ', message.subject),
    body: `\n\n----\n${head.join('\n')}\n\n${message.text ?? ''}`,
    files: storedFiles(message),
  }
}

const storedFiles = ({ message_id: messageId, attachments }: FullMessage): ComposedFile[] =>
  attachments
    .filter(({ inline }) => !inline)
    .map(({ id: attachmentId, name, size }) => ({ name, size, part: { messageId, attachmentId } }))

/** RFC 5322 3.6.5: a subject has one prefix, however often it is answered. */
function prefixed(prefix: 'Re: ' | 'Fwd: ', subject: string | null): string {
  const bare = subject ?? ''
  return bare.toLowerCase().startsWith(prefix.trim().toLowerCase()) ? bare : `${prefix}${bare}`
}

/** RFC 3676 4.5: a quotation of a quotation has no space between its marks. */
const quoted = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`))
    .join('\n')
