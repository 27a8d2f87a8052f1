/**
 * The authorization server (OAuth 2.1): `oidc-provider`, configured for what Mailroom allows: public clients and clients with a key of
 * their own, authorization codes with PKCE, one resource, opaque tokens. The library speaks the protocol; consent and grants are ours
 * (core/oauth/consent.ts).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createPrivateKey } from 'node:crypto'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { newId } from '../../schemas/ids.ts'
import { allScopes, signupScopes } from '../../schemas/scopes.ts'
import { accessTokenPrefix, resourceOf } from '../access/access-tokens.ts'
import { networkOf } from '../access/network.ts'
import { takeUsage } from '../access/usage.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { type ProcessContext, perProcess } from '../process/per-process.ts'
import { newCredential } from '../process/secrets.ts'
import { adapterOf } from './adapter.ts'
import { DocumentAway, fetchDocument, namesDocument, takeDocumentFetch } from './client-documents.ts'
import { completeMetadata, flows } from './client-rules.ts'
import { consentPath, type OauthRequest, oauthPaths } from './request.ts'

/** The default scopes of a program that names none, and those it is advised to ask for first. */
export const initialScopes = signupScopes

const documentBytes = 5 * 1024
const policyHeader = 'Content-Security-Policy'
const awayText = 'the database is unavailable right now; try again later'
const documentAwayText = 'the metadata document of the program cannot be fetched right now; try again later'
const lifetimes = {
  accessToken: hourMs / secondMs,
  refreshToken: (30 * dayMs) / secondMs,
  code: (5 * minuteMs) / secondMs,
  interaction: hourMs / secondMs,
}

/** Shows the person why a request is refused, when the refusal cannot be sent to the program. */
export type ShowRefusal = (
  koa: KoaContextWithOIDC,
  refusal: { readonly code: string; readonly description: string | null },
) => void

type Library = typeof import('oidc-provider')
const loadLibrary = loadOnce(() => import('oidc-provider'))

type Served = OauthRequest & { readonly showRefusal: ShowRefusal | null }

/** The request that is being served: the library does not pass it to our callbacks. */
const serving = new AsyncLocalStorage<Served>()

function served(): Served {
  const request = serving.getStore()
  if (request === undefined) throw new Error('The authorization server was called outside of a request.')
  return request
}

const servers = perProcess(async (process) => {
  const provider = createProvider(process, await loadLibrary())
  return { provider, listener: provider.callback() }
})

/** Serves a request to one of the endpoints or for the metadata (RFC 8414). Resolves when it is answered. */
export async function serveOauth(request: OauthRequest, showRefusal: ShowRefusal): Promise<void> {
  const { listener } = await servers(request.ctx)
  await serving.run({ ...request, showRefusal }, () => listener(request.req, request.res))
}

/** Calls `ask` with the authorization server, for a request to one of our pages. */
export async function withProvider<T>(request: OauthRequest, ask: (provider: Provider) => Promise<T>): Promise<T> {
  const { provider } = await servers(request.ctx)
  return serving.run({ ...request, showRefusal: null }, () => ask(provider))
}

/** Counts a registration of a program. Returns false past the limit. */
export function takeRegistration(ctx: Context, peerAddress: string): Promise<boolean> {
  return takeUsage(ctx, {
    owner: `oauth:${networkOf(peerAddress)}`,
    period: 'hour',
    counter: 'registrations',
    by: 1,
    limit: ctx.settings.limits.oauth.registrationsPerNetworkPerHour,
  })
}

function createProvider(process: ProcessContext, library: Library): Provider {
  const { baseUrl } = process
  const provider = new library.Provider(baseUrl, configurationOf(process, library))
  // URLs and cookies follow the base URL, whatever host a request names.
  const { pathname, protocol, host } = new URL(baseUrl)
  const mountPath = pathname.replace(/\/$/, '')
  for (const [name, value] of Object.entries({ href: baseUrl, protocol: protocol.slice(0, -1), host }))
    Object.defineProperty(provider.request, name, { get: () => value })
  Object.defineProperty(provider.request, 'secure', { get: () => protocol === 'https:' })
  keepThroughOutage(provider, library)
  Object.defineProperty(provider.AccessToken.prototype, 'generateTokenId', {
    value: function generateTokenId(this: { format: string }) {
      this.format = 'opaque'
      return newCredential(accessTokenPrefix)
    },
  })
  provider.use(async (koa, next) => {
    Object.assign(koa.req, { baseUrl: mountPath })
    // The library adds the hash of its script, which submits the form of a response by POST, only to an existing script-src.
    koa.set(policyHeader, `${koa.response.get(policyHeader)}; script-src`)
    await next()
    const { route } = (koa as KoaContextWithOIDC).oidc ?? {}
    if (route === 'discovery') Object.assign(koa.body as object, { scopes_supported: allScopes })
  })
  // Errors are reported by `server_error`, not on the console.
  provider.silent = true
  observe(provider)
  return provider
}

/**
 * Makes a program whose document cannot be fetched try again later when it exchanges or revokes a token. For the library it is an
 * invalid client, which forgets its tokens, so that its person would have to connect it once more.
 */
function keepThroughOutage({ Client }: Provider, { errors }: Library): void {
  const { find } = Client
  Client.find = async (id) => {
    try {
      return await find.call(Client, id)
    } catch (error) {
      const isOutage = error instanceof Error && error.cause instanceof DocumentAway
      throw isOutage && holdsTokens(served()) ? temporarily(errors, documentAwayText, error) : error
    }
  }
}

/** Whether a request comes from a program that already has a code or a token. */
const holdsTokens = ({ req: { url = '' } }: OauthRequest) =>
  url.startsWith(oauthPaths.token) || url.startsWith(oauthPaths.revocation)

const temporarily = ({ TemporarilyUnavailable }: Library['errors'], why: string, cause: unknown) =>
  Object.assign(new TemporarilyUnavailable(why, { cause: cause as Error }), { status: 503, statusCode: 503 })

/** Handles events of the library. */
function observe(provider: Provider): void {
  // The library's session, which names the signed-in person, is for this answer alone and leaves no cookie.
  provider.on('interaction.ended', (koa) => {
    Object.assign(koa.oidc.session ?? {}, { destroyed: true })
  })
  provider.on('server_error', (_koa, error) =>
    serving.getStore()?.ctx.log.error({ err: error }, 'an OAuth request failed'),
  )
}

function configurationOf(process: ProcessContext, { errors, interactionPolicy }: Library): Configuration {
  const { baseUrl, secrets } = process
  const resource = resourceOf(process)
  const refusals = {
    used: () => new errors.InvalidGrant('it was used before, or its grant was revoked; the grant has ended'),
    away: (cause: unknown) => temporarily(errors, awayText, cause),
  }
  const requireResource = (asked: string | undefined) => {
    if (asked !== resource) throw new errors.InvalidTarget(`the only resource here is ${resource}`)
    return resource
  }
  const { Check, Prompt } = interactionPolicy
  // RFC 6749 3.3: a request without a scope gets the default; one that names only unknown scopes is refused.
  const scopeAsked = (asked: unknown = initialScopes.join(' ')): string => {
    const named = String(asked).split(' ')
    if (allScopes.some((scope) => named.includes(scope))) return named.join(' ')
    throw new errors.InvalidScope(
      `none of these is a known scope; the scopes are ${allScopes.join(' ')}`,
      named.join(' '),
    )
  }
  const mustAsk = new Check('not_asked', 'the person has to be asked', 'consent_required', (koa) => {
    return koa.oidc.result?.consent === undefined
  })
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const
  return {
    adapter: (model: string) => adapterOf(served, model, refusals),
    clients: [],
    jwks: { keys: [signingKey(secrets)] },
    enabledJWA: { idTokenSigningAlgValues: ['Ed25519'] },
    clientDefaults: {
      grant_types: [...flows.grant_types],
      response_types: [...flows.response_types],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'Ed25519',
      // `completeMetadata` sets it where the metadata do not. Null, because the library ignores a default of undefined.
      application_type: null as unknown as undefined,
    },
    clientAuthMethods: ['none', 'private_key_jwt'],
    responseTypes: [...flows.response_types],
    scopes: [],
    claims: {},
    routes: oauthPaths,
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    cookies: {
      keys: [secrets.tag('cookies', 'oauth').toString('base64url')],
      names: { session: 'mailroom_oauth', interaction: 'mailroom_consent', resume: 'mailroom_resume' },
      short: { ...cookie, secure: baseUrl.startsWith('https:') },
      long: { ...cookie, secure: baseUrl.startsWith('https:') },
    },
    ttl: {
      AuthorizationCode: lifetimes.code,
      AccessToken: lifetimes.accessToken,
      RefreshToken: lifetimes.refreshToken,
      Interaction: lifetimes.interaction,
      Session: lifetimes.interaction,
    },
    findAccount: (_koa, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    loadExistingGrant: async (koa) => {
      const { grantId } = koa.oidc.result?.consent ?? {}
      return grantId === undefined ? undefined : koa.oidc.provider.Grant.find(grantId)
    },
    expiresWithSession: async () => false,
    issueRefreshToken: async (_koa, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    interactions: {
      policy: [
        // A program cannot request a new sign-in: the person who is signed in here decides.
        new Prompt({ name: 'login', requestable: false }),
        new Prompt({ name: 'consent', requestable: true }, mustAsk),
      ],
      url: (_koa, { uid }) => `${new URL(baseUrl).pathname.replace(/\/$/, '')}${consentPath}/${uid}`,
    },
    extraClientMetadata: {
      // Any one name makes the library call the validator once.
      properties: ['software_id'],
      validator: (koa, _key, _value, metadata) => {
        const wrong = completeMetadata(metadata)
        // The library derives the code of the error from the field that the text begins with.
        if (wrong !== null) throw new errors.InvalidClientMetadata(wrong)
        // A registration gets no secret (RFC 7591 3.2.1: the server may replace what was asked for).
        if (koa?.oidc.route !== 'registration') return
        metadata.token_endpoint_auth_method = 'none'
        delete metadata.client_secret
        delete metadata.client_secret_expires_at
      },
    },
    fetch: (url, options) => fetchDocument(served().ctx, String(url), options ?? {}),
    fetchResponseBodyLimits: { 'client_id metadata document': documentBytes },
    renderError: (koa, { error, error_description: description = null }) =>
      served().showRefusal?.(koa, { code: error, description }),
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_koa, client, token) => token.clientId === client.clientId },
      registration: {
        enabled: true,
        idFactory: () => newId('oac', served().ctx.clock.now()),
        issueRegistrationAccessToken: false,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        cacheDuration: { min: 0, max: dayMs / secondMs },
        allowFetch: async (_koa, clientId) => {
          const { ctx, peerAddress } = served()
          if (!namesDocument(clientId)) return false
          const isAllowed = await takeDocumentFetch(ctx, peerAddress)
          if (!isAllowed && holdsTokens(served())) throw temporarily(errors, documentAwayText, undefined)
          return isAllowed
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_koa, _client, oneOf) => requireResource(oneOf?.find((each) => each === resource)),
        useGrantedResource: () => true,
        getResourceServerInfo: (koa, asked) => {
          requireResource(asked)
          if (koa.oidc.route === 'authorization' && koa.oidc.params !== undefined)
            koa.oidc.params.scope = scopeAsked(koa.oidc.params.scope)
          return { scope: allScopes.join(' '), audience: resource, accessTokenFormat: 'opaque' }
        },
      },
    },
  }
}

/**
 * The key that the metadata names, because OpenID clients insist on one; nothing is signed with it. All processes derive the same key
 * from the shared digest key.
 */
function signingKey({ tag }: ProcessContext['secrets']) {
  // RFC 8410 7: an Ed25519 key in PKCS #8 is this prefix and the seed.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), tag('Ed25519', 'oauth key')])
  const jwk = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
  return { ...jwk, use: 'sig', alg: 'Ed25519' }
}
