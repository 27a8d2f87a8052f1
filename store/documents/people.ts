/** Documents of people and their sessions. Times are Dates (UTC). */
import type { Binary } from 'mongodb'
import type { requestKinds, requestStates } from '../../schemas/requests.ts'
import type { Role } from '../../schemas/scopes.ts'

export type PersonDoc = {
  readonly _id: string
  /** In canonical form. It was verified: nobody is here whose address was not. */
  readonly email: string
  readonly name: string
  /** Argon2id, as a PHC string. */
  readonly passwordHash: string
  readonly createdAt: Date
  /** Since when the person is being erased, with the last account: nobody signs in as one who is. */
  readonly erasing?: Date
}

/** A person in an account, kept in the document of the account: one conditional update guards its last owner. */
export type MemberDoc = { readonly personId: string; readonly role: Role; readonly since: Date }

/** What somebody asks with: the network address, and what the browser calls itself (User-Agent), which may be empty. */
export type Device = { readonly address: string; readonly userAgent: string }

export type SessionDoc = {
  readonly _id: string
  /** SHA-256 of the token in the cookie. */
  readonly hash: Binary
  readonly personId: string
  /** The account it acts on; null while the person has none. */
  readonly accountId: string | null
  readonly createdAt: Date
  readonly createdFrom: Device
  /** When it was used last, to within a few minutes, and with what. */
  readonly usedAt: Date
  readonly usedFrom: Device
  /** When it ends however much it is used. */
  readonly endsAt: Date
}

/** A link that was mailed to an address; who has it has read the mail. `_id` is the SHA-256 of its token (base64url). */
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

/** The person that the link makes: nobody is kept whose address is not verified. */
export type SignUpDoc = MailedLink<'verify'> & Pick<PersonDoc, 'name' | 'passwordHash'>
export type ResetDoc = MailedLink<'reset'> & { readonly personId: string }
export type InvitationDoc = MailedLink<'invitation'> & {
  readonly accountId: string
  readonly role: Role
  /** What the owners of the account call it by. */
  readonly invitationId: string
}

/** What a person asks of the administrator for an account. */
export type AccountRequestDoc = {
  readonly _id: string
  readonly accountId: string
  readonly personId: string
  readonly kind: (typeof requestKinds)[number]
  readonly text: string
  /** To be confirmed. */
  readonly phone: string | null
  readonly status: (typeof requestStates)[number]
  readonly answer: string | null
  readonly createdAt: Date
  readonly answeredAt: Date | null
}
