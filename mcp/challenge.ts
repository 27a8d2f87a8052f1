/** Tells a client of the MCP endpoint that it must authorise, or needs more scopes (RFC 6750 3, RFC 9728 5.1). */
import { isProgram, type Principal } from '../core/access/principal.ts'
import { initialScopes } from '../core/oauth/provider.ts'
import type { Context } from '../core/process/context.ts'
import { countRequest, hasCredential } from '../operations/admit.ts'
import { type McpRequest, resourceMetadataPath } from '../operations/http.ts'
import { Failure } from '../schemas/failures.ts'
import type { Scope } from '../schemas/scopes.ts'

const credentialCodes = [
  'missing_api_key',
  'invalid_api_key',
  'api_key_expired',
  'invalid_access_token',
  'unauthorized',
] as const

/** Fails as `admit` did; if the credential was refused, the failure says how to get another. */
export function challenge(
  { ctx, headers, pathKey }: Pick<McpRequest, 'ctx' | 'headers' | 'pathKey'>,
  error: unknown,
): never {
  const code = error instanceof Failure ? credentialCodes.find((each) => each === error.code) : undefined
  if (!(error instanceof Failure) || code === undefined) throw error
  const { message, fix, detail } = error
  const why = pathKey !== undefined || hasCredential(headers) ? 'invalid_token' : null
  throw new Failure(code, message, { ...detail, fix, challenge: challengeOf(ctx, why, initialScopes) })
}

/**
 * Fails with `insufficient_scope` if a program lacks a scope that its request needs: its person may grant more. The challenge also
 * names the scopes that the program has, so that it keeps them. A key, whose scopes never change, gets the refusal of the operation.
 */
export async function requireScopes(
  { ctx, answerHeaders }: Pick<McpRequest, 'ctx' | 'answerHeaders'>,
  principal: Principal,
  needed: readonly Scope[],
): Promise<void> {
  if (!isProgram(principal)) return
  const missing = needed.find((scope) => !principal.scopes.includes(scope))
  if (missing === undefined) return
  await countRequest(ctx, principal, answerHeaders)
  const all = [...new Set([...principal.scopes, ...needed])]
  throw new Failure('insufficient_scope', `This access token lacks the scope ${missing}, which the request needs.`, {
    requiredScope: missing,
    fix: 'Authorise again with the scopes that WWW-Authenticate names; a person of the account grants them.',
    challenge: challengeOf(ctx, 'insufficient_scope', all),
  })
}

function challengeOf(
  { baseUrl }: Context,
  error: 'invalid_token' | 'insufficient_scope' | null,
  scopes: readonly Scope[],
): string {
  const parts = {
    ...(error !== null && { error }),
    resource_metadata: `${baseUrl}${resourceMetadataPath}`,
    scope: scopes.join(' '),
  }
  return `Bearer ${Object.entries(parts)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}
