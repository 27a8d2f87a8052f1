/** Links that were mailed to people: to verify an address, reset a password or join an account. Each works once. */
import type { InvitationDoc, MailedLinkDoc, MailedLinkKind } from './documents/people.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

type Of<K extends MailedLinkKind> = Extract<MailedLinkDoc, { readonly kind: K }>

export async function insertMailedLink(store: Store, link: MailedLinkDoc): Promise<void> {
  await store.mailedLinks.insertOne(link)
}

/** A link of the given kind, if it is still valid; null otherwise. */
export function findMailedLink<K extends MailedLinkKind>(
  store: Store,
  { id, kind, now }: { id: string; kind: K; now: Date },
): Promise<Of<K> | null> {
  return readOne(store, 'mailedLinks', { _id: id, kind, expiresAt: { $gt: now } }) as Promise<Of<K> | null>
}

/** Deletes all links of a kind that were mailed to an address. */
export async function removeMailedLinks(
  store: Store,
  { email, kind }: { email: string; kind: Exclude<MailedLinkKind, 'invitation'> },
): Promise<void> {
  await store.mailedLinks.deleteMany({ email, kind })
}

/** The valid invitations to an account, oldest first. */
export function listInvitations(
  store: Store,
  { accountId, now, limit }: { accountId: string; now: Date; limit: number },
): Promise<InvitationDoc[]> {
  return readMany(
    store,
    'mailedLinks',
    { accountId, kind: 'invitation', expiresAt: { $gt: now } },
    { sort: { accountId: 1, createdAt: 1 }, limit },
  ) as Promise<InvitationDoc[]>
}

/** Marks an invitation as accepted at `now`. Returns false when it is not valid. */
export async function markAccepted(store: Store, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const { matchedCount } = await store.mailedLinks.updateOne(
    { _id: id, kind: 'invitation', expiresAt: { $gt: now } },
    { $set: { acceptedAt: now } },
  )
  return matchedCount === 1
}

/**
 * Withdraws an invitation, unless it was accepted after `acceptedUntil`. Returns whether it was withdrawn; null when there is none.
 */
export async function withdrawInvitation(
  store: Store,
  { accountId, invitationId, acceptedUntil }: { accountId: string; invitationId: string; acceptedUntil: Date },
): Promise<boolean | null> {
  const own = { accountId, kind: 'invitation', invitationId } as const
  const { deletedCount } = await store.mailedLinks.deleteMany({
    ...own,
    $or: [{ acceptedAt: { $exists: false } }, { acceptedAt: { $lte: acceptedUntil } }],
  })
  if (deletedCount > 0) return true
  return (await readOne(store, 'mailedLinks', own)) === null ? null : false
}

/** Withdraws the invitations to an account that were mailed to an address. */
export async function removeInvitations(
  store: Store,
  { accountId, email }: { accountId: string; email: string },
): Promise<void> {
  await store.mailedLinks.deleteMany({ accountId, kind: 'invitation', email })
}

/** Withdraws all invitations of an address to an account except the newest. Concurrent calls also leave that one. */
export async function keepNewestInvitation(
  store: Store,
  { accountId, email }: { readonly accountId: string; readonly email: string },
): Promise<void> {
  const own = { accountId, email, kind: 'invitation' } as const
  const found = (await readMany(store, 'mailedLinks', own)) as InvitationDoc[]
  const [newest = ''] = found.map(({ invitationId }) => invitationId).toSorted((a, b) => (a < b ? 1 : -1))
  await store.mailedLinks.deleteMany({ ...own, invitationId: { $lt: newest } })
}
