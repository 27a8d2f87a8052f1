/** The trust record of a message (decisions.md 4, trust): made when the message arrives, and returned wherever it is shown. */

import { claimsToBeAnother } from '../../mail/authentication/impersonation.ts'
import { organisationOf, sameOrganisation } from '../../mail/domain.ts'
import { splitAddress } from '../../mail/message/address.ts'
import type { ParsedMessage } from '../../mail/message/parse.ts'
import { isAutomatic } from '../../mail/report/autoreply.ts'
import type { Trust } from '../../schemas/messages.ts'
import { contactId, findCorrespondents } from '../../store/contacts.ts'
import type { TrustDoc } from '../../store/documents/mail.ts'
import { isLoopback } from '../access/network.ts'
import { type BatchedLookup, createBatchedLookup } from '../process/batched-lookup.ts'
import { hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept, type Kept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import type { RecipientMailbox } from './recipient-cache.ts'
import { isReturnPath } from './return-path.ts'
import type { Verdict } from './sender-verdict.ts'
import type { Peer } from './trace-headers.ts'

/** Makes the trust record of a message for one of its mailboxes. */
export function trustOf(
  { settings }: Pick<Context, 'settings'>,
  { authentication }: Verdict,
  {
    parsed,
    reversePath,
    mailbox,
    firstContact,
    alternativesDiffer,
  }: {
    parsed: Pick<ParsedMessage, 'headers' | 'from' | 'replyTo'>
    reversePath: string
    mailbox: RecipientMailbox
    firstContact: boolean
    alternativesDiffer: boolean
  },
): TrustDoc {
  const { spf, dkim, dmarc, arc, alignedFrom } = authentication
  const { name, address } = parsed.from ?? { name: '', address: '' }
  const { domain } = splitAddress(address)
  const related = sameOwner(settings.sharedDomain)
  return {
    spf,
    dkim,
    dmarc,
    arc,
    alignedFrom,
    firstContact,
    replyToMismatch: parsed.replyTo.some((other) => !related(splitAddress(other.address).domain, domain)),
    displayNameSpoof: claimsToBeAnother({
      name,
      address,
      ownNames: mailbox.names,
      ownDomain: splitAddress(mailbox.address).domain,
      related,
    }),
    autoSubmitted: isAutomaticMail(parsed, reversePath),
    ...(alternativesDiffer && { alternativesDiffer }),
  }
}

/** Whether a program or a mailing list wrote a message. */
export function isAutomaticMail({ headers }: Pick<ParsedMessage, 'headers'>, reversePath: string): boolean {
  // Everything sent through the API has a return path, so a return path says nothing about who wrote the message.
  return isAutomatic(headers, isReturnPath(reversePath) ? null : reversePath)
}

/**
 * Whether the author named in From really wrote this message: either an aligned identifier authenticates it, or it came
 * from this machine and no check says that it is forged.
 */
export function isAuthentic(
  { parsed: { from }, reversePath, peer }: { parsed: Pick<ParsedMessage, 'from'>; reversePath: string; peer: Peer },
  verdict: Verdict | undefined,
): boolean {
  if (from === null) return false
  const { domain } = splitAddress(from.address)
  const { alignedFrom = null, spf = 'none', dmarc = 'none' } = verdict?.authentication ?? {}
  if (domain === alignedFrom) return true
  const spfDenies = (spf === 'fail' || spf === 'softfail') && sameOrganisation(splitAddress(reversePath).domain, domain)
  return isLoopback(peer.address) && dmarc !== 'fail' && !spfDenies
}

/**
 * Whether two domains have the same owner: the same organisational domain or, below the shared domain, the same
 * sub-domain, because each belongs to one account.
 */
const sameOwner =
  (sharedDomain: string) =>
  (a: string, b: string): boolean => {
    const [ownerOfA, ownerOfB] = [a, b].map((domain) => {
      const labels = domain.endsWith(`.${sharedDomain}`) ? domain.slice(0, -sharedDomain.length - 1).split('.') : null
      return labels === null ? organisationOf(domain) : `${labels.at(-1)}.${sharedDomain}`
    })
    return ownerOfA === ownerOfB
  }

/** The wire form of a trust record, in message records and events. */
export function trustRecord({
  alignedFrom,
  firstContact,
  replyToMismatch,
  displayNameSpoof,
  autoSubmitted,
  alternativesDiffer,
  ...results
}: TrustDoc): Trust {
  return {
    ...results,
    aligned_from: alignedFrom,
    first_contact: firstContact,
    reply_to_mismatch: replyToMismatch,
    display_name_spoof: displayNameSpoof,
    auto_submitted: autoSubmitted,
    ...(alternativesDiffer && { alternatives_differ: alternativesDiffer }),
  }
}

type Correspondents = {
  /** By contact id: the authors who have written to a mailbox before. An entry never becomes untrue. */
  readonly known: Kept<true>
  readonly find: BatchedLookup<true>
}

const knownMax = 50_000
const correspondents = perProcess(
  ({ clock }): Correspondents => ({
    known: createKept(clock, { max: knownMax, ttlMs: hourMs, renewOnUse: true }),
    find: createBatchedLookup(),
  }),
)

/**
 * Returns whether a mail is the first one from this address to the mailbox, and notes that the next one is not, even
 * before the contact is written. `undo` removes that note, for mail that could not be stored. Without an address every
 * mail is a first contact.
 */
export async function claimFirstContact(
  ctx: Context,
  mailboxId: string,
  address: string | null,
): Promise<{ first: boolean; undo(): void }> {
  if (address === null) return { first: true, undo: () => undefined }
  const { known, find } = correspondents(ctx)
  const id = contactId({ mailboxId, address })
  if (known.get(id) === true) return { first: false, undo: () => undefined }
  known.set(id, true)
  const undo = () => void known.delete(id)
  try {
    const wrote = await find(
      id,
      async (ids) => new Map((await findCorrespondents(ctx.store, ids)).map((each) => [each, true])),
    )
    return { first: wrote === undefined, undo: wrote === undefined ? undo : () => undefined }
  } catch (error) {
    undo()
    throw error
  }
}
