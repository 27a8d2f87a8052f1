import * as sessions from '../core/access/sessions.ts'
import { beginPasskeySignIn } from '../core/people/passkeys.ts'
import { inSomeAccount, switchAccount, viewSession } from '../core/people/people.ts'
import { signIn, signInByPasskey } from '../core/people/sign-in.ts'
import { Failure } from '../schemas/failures.ts'
import { Deleted, identifier, pageSizeDefault, paging } from '../schemas/fields.ts'
import { newToken } from '../schemas/ids.ts'
import { boolean, described, object, optional } from '../schemas/infer.ts'
import { Email, Password, Session, Sessions } from '../schemas/people.ts'
import { PasskeyAnswer, PasskeyAttempt, SecondFactorCode } from '../schemas/second-factors.ts'
import { personOperation, publicOperation } from './registry.ts'
import { optionsOf } from './second-factors.ts'
import { endedSessionCookie, sessionCookie } from './session-cookie.ts'

export const beginPasskeySession = publicOperation({
  name: 'session.passkey',
  summary: 'Begin to sign in with a passkey: options for navigator.credentials.get, to be answered within ten minutes.',
  http: 'POST /api/v1/session/passkey',
  input: object({}),
  output: PasskeyAttempt,
  errors: ['unprocessable'],
  async handle({ ctx }) {
    const attempt = newToken()
    return { attempt, options: await optionsOf(beginPasskeySignIn(ctx, { binding: attempt })) }
  },
})

export const beginSession = publicOperation({
  name: 'session.begin',
  summary:
    'Sign in, which sets the session cookie. Give "email" and "password", and "code" if the person has an authenticator app; or "passkey" alone.',
  http: 'POST /api/v1/session',
  status: 201,
  input: object({
    email: optional(Email),
    password: optional(Password),
    code: optional(SecondFactorCode),
    passkey: optional(described('What a passkey answered: {attempt, credential}.', PasskeyAnswer)),
  }),
  output: Session,
  errors: ['unauthorized', 'unprocessable'],
  async handle({ ctx, headers, peerAddress, userAgent }, { email, password, code, passkey }) {
    const asker = { peerAddress, userAgent }
    const begin = () => {
      if (email !== undefined && password !== undefined && passkey === undefined)
        return signIn(ctx, { email, password, code, ...asker })
      if (email === undefined && password === undefined && code === undefined && passkey !== undefined)
        return signInByPasskey(ctx, { binding: passkey.attempt, credential: passkey.credential, ...asker })
      throw new Failure('validation_error', 'Either "email" and "password" are needed, or "passkey" alone.', {
        fix: 'Give "email" and "password", and "code" where the person has an authenticator app; or "passkey" alone.',
      })
    }
    const begun = await begin()
    headers['Set-Cookie'] = sessionCookie(ctx, begun)
    return viewSession(ctx, begun.session)
  },
})

export const listSessions = personOperation({
  name: 'sessions.list',
  summary: 'The sessions of the signed-in person, newest first.',
  http: 'GET /api/v1/sessions',
  input: object(paging),
  output: Sessions,
  errors: [],
  async handle({ ctx, session }, { limit = pageSizeDefault, ...rest }) {
    const { items, next } = await sessions.listSessions(ctx, session.personId, { limit, ...rest })
    return {
      sessions: items.map(({ id, createdAt, createdFrom, usedAt, usedFrom }) => ({
        id,
        createdAt: createdAt.toISOString(),
        createdFrom,
        usedAt: usedAt.toISOString(),
        usedFrom,
        current: id === session.id,
      })),
      next,
    }
  },
})

export const endOtherSession = personOperation({
  name: 'sessions.end',
  summary: 'End a session of the signed-in person at once.',
  http: 'DELETE /api/v1/sessions/{session_id}',
  input: object({ session_id: identifier('Id of the session (ses_...).') }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, session }, { session_id: sessionId }) {
    await sessions.endSessionOf(ctx, { personId: session.personId, sessionId })
    return { deleted: true }
  },
})

export const getSession = personOperation({
  name: 'session.get',
  summary: 'Who is signed in, in which account, and the X-CSRF-Token of the session.',
  http: 'GET /api/v1/session',
  input: object({}),
  output: Session,
  errors: [],
  handle: async ({ ctx, session }) => viewSession(ctx, await inSomeAccount(ctx, session)),
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
