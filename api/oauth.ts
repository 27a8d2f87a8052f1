/** The endpoints of the authorization server, and the metadata by which programs find them (RFC 8414, RFC 9728). */
import { resourceOf } from '../core/access/access-tokens.ts'
import { takeAnonymous } from '../core/access/request-rates.ts'
import { serveOauth, takeRegistration } from '../core/oauth/provider.ts'
import { oauthPaths } from '../core/oauth/request.ts'
import { periodsOf, secondsUntil } from '../core/process/clock.ts'
import { resourceMetadataPath } from '../operations/http.ts'
import { Failure } from '../schemas/failures.ts'
import { allScopes } from '../schemas/scopes.ts'
import { showRefusal } from './pages/consent.ts'
import type { Exchange, Route } from './routes.ts'

const { authorization, token, registration, revocation, jwks } = oauthPaths

const metadata = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']

export const oauthRoutes: readonly Route[] = [
  ...[authorization, `${authorization}/{request_id}`, jwks, ...metadata].map(
    (path): Route => ({ method: 'GET', path, serve }),
  ),
  ...[token, revocation].map((path): Route => ({ method: 'POST', path, serve })),
  { method: 'POST', path: registration, serve: register },
  ...['/.well-known/oauth-protected-resource', resourceMetadataPath].map(
    (path): Route => ({ method: 'GET', path, serve: showResource }),
  ),
]

async function serve(exchange: Exchange): Promise<void> {
  const { req, res, state } = exchange
  const { ctx, headers, peerAddress } = state
  await takeAnonymous(ctx, peerAddress)
  exchange.set(headers)
  exchange.respond = false
  try {
    await serveOauth({ ctx, req, res, peerAddress }, showRefusal)
  } catch (error) {
    exchange.respond = !res.headersSent
    throw error
  }
}

async function register(exchange: Exchange): Promise<void> {
  const { ctx, peerAddress } = exchange.state
  if (!(await takeRegistration(ctx, peerAddress))) {
    const now = ctx.clock.now()
    throw new Failure('rate_limited', 'Too many programs were registered from your network in this hour.', {
      retryAfter: secondsUntil(now, periodsOf(now).hourEnd),
    })
  }
  await serve(exchange)
}

/** RFC 9728 2. */
function showResource(exchange: Exchange): void {
  const { ctx } = exchange.state
  exchange.set('Access-Control-Allow-Origin', '*')
  exchange.body = {
    resource: resourceOf(ctx),
    authorization_servers: [ctx.baseUrl],
    scopes_supported: allScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Mailroom',
  }
}
