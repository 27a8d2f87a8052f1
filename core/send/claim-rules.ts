/** The claim rule: an unclaimed account may only send replies (interface.md, Unclaimed account). */
import { refusalIn } from '../../schemas/account-states.ts'
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { findContacts } from '../../store/contacts.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { standardFolderId } from '../../store/folders.ts'
import { findReceivedFrom, findReceivedIn } from '../../store/received.ts'
import type { Principal } from '../access/principal.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/**
 * A message is added to contacts a moment after it arrives. Messages younger than this are therefore searched directly,
 * at most `recentMax` of them.
 */
const contactsLagMs = 5 * minuteMs
const recentMax = 200

/**
 * The recipients that an unclaimed account may not write to, each with its `CLAIM_REQUIRED`. The account may only reply,
 * so every recipient must have written to the mailbox first (decisions.md 3, Order of checks of a send). Since anybody can
 * forge From, only authenticated mail counts, and none that lies in Spam.
 */
export async function claimRefusals(
  ctx: Context,
  { account }: Pick<Principal, 'account'>,
  {
    mailbox,
    recipients,
    parent,
  }: { mailbox: MailboxDoc | null; recipients: readonly string[]; parent: MessageDoc | null },
): Promise<ReadonlyMap<string, Failure>> {
  const code = refusalIn(account.states, 'send')
  if (code === null) return new Map()
  const correspondence = mailbox === null ? null : await readCorrespondence(ctx, mailbox, { recipients, parent })
  return new Map(
    recipients.flatMap((address) => {
      const obstacle = correspondence === null ? 'has not written to it' : obstacleOf(correspondence, address)
      if (obstacle === null) return []
      const text = `Until a person claims this account it may only reply, and ${address} ${obstacle}.`
      return [[address, new Failure(code, text)]]
    }),
  )
}

/** What a mailbox received from some addresses. */
type Correspondence = {
  /** The latest authenticated messages of these addresses. */
  readonly letters: readonly { readonly author: string; readonly isSpam: boolean }[]
  /** Addresses that any message names as its author, authenticated or not. */
  readonly named: ReadonlySet<string>
}

async function readCorrespondence(
  ctx: Context,
  { _id: mailboxId }: MailboxDoc,
  { recipients, parent }: { recipients: readonly string[]; parent: MessageDoc | null },
): Promise<Correspondence> {
  const from = idAt('msg', after(ctx.clock.now(), -contactsLagMs))
  const [contacts, recent] = await Promise.all([
    findContacts(ctx.store, mailboxId, recipients),
    findReceivedFrom(ctx.store, { mailboxId, addresses: recipients, from, limit: recentMax }),
  ])
  const noted = contacts.flatMap(({ address, authentic = [] }) =>
    authentic.map((each) => ({ ...each, author: address })),
  )
  const ids = noted.map(({ id }) => id)
  const kept = ids.length === 0 ? [] : await findReceivedIn(ctx.store, { mailboxIds: [mailboxId], ids })
  const known = new Set(kept.map(({ _id }) => _id))
  const deleted = noted.filter(({ id }) => !known.has(id)).map(({ author, spam: isSpam }) => ({ author, isSpam }))
  const spamId = standardFolderId(mailboxId, 'Spam')
  const letters = [...kept, ...recent, ...(parent === null ? [] : [parent])]
    .filter(({ authentic }) => authentic === true)
    .map((letter) => ({ author: authorOf(letter), isSpam: [letter.folderId, letter.deletedFrom].includes(spamId) }))
  const inContacts = contacts.filter(({ received }) => received > 0).map(({ address }) => address)
  return { letters: [...letters, ...deleted], named: new Set([...inContacts, ...recent.map(authorOf)]) }
}

const authorOf = ({ from }: MessageDoc) => from?.address ?? ''

/** Why an address does not count as having written first; null if it does. */
function obstacleOf({ letters, named }: Correspondence, address: string): string | null {
  const own = letters.filter(({ author }) => author === address)
  if (own.some(({ isSpam }) => !isSpam)) return null
  if (own.length > 0) return 'has only written mail that lies in Spam: move it to another folder if it is not spam'
  return named.has(address)
    ? 'is not shown to have written to it: neither SPF nor DKIM authenticates the mail that names it as author'
    : 'has not written to it'
}
