/** Setting a new password, by a mailed link when the old one is forgotten, or with the old one. Both ways end all sessions. */
import { Failure } from '../../schemas/failures.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { removeMailedLinks } from '../../store/mailed-links.ts'
import { changePerson, findPerson, findPersonByEmail } from '../../store/people.ts'
import { recordAudit } from '../access/audit.ts'
import { type Asker, endSessions, type NewSession, type Session } from '../access/sessions.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { afterwards } from './afterwards.ts'
import { countRequestedMail } from './mail-limits.ts'
import { makeLink, readLink, unknownLink } from './mailed-links.ts'
import { changedNotice, resetNotice } from './notices.ts'
import { hashPassword, passwordDigest, requireGoodPassword } from './passwords.ts'
import { accountsOf, emailOf } from './people.ts'
import { createSessionUnder, requirePasswordOf, wrongCurrentPassword } from './sign-in.ts'

/**
 * Mails a link for setting a new password to the address, if it is a person's. Fails with `validation_error` (`email` is no address)
 * and `rate_limited` (mails to the address, or from the network), whether the address is a person's or not.
 */
export async function requestReset(
  ctx: Context,
  { email, peerAddress }: { email: string; peerAddress: string },
): Promise<void> {
  const to = emailOf(email)
  await countRequestedMail(ctx, { to, peerAddress })
  await afterwards(ctx, async () => {
    const person = await findPersonByEmail(ctx.store, to)
    if (person === null) return
    const link = await makeLink(ctx, resetLinkOf(person))
    await sendNotice(ctx, resetNotice(to, link))
  })
}

/** Fails with `not_found` when the token is not that of a valid link for a new password. Leaves the link valid. */
export async function requireReset(ctx: Context, token: string): Promise<void> {
  await personOf(ctx, token)
}

/** What is stored of a link with which a person sets another password than the current one. */
export const resetLinkOf = (person: PersonDoc) =>
  ({ kind: 'reset', email: person.email, personId: person._id, passwordDigest: passwordDigest(person) }) as const

/** The person whose current password the link of a token replaces. Fails with `not_found`. */
async function personOf(ctx: Context, token: string): Promise<PersonDoc> {
  const link = await readLink(ctx, 'reset', token)
  const person = await findPerson(ctx.store, link.personId)
  if (person === null || passwordDigest(person) !== link.passwordDigest) throw unknownLink()
  return person
}

/**
 * Sets a new password by the token of a mailed link, which is valid until then. Fails with `validation_error` (password) and
 * `not_found` (the link is unknown, was used or has expired).
 */
export async function resetPassword(
  ctx: Context,
  { token, password, peerAddress }: { token: string; password: string; peerAddress: string },
): Promise<void> {
  requireGoodPassword(password)
  const person = await personOf(ctx, token)
  const passwordHash = await hashPassword(ctx, password)
  if (!(await setPassword(ctx, person, { passwordHash, peerAddress }))) throw unknownLink()
}

/**
 * Sets a new password for a signed-in person who knows the current one. Returns a new session, since all others end. Fails with
 * `validation_error` (password, or the current one is missing), `unauthorized` (the current one is wrong) and `rate_limited`.
 */
export async function changePassword(
  ctx: Context,
  { personId, principal }: Session,
  { password, currentPassword, ...asker }: Asker & { password: string; currentPassword: string | undefined },
): Promise<NewSession> {
  requireGoodPassword(password)
  if (currentPassword === undefined)
    throw new Failure('validation_error', 'A new password needs the current one.', {
      param: 'currentPassword',
      fix: 'Give "currentPassword" too; if it is forgotten, ask for a new one with POST /api/v1/people/reset.',
    })
  const { peerAddress } = asker
  const person = await requirePasswordOf(ctx, personId, { password: currentPassword, peerAddress })
  const passwordHash = await hashPassword(ctx, password)
  if (!(await setPassword(ctx, person, { passwordHash, peerAddress }))) throw wrongCurrentPassword()
  return createSessionUnder(ctx, { personId, passwordHash, accountId: principal?.accountId ?? null, ...asker })
}

/**
 * Replaces the password of a person, ends all sessions, and notifies the person by mail. Returns false if the password is not the same
 * any more. Links that replace the old password are void with it. Sessions end first, so that none is left if the process dies once the
 * password is set, and again afterwards, for those that begin meanwhile.
 */
async function setPassword(
  ctx: Context,
  { _id: personId, email, passwordHash: from }: PersonDoc,
  { passwordHash, peerAddress }: { passwordHash: string; peerAddress: string },
): Promise<boolean> {
  await endSessions(ctx, [personId])
  if ((await changePerson(ctx.store, personId, { passwordHash }, { passwordHash: from })) === null) return false
  await endSessions(ctx, [personId])
  await removeMailedLinks(ctx.store, { email, kind: 'reset' })
  const entry = { keyId: personId, action: 'people.password', target: null, outcome: 'done', address: peerAddress }
  for (const { id: accountId } of await accountsOf(ctx, personId)) await recordAudit(ctx, { ...entry, accountId })
  await afterwards(ctx, () => sendNotice(ctx, changedNotice(email, ctx.baseUrl)))
  return true
}
