/** Second factors and passkeys of a person as callers see them (decisions.md 2, People). */
import { nameLine, page } from './fields.ts'
import {
  anyOf,
  array,
  boolean,
  integer,
  nullable,
  object,
  optional,
  record,
  type Schema,
  string,
  timestamp,
} from './infer.ts'

export const SecondFactor = object({
  enabled: boolean({ description: 'Whether signing in with the password also needs a code.' }),
  confirmedAt: optional(timestamp()),
  recoveryCodesLeft: integer({ minimum: 0 }),
})

export const AppSecret = object({
  secret: string({ description: 'For the authenticator app, in base32.' }),
  uri: string({ description: 'The same as an otpauth:// URI, for a QR code.' }),
})
export const RecoveryCodes = object({
  recoveryCodes: array(string(), { description: 'Ten single-use codes, shown once; older ones are void.' }),
})
export const AppOrCodes = anyOf([AppSecret, RecoveryCodes])

export const SecondFactorCode = string({
  maxLength: 100,
  description: 'Six digits that the authenticator app shows, or a recovery code.',
})

const Json = record({} as Schema)
export const Credential = {
  ...Json,
  description: 'The result of navigator.credentials, in the form of PublicKeyCredential.toJSON().',
}
const passkeyNameMax = 60
export const PasskeyName = nameLine(passkeyNameMax, 'Laptop', { description: 'Name of the passkey in lists.' })
export const Passkey = object({
  id: string(),
  name: string(),
  createdAt: timestamp(),
  lastUsedAt: nullable(timestamp()),
})
export const Passkeys = page('passkeys', Passkey)
export const PasskeyOptions = object({ options: { ...Json, description: 'For navigator.credentials, as JSON.' } })
export const PasskeyOrOptions = anyOf([Passkey, PasskeyOptions])
export const PasskeyAnswer = object({
  attempt: string({ maxLength: 100, description: 'As returned by POST /api/v1/session/passkey.' }),
  credential: Credential,
})
export const PasskeyAttempt = object({
  attempt: string({ description: 'Send it back with the credential.' }),
  options: { ...Json, description: 'For navigator.credentials.get, as JSON.' },
})
