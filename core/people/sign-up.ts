/**
 * Sign-up. Invariants: nobody becomes a person whose address was not verified, so a stranger's sign-up takes nothing from the
 * owner of an address; what is answered and how long it takes is the same whether an address is known or not.
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
import { takeMail } from './mail-limits.ts'
import { makeLink, readLink, useLink } from './mailed-links.ts'
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
 * Mails a link to the address that ends the sign-up; to somebody who is here already, what to do instead. Fails with
 * `validation_error` (address, password) and `rate_limited` (mails to the address, or from the network).
 */
export async function signUp(ctx: Context, { email, password, name, peerAddress }: SignUp): Promise<void> {
  const to = emailOf(email)
  requireGoodPassword(password)
  await takeMail(ctx, { to, peerAddress })
  const passwordHash = await hashPassword(ctx, password)
  await afterwards(ctx, async () => {
    if ((await findPersonByEmail(ctx.store, to)) !== null) return sendNotice(ctx, knownNotice(to, ctx.baseUrl))
    const link = await makeLink(ctx, { kind: 'verify', email: to, name, passwordHash })
    await sendNotice(ctx, verificationNotice(to, link))
  })
}

/**
 * Signs up somebody who was invited, and lets them join the account: who has the invitation reads the mail of its address.
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

/** The address of a sign-up that waits for the link in its mail. Fails with `not_found`. */
export async function waitingSignUp(ctx: Context, token: string): Promise<string> {
  return (await readLink(ctx, 'verify', token)).email
}

/**
 * Expects the password of the sign-up that a mailed link ends: an address may have several, of which its owner made one. Returns
 * the address. Fails with `unauthorized` (another password), `not_found` (the link) and `rate_limited` (too many failed logins).
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

/** Ends a sign-up by the token of its mail. Returns the address. Fails with `not_found`. */
export async function verifyEmail(ctx: Context, token: string): Promise<string> {
  const link = await useLink(ctx, 'verify', token)
  if ((await insertNew(ctx, link)) === null)
    throw new Failure('not_found', 'There is a person with this address already.', {
      fix: 'Sign in, or ask for a new password.',
    })
  return link.email
}

/** Makes a person. Returns the id; null when the address is somebody's already. */
async function insertNew(
  ctx: Context,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<string | null> {
  const at = ctx.clock.now()
  const personId = newId('usr', at)
  const isNew = await insertPerson(ctx.store, { _id: personId, email, name, passwordHash, createdAt: at })
  // Other sign-ups of the address were asked for by nobody, or by somebody else.
  await removeMailedLinks(ctx.store, { email, kind: 'verify' })
  return isNew ? personId : null
}
