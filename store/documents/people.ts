/** Documents of people and their sessions. Times are Dates (UTC). */
import type { Binary } from 'mongodb'
import type { requestKinds, requestStates } from '../../schemas/requests.ts'
import type { Role } from '../../schemas/scopes.ts'

export type PersonDoc = {
  readonly _id: string
  /** In canonical form. Always verified: a person is created only once the address is. */
  readonly email: string
  readonly name: string
  /** Argon2id, as a PHC string. */
  readonly passwordHash: string
  readonly createdAt: Date
  /** When the erasure of the person, together with the last account, began. From then on nobody can sign in as this person. */
  readonly erasing?: Date
  /** When the erasure of a person who is in no account began; from then on the person can neither join nor claim an account. */
  readonly leaving?: Date
}

/** A member of an account. Kept in the account document, so that one conditional update can protect its last owner. */
export type MemberDoc = { readonly personId: string; readonly role: Role; readonly since: Date }

/** Where a request comes from: the network address, and the browser's User-Agent, which may be empty. */
export type Device = { readonly address: string; readonly userAgent: string }

export type SessionDoc = {
  readonly _id: string
  /** SHA-256 of the token in the cookie. */
  readonly hash: Binary
  readonly personId: string
  /** The account that the session acts on; null while the person has none. */
  readonly accountId: string | null
  readonly createdAt: Date
  readonly createdFrom: Device
  /** When the session was last used, to within a few minutes, and from which device. */
  readonly usedAt: Date
  readonly usedFrom: Device
  /** When the session ends, however much it is used. */
  readonly endsAt: Date
}

/** A link mailed to an address; whoever follows it can read that address's mail. `_id` is the SHA-256 of its token (base64url). */
export type MailedLinkDoc = SignUpDoc | ResetDoc | InvitationDoc
export type MailedLinkKind = MailedLinkDoc['kind']

type MailedLink<K extends string> = {
  readonly _id: string
  readonly kind: K
  /** In canonical form. */
  readonly email: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** A sign-up. The link creates the person, because only people with a verified address are stored as such. */
export type SignUpDoc = MailedLink<'verify'> & Pick<PersonDoc, 'name' | 'passwordHash'>
export type ResetDoc = MailedLink<'reset'> & {
  readonly personId: string
  /** Digest of the password hash that was valid when the link was made. The link is void once that hash is replaced. */
  readonly passwordDigest: string
}
export type InvitationDoc = MailedLink<'invitation'> & {
  readonly accountId: string
  readonly role: Role
  /** The id by which the owners of the account refer to the invitation. */
  readonly invitationId: string
  /** When the invited person began to join; absent before. */
  readonly acceptedAt?: Date
}

/** A request of a person to the administrator, for an account. */
export type AccountRequestDoc = {
  readonly _id: string
  readonly accountId: string
  readonly personId: string
  readonly kind: (typeof requestKinds)[number]
  readonly text: string
  /** The phone number to be confirmed, if the request is about one. */
  readonly phone: string | null
  readonly status: (typeof requestStates)[number]
  readonly answer: string | null
  readonly createdAt: Date
  readonly answeredAt: Date | null
  /** When it was answered, until the answer has been carried out; then absent again. */
  readonly following?: Date
  /** The administrator who answered it with a session; absent for the command line. */
  readonly answeredBy?: string
}
