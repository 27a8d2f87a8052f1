/**
 * Sign-up. Invariants: a person exists only once the address is verified, so a stranger's sign-up takes nothing from the owner of an
 * address; the answer and the time it takes are the same whether the address is a person's or not.
 */
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { removeMailedLinks } from '../../store/mailed-links.ts'
import { findPersonByEmail, insertPerson } from '../../store/people.ts'
import { limitLogins } from '../access/login-limits.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { afterwards } from './afterwards.ts'
import { joinByInvitation } from './invitations.ts'
import { countRequestedMail } from './mail-limits.ts'
import { makeLink, readLink } from './mailed-links.ts'
import { knownNotice, verificationNotice } from './notices.ts'
import { hashPassword, isPassword, requireGoodPassword } from './passwords.ts'
import { emailOf } from './people.ts'

export type SignUp = {
  readonly email: string
  readonly password: string
  readonly name: string
  readonly peerAddress: string
}

/**
 * Mails to the address a link that completes the sign-up, or, if the address is a person's already, what to do instead. Fails with
 * `validation_error` (address, password) and `rate_limited` (mails to the address, or from the network).
 */
export async function signUp(ctx: Context, { email, password, name, peerAddress }: SignUp): Promise<void> {
  const to = emailOf(email)
  requireGoodPassword(password)
  await countRequestedMail(ctx, { to, peerAddress })
  const passwordHash = await hashPassword(ctx, password)
  await afterwards(ctx, async () => {
    if ((await findPersonByEmail(ctx.store, to)) !== null) return sendNotice(ctx, knownNotice(to, ctx.baseUrl))
    const link = await makeLink(ctx, { kind: 'verify', email: to, name, passwordHash })
    await sendNotice(ctx, verificationNotice(to, link))
  })
}

/**
 * Signs up an invited person, who joins the account. The address needs no other proof, since only its mail contains the invitation.
 * Fails with `validation_error` (password, another address than that of the invitation), `not_found` (the invitation),
 * `conflict` (the address is a person's already, or the account has no room).
 */
export async function signUpInvited(
  ctx: Context,
  { email, password, name, invitation }: Omit<SignUp, 'peerAddress'> & { readonly invitation: string },
): Promise<void> {
  requireGoodPassword(password)
  const link = await readLink(ctx, 'invitation', invitation)
  if (emailOf(email) !== link.email)
    throw new Failure('validation_error', 'The invitation was sent to another address.', {
      param: 'email',
      fix: 'Give the address that the invitation was mailed to.',
    })
  const passwordHash = await hashPassword(ctx, password)
  const personId = await insertNew(ctx, { email: link.email, name, passwordHash })
  if (personId === null)
    throw new Failure('conflict', 'There is a person with this address already.', {
      fix: 'Sign in, and accept the invitation then.',
    })
  await joinByInvitation(ctx, { personId, email: link.email, token: invitation })
}

/** The address of the sign-up that a mailed link completes. Leaves the link valid. Fails with `not_found`. */
export async function waitingSignUp(ctx: Context, token: string): Promise<string> {
  return (await readLink(ctx, 'verify', token)).email
}

/**
 * Checks the password of the sign-up that a mailed link completes: an address may have several sign-ups, not all made by its owner.
 * Returns the address. Fails with `unauthorized` (wrong password), `not_found` (the link) and `rate_limited` (too many failed logins).
 */
export async function requireSignUpPassword(
  ctx: Context,
  { token, password, peerAddress }: { token: string; password: string; peerAddress: string },
): Promise<string> {
  const { email, passwordHash } = await readLink(ctx, 'verify', token)
  await limitLogins(ctx, { peerAddress, user: email }, async () => {
    if (await isPassword(ctx, password, passwordHash)) return
    throw new Failure('unauthorized', 'This is not the password of this sign-up.', {
      fix: 'Give the password that you chose when you signed up. If you signed up several times, open the link in the newest mail.',
    })
  })
  return email
}

/**
 * Completes a sign-up by the token of its mail, which is valid until the person exists. Returns the address. Fails with
 * `not_found`.
 */
export async function verifyEmail(ctx: Context, token: string): Promise<string> {
  const link = await readLink(ctx, 'verify', token)
  if ((await insertNew(ctx, link)) === null)
    throw new Failure('not_found', 'There is a person with this address already.', {
      fix: 'Sign in, or ask for a new password.',
    })
  return link.email
}

/** Makes a person. Returns the id; null when the address is a person's already. */
async function insertNew(
  ctx: Context,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<string | null> {
  const at = ctx.clock.now()
  const personId = newId('usr', at)
  const isNew = await insertPerson(ctx.store, { _id: personId, email, name, passwordHash, createdAt: at })
  // All other sign-ups of the address are void.
  await removeMailedLinks(ctx.store, { email, kind: 'verify' })
  return isNew ? personId : null
}
