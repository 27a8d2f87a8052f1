import * as sessions from '../core/access/sessions.ts'
import { switchAccount, viewSession } from '../core/people/people.ts'
import { signIn } from '../core/people/sign-in.ts'
import { identifier } from '../schemas/fields.ts'
import { boolean, object, optional, string } from '../schemas/infer.ts'
import { Email, Password, Session } from '../schemas/people.ts'
import { personOperation, publicOperation } from './registry.ts'
import { endedSessionCookie, sessionCookie } from './session-cookie.ts'

export const beginSession = publicOperation({
  name: 'session.begin',
  summary: 'Sign in: sets the cookie of a session.',
  http: 'POST /api/v1/session',
  status: 201,
  input: object({
    email: Email,
    password: Password,
    code: optional(string({ maxLength: 100, description: 'Of the authenticator app, or a recovery code.' })),
  }),
  output: Session,
  errors: ['unauthorized'],
  async handle({ ctx, headers, peerAddress }, given) {
    const begun = await signIn(ctx, { ...given, peerAddress })
    headers['Set-Cookie'] = sessionCookie(ctx, begun)
    return viewSession(ctx, begun.session)
  },
})

export const getSession = personOperation({
  name: 'session.get',
  summary: 'Who is signed in, in which account, and the X-CSRF-Token of the session.',
  http: 'GET /api/v1/session',
  input: object({}),
  output: Session,
  errors: [],
  handle: ({ ctx, session }) => viewSession(ctx, session),
})

export const switchSession = personOperation({
  name: 'session.switch',
  summary: 'Let the session act on another account of the person.',
  http: 'PATCH /api/v1/session',
  input: object({ account: identifier('Id of the account (acc_...).') }),
  output: Session,
  errors: ['not_found'],
  handle: ({ ctx, session }, { account }) => switchAccount(ctx, session, account),
})

export const endSession = personOperation({
  name: 'session.end',
  summary: 'Sign out: the session ends at once.',
  http: 'DELETE /api/v1/session',
  input: object({}),
  output: object({ signedOut: boolean({ const: true }) }),
  errors: [],
  async handle({ ctx, session, headers }) {
    await sessions.endSession(ctx, session)
    headers['Set-Cookie'] = endedSessionCookie(ctx)
    return { signedOut: true }
  },
})
