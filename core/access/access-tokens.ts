/**
 * Access tokens of programs (interface.md, Authentication 3). A grant, what a person let a program do, is a key that no
 * credential opens; a token names its grant, and may hold less than it. Invariant: a token is worth something as long as its
 * grant is, so that revoking the grant ends all tokens at once.
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

/** Under which id a code, a token or a request is kept: it tells nothing of the value. */
export const artifactId = (kind: string, value: string): string =>
  hashCredential(`${kind} ${value}`).toString('base64url')

/** Under which hash a grant is kept among the keys. It is keyed, so no credential has it. */
export const grantHash = (ctx: Pick<Context, 'secrets'>, grantId: string): Buffer =>
  ctx.secrets.tag(grantId, 'oauth grant')

/** The grant with an id; undefined without one, which may have ended. */
export const grantById = (ctx: Context, grantId: string): Promise<KeyDoc | undefined> =>
  keyByHash(ctx, grantHash(ctx, grantId).toString('base64'))

/** The token with a value and its grant, which may have ended; null when it is unknown, expired, or for another resource. */
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
