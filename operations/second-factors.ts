import {
  addPasskey as add,
  beginPasskey,
  type Passkey as Known,
  listPasskeys as list,
  removePasskey as remove,
} from '../core/people/passkeys.ts'
import { viewSession } from '../core/people/people.ts'
import { beginTotp, confirmTotp, removeTotp as removeApp, secondFactorOf } from '../core/people/totp.ts'
import { Deleted, identifier } from '../schemas/fields.ts'
import { type Infer, object, optional } from '../schemas/infer.ts'
import {
  AppOrCodes,
  Credential,
  type Passkey,
  PasskeyName,
  PasskeyOrOptions,
  Passkeys,
  SecondFactor,
  SecondFactorCode,
} from '../schemas/second-factors.ts'
import { personOperation } from './registry.ts'

export const getTotp = personOperation({
  name: 'totp.get',
  summary: 'Whether signing in needs a code of an authenticator app, and how many recovery codes are left.',
  http: 'GET /api/v1/people/me/totp',
  input: object({}),
  output: SecondFactor,
  errors: [],
  async handle({ ctx, session }) {
    const found = await secondFactorOf(ctx, session.personId)
    if (found === null) return { enabled: false, recoveryCodesLeft: 0 }
    const { confirmedAt, recoveryCodesLeft } = found
    return { enabled: true, confirmedAt: confirmedAt.toISOString(), recoveryCodesLeft }
  },
})

export const setTotp = personOperation({
  name: 'totp.set',
  summary:
    'Without a code: returns a secret for an authenticator app. With a code of the app: signing in needs a code from then on, and ten recovery codes are returned.',
  http: 'POST /api/v1/people/me/totp',
  status: 201,
  input: object({ code: optional(SecondFactorCode) }),
  output: AppOrCodes,
  errors: ['conflict'],
  async handle({ ctx, session }, { code }) {
    const { personId } = session
    if (code !== undefined) return { recoveryCodes: await confirmTotp(ctx, { personId, code }) }
    const { person } = await viewSession(ctx, session)
    return beginTotp(ctx, { personId, label: person.email })
  },
})

export const removeTotp = personOperation({
  name: 'totp.remove',
  summary:
    'Remove the authenticator app, so that signing in needs no code. Needs a code of the app, or a recovery code; either is used up.',
  http: 'DELETE /api/v1/people/me/totp',
  input: object({ code: SecondFactorCode }),
  output: Deleted,
  errors: ['conflict'],
  async handle({ ctx, session }, { code }) {
    await removeApp(ctx, { personId: session.personId, code })
    return { deleted: true }
  },
})

export const listPasskeys = personOperation({
  name: 'passkeys.list',
  summary: 'The passkeys of the person.',
  http: 'GET /api/v1/people/me/passkeys',
  input: object({}),
  output: Passkeys,
  errors: [],
  async handle({ ctx, session }) {
    return { passkeys: (await list(ctx, session.personId)).map(passkeyRecord), next: null }
  },
})

export const createPasskey = personOperation({
  name: 'passkeys.create',
  summary:
    'Without a credential: returns the options for navigator.credentials.create. With its result, from the same session within ten minutes: stores the passkey.',
  http: 'POST /api/v1/people/me/passkeys',
  status: 201,
  otherwise: { status: 200, is: (output) => 'options' in output },
  input: object({ credential: optional(Credential), name: optional(PasskeyName) }),
  output: PasskeyOrOptions,
  errors: ['conflict', 'unprocessable'],
  async handle({ ctx, session }, { credential, name = 'Passkey' }) {
    const { id: binding, personId } = session
    if (credential !== undefined) return passkeyRecord(await add(ctx, { personId, name, binding, credential }))
    const { person } = await viewSession(ctx, session)
    const { email, name: displayName } = person
    return { options: await optionsOf(beginPasskey(ctx, { personId, email, name: displayName, binding })) }
  },
})

export const removePasskey = personOperation({
  name: 'passkeys.remove',
  summary: 'Remove a passkey.',
  http: 'DELETE /api/v1/people/me/passkeys/{passkey_id}',
  input: object({ passkey_id: identifier('Id of the passkey.') }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, session }, { passkey_id: id }) {
    await remove(ctx, { personId: session.personId, id })
    return { deleted: true }
  },
})

/** Options as JSON: without the fields that are undefined. */
export const optionsOf = async (options: Promise<object>): Promise<{ readonly [name: string]: unknown }> =>
  Object.fromEntries(Object.entries(await options).filter(([, value]) => value !== undefined))

function passkeyRecord({ id, name, createdAt, lastUsedAt }: Known): Infer<typeof Passkey> {
  return { id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null }
}
