/**
 * Access tokens of programs (interface.md, Authentication 3). A grant, which records what a person allows a program to do, is a key
 * document that no credential matches; a token names its grant, and may have fewer scopes. Invariant: a token is valid only as long
 * as its grant is, so that revoking the grant ends all its tokens at once.
 */
import type { Scope } from '../../schemas/scopes.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { KeyDoc, ProgramDoc } from '../../store/documents/accounts.ts'
import { sealedFor } from '../../store/sealed.ts'
import type { Context } from '../process/context.ts'
import { hashCredential } from '../process/secrets.ts'
import { artifactById, keyByHash } from './known-callers.ts'

export const accessTokenPrefix = 'svc_oat_'

export type AccessToken = {
  readonly grant: KeyDoc
  readonly program: ProgramDoc
  readonly scopes: readonly Scope[]
}

/** The only audience of access tokens: the MCP endpoint (RFC 8707). */
export const resourceOf = ({ baseUrl }: Pick<Context, 'baseUrl'>): string => `${baseUrl}/api/mcp`

/** The id under which a code, a token or a request is stored: it reveals nothing about the value. */
export const artifactId = (kind: string, value: string): string =>
  hashCredential(`${kind} ${value}`).toString('base64url')

/** The hash under which a grant is stored among the keys. It is a keyed digest, so no credential has the same hash. */
export const grantHash = (ctx: Pick<Context, 'secrets'>, grantId: string): Buffer =>
  ctx.secrets.tag(grantId, 'oauth grant')

/** The grant with an id, which may have ended; undefined when there is none. */
export const grantById = (ctx: Context, grantId: string): Promise<KeyDoc | undefined> =>
  keyByHash(ctx, grantHash(ctx, grantId).toString('base64'))

/** The token with a value, and its grant, which may have ended. Null when the token is unknown, expired, or for another resource. */
export async function findAccessToken(ctx: Context, value: string): Promise<AccessToken | null> {
  const artifact = await artifactById(ctx, artifactId('AccessToken', value))
  if (artifact?.grantId === undefined || artifact.expiresAt <= ctx.clock.now()) return null
  const { aud, scope = '' } = JSON.parse(ctx.secrets.open(fromBinary(artifact.sealed), sealedFor.oauth)) as {
    readonly aud?: string
    readonly scope?: string
  }
  const grant = await grantById(ctx, artifact.grantId)
  if (grant?.program === undefined || aud !== resourceOf(ctx) || grant.program.resource !== aud) return null
  return { grant, program: grant.program, scopes: scope.split(' ') as Scope[] }
}
