/** What the authorization server serves, and where. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../process/context.ts'

export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** Where people are asked; the id of what they are asked about follows. */
export const consentPath = '/oauth/consent'

/** A request to one of its endpoints, or to one of our pages that asks it something. */
export type OauthRequest = {
  readonly ctx: Context
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly peerAddress: string
}
