/** The contacts of a mailbox: gathered from mail it sent and received, found by the beginning of a name or address. */
import { normaliseAddress } from '../../mail/message/address.ts'
import {
  type ContactCursor,
  type ContactUpdate,
  contactId,
  countSent,
  findContacts,
  listContacts,
  matchContacts,
} from '../../store/contacts.ts'
import type { ContactDoc, Named } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { encodeTimeCursor, type Page, readTimeCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { reachMailbox } from './mailboxes.ts'

export type Contact = Pick<ContactDoc, 'name' | 'address' | 'lastSeenAt' | 'sent' | 'received'>

/** Most characters kept of a name, which strangers choose. */
const nameCharsMax = 200
/** Words indexed of one contact, and characters of each: they are keys of a database index. */
const wordsMax = 24
const wordCharsMax = 64

/**
 * Lists the contacts of a mailbox, most recently seen first. Every word of `q` must be the beginning of a word of the
 * name or of the address, in any case. Fails with `mailbox_not_found`, `validation_error` (cursor).
 */
export async function getContacts(
  ctx: Context,
  principal: Principal,
  { address, q = '', limit, before }: { address: string; q?: string; limit: number; before?: string },
): Promise<Page<Contact>> {
  const { _id: mailboxId } = await reachMailbox(ctx, principal, address)
  const from = readTimeCursor(before)
  const position = from === null ? null : { at: from.at, id: contactId({ mailboxId, address: from.key }) }
  const wanted = folded(q).split(/\s+/).filter(Boolean)
  const rows =
    wanted.length === 0
      ? await listContacts(ctx.store, { mailboxId, before: position, limit: limit + 1 })
      : await matching(ctx, mailboxId, wanted, position)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const next = rows.length > limit && last ? encodeTimeCursor({ at: last.lastSeenAt, key: last.address }) : null
  return { items, next }
}

/** Returns the addresses, as given, with which the mailbox has exchanged no mail. Fails with `mailbox_not_found`. */
export async function strangersAmong(
  ctx: Context,
  principal: Principal,
  { address, people }: { address: string; people: readonly string[] },
): Promise<readonly string[]> {
  const { _id: mailboxId } = await reachMailbox(ctx, principal, address)
  const canonical = (person: string) => normaliseAddress(person) ?? person
  const found = await findContacts(ctx.store, mailboxId, people.map(canonical))
  const known = new Set(found.map((contact) => contact.address))
  return people.filter((person) => !known.has(canonical(person)))
}

/** Records the recipients of sends as contacts; each send counts once, however often it is recorded. */
export async function noteRecipients(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  await countSent(ctx.store, emails.flatMap(contactsOf))
}

function contactsOf(email: EmailDoc): (ContactUpdate & { readonly emailId: string })[] {
  const { accountId, mailboxId, createdAt, _id: emailId } = email
  if (mailboxId === null) return []
  const named = [...email.to, ...email.cc, ...email.bcc].filter(({ name }) => name !== '')
  const names = new Map(named.map(({ name, address }) => [normaliseAddress(address) ?? address, name]))
  const accepted = email.recipients.filter(({ status }) => status !== 'failed')
  return accepted.map(({ email: address }) => ({
    ...contactSeen({ name: names.get(address) ?? '', address }, { accountId, mailboxId, at: createdAt }),
    emailId,
  }))
}

/** The contact entry for a person: a cleaned name, the address and the indexed words. */
export function contactSeen(
  { name, address }: Named,
  where: Pick<ContactUpdate, 'accountId' | 'mailboxId' | 'at'>,
): ContactUpdate {
  const kept = [...name.replaceAll(/\p{Cc}/gu, ' ').trim()].slice(0, nameCharsMax).join('')
  return { ...where, address, name: kept, words: wordsOf(kept, address) }
}

/** The indexed words: whole words and their parts, so that "Jean-Luc" is found by "jean-l" and by "luc". */
function wordsOf(name: string, address: string): string[] {
  const whole = folded(name)
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+/u, ''))
  const parts = whole.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))
  const words = [...whole, ...parts].filter(Boolean).map((word) => [...word].slice(0, wordCharsMax).join(''))
  return [...new Set([address, ...words])].slice(0, wordsMax)
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

async function matching(
  ctx: Context,
  mailboxId: string,
  wanted: readonly string[],
  before: ContactCursor | null,
): Promise<ContactDoc[]> {
  const longest = wanted.reduce((a, b) => (b.length > a.length ? b : a))
  const found = await matchContacts(ctx.store, { mailboxId, beginning: longest })
  return found
    .filter(({ words }) => wanted.every((beginning) => words.some((word) => word.startsWith(beginning))))
    .filter((contact) => before === null || comparePosition(contact, before) > 0)
    .sort((a, b) => comparePosition(a, { at: b.lastSeenAt, id: b._id }))
}

/** Negative when the contact comes before the position. */
function comparePosition({ lastSeenAt, _id }: ContactDoc, { at, id }: ContactCursor): number {
  return at.getTime() - lastSeenAt.getTime() || (_id > id ? -1 : _id < id ? 1 : 0)
}
