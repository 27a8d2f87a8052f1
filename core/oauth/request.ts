/** The endpoints of the authorization server, and the requests to them. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../process/context.ts'

export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** The path of the consent page; the id of the request follows. */
export const consentPath = '/oauth/consent'

/** A request to an endpoint of the authorization server, or to one of our pages that uses it. */
export type OauthRequest = {
  readonly ctx: Context
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly peerAddress: string
}
