import { recordAudit } from '../core/access/audit.ts'
import { erasePerson } from '../core/people/erase-person.ts'
import * as invitations from '../core/people/invitations.ts'
import { leaveAccount as leave } from '../core/people/members.ts'
import { changePassword, requestReset, resetPassword as setForgotten } from '../core/people/password-change.ts'
import { rename, viewSession } from '../core/people/people.ts'
import { requirePasswordOf } from '../core/people/sign-in.ts'
import { signUp, signUpInvited, verifyEmail } from '../core/people/sign-up.ts'
import { Failure } from '../schemas/failures.ts'
import { Deleted, identifier } from '../schemas/fields.ts'
import { boolean, described, object, oneOf, optional, string } from '../schemas/infer.ts'
import { Email, LinkToken, Password, PersonName, Session } from '../schemas/people.ts'
import { pathOf, personOperation, publicOperation } from './registry.ts'
import { endedSessionCookie, sessionCookie } from './session-cookie.ts'

export const createPerson = publicOperation({
  name: 'people.create',
  summary:
    'Sign up as a person. The answer is the same whether or not the address is known; the next step comes by mail.',
  http: 'POST /api/v1/people',
  status: 202,
  input: object({
    email: Email,
    password: Password,
    name: PersonName,
    invitation: optional(
      string({
        maxLength: 200,
        description: 'Token of an invitation, which verifies its address and joins its account.',
      }),
    ),
  }),
  output: object({
    next: oneOf(['verify', 'sign_in'], { description: 'Open the link in the mail, or sign in.' }),
  }),
  errors: ['not_found', 'conflict', 'forbidden'],
  async handle({ ctx, peerAddress }, { invitation, ...person }) {
    if (invitation === undefined) await signUp(ctx, { ...person, peerAddress })
    else await signUpInvited(ctx, { ...person, invitation })
    return { next: invitation === undefined ? 'verify' : 'sign_in' }
  },
})

export const verifyPerson = publicOperation({
  name: 'people.verify',
  summary: 'Complete a sign-up with the token of the mailed link; the person can then sign in.',
  http: 'POST /api/v1/people/verify',
  input: object({ token: LinkToken }),
  output: object({ verified: boolean({ const: true }), email: string() }),
  errors: ['not_found'],
  async handle({ ctx }, { token }) {
    return { verified: true, email: await verifyEmail(ctx, token) }
  },
})

export const resetPassword = publicOperation({
  name: 'people.reset',
  summary:
    'With "email": ask for a link to choose a new password, mailed if the address is known. With "token" and "password": set it, which ends every session of the person.',
  http: 'POST /api/v1/people/reset',
  status: 202,
  otherwise: { status: 200, is: ({ status }) => status === 'changed' },
  input: object({ email: optional(Email), token: optional(LinkToken), password: optional(Password) }),
  output: object({ status: oneOf(['requested', 'changed']) }),
  errors: ['not_found'],
  async handle({ ctx, peerAddress }, { email, token, password }) {
    if (email !== undefined && token === undefined && password === undefined) {
      await requestReset(ctx, { email, peerAddress })
      return { status: 'requested' as const }
    }
    if (email === undefined && token !== undefined && password !== undefined) {
      await setForgotten(ctx, { token, password, peerAddress })
      return { status: 'changed' as const }
    }
    throw new Failure('validation_error', 'Either "email" is needed, or both "token" and "password".', {
      fix: 'Give "email" to receive a link by mail; then give the "token" of that link and the new "password".',
    })
  },
})

export const changeMe = personOperation({
  name: 'people.update',
  summary:
    'Change the name or password of the signed-in person. A new password needs the current one, and ends all other sessions.',
  http: 'PATCH /api/v1/people/me',
  input: object({
    name: optional(PersonName),
    password: optional(Password),
    currentPassword: optional(Password),
  }),
  output: Session,
  errors: [],
  async handle({ ctx, session, headers, peerAddress, userAgent }, { name, password, currentPassword }) {
    // The password comes first, so that a caller who does not know the current one changes nothing.
    const begun =
      password === undefined
        ? null
        : await changePassword(ctx, session, { password, currentPassword, peerAddress, userAgent })
    if (begun !== null) headers['Set-Cookie'] = sessionCookie(ctx, begun)
    if (name !== undefined) await rename(ctx, session.personId, name)
    return viewSession(ctx, begun?.session ?? session)
  },
})

export const acceptInvitation = personOperation({
  name: 'people.join',
  summary: 'Accept an invitation to an account; the session then acts on it.',
  http: 'POST /api/v1/people/invitation',
  input: object({ token: LinkToken }),
  output: Session,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, session }, { token }) {
    return viewSession(ctx, session, await invitations.acceptInvitation(ctx, session, token))
  },
})

export const leaveAccount = personOperation({
  name: 'people.leave',
  summary:
    'Leave an account, whatever your role. Your app passwords for it stop working, and programs that act in it for you are disconnected. The last owner cannot leave.',
  http: 'DELETE /api/v1/people/me/accounts/{account}',
  input: object({ account: identifier('Id of the account (acc_...).') }),
  output: Deleted,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal, session: { personId }, peerAddress }, { account: accountId }) {
    await leave(ctx, { accountId, personId })
    // `invoke` writes the entry if the session acts on this account; for another account it is written here.
    if (principal?.accountId !== accountId) {
      const target = pathOf(leaveAccount, { account: accountId })
      const entry = { keyId: personId, action: 'people.leave', target, outcome: 'done', address: peerAddress }
      await recordAudit(ctx, { accountId, ...entry })
    }
    return { deleted: true }
  },
})

export const eraseMe = personOperation({
  name: 'people.erase',
  summary: 'Erase the signed-in person permanently. The person has to leave or erase all their accounts first.',
  http: 'POST /api/v1/people/me/erase',
  input: object({ password: described('Password of the person who makes the request.', Password) }),
  output: Deleted,
  errors: ['conflict'],
  async handle({ ctx, session: { personId }, headers, peerAddress }, { password }) {
    await requirePasswordOf(ctx, personId, { password, peerAddress })
    await erasePerson(ctx, personId)
    headers['Set-Cookie'] = endedSessionCookie(ctx)
    return { deleted: true }
  },
})
