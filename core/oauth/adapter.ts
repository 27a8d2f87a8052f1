/**
 * The storage of oidc-provider. Invariants: codes, tokens and requests are stored under a hash as their id, with sealed content. A
 * second use of a code or a refresh token, even a concurrent one, ends the grant and everything that the first use got by it. A grant
 * is a key (core/access/access-tokens.ts), so that revoking it is enough. The library's sessions are not stored: ours identify the person.
 */
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Failure } from '../../schemas/failures.ts'
import { roles, type Scope } from '../../schemas/scopes.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { KeyDoc } from '../../store/documents/accounts.ts'
import * as store from '../../store/oauth.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import { artifactId, grantById } from '../access/access-tokens.ts'
import { recordAudit } from '../access/audit.ts'
import { endGrant } from '../access/grants.ts'
import { accountById } from '../access/known-callers.ts'
import { after, dayMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'
import { type OauthRequest, oauthPaths } from './request.ts'

type Serving = () => OauthRequest

/** How long an unused registration is kept. */
const clientMs = 30 * dayMs

/** The errors that the library receives from the adapter. */
export type Refusals = {
  /** For the second use of a code or a refresh token, and for a grant that ended meanwhile. */
  used(): Error
  /** While the database is unavailable. */
  away(cause: unknown): Error
}

/** Makes the adapter of a model, by its name. `serving` returns the request that is being served. */
export function adapterOf(serving: Serving, model: string, { used, away }: Refusals): Adapter {
  const adapter = modelOf(serving, model, used)
  const tell = (error: unknown) => {
    throw isAway(error) ? away(error) : error
  }
  return {
    ...adapter,
    upsert: (...given) => adapter.upsert(...given).catch(tell),
    find: (...given) => adapter.find(...given).catch(tell),
    consume: (...given) => adapter.consume(...given).catch(tell),
    destroy: (...given) => adapter.destroy(...given).catch(tell),
  }
}

function modelOf(serving: Serving, model: string, refuse: () => Error): Adapter {
  if (model === 'Client') return clients(serving)
  if (model === 'Grant') return grants(serving)
  if (model === 'Session') return nothing
  return artifacts(serving, model, refuse)
}

const none = async () => undefined
const nothing: Adapter = {
  upsert: none,
  find: none,
  findByUserCode: none,
  findByUid: none,
  consume: none,
  destroy: none,
  revokeByGrantId: none,
}

function artifacts(serving: Serving, model: string, refuse: () => Error): Adapter {
  return {
    ...nothing,
    async upsert(id, { jti: _, ...payload }, expiresIn = 0) {
      const { ctx } = serving()
      const { grantId, clientId } = payload
      const expiresAt = after(ctx.clock.now(), expiresIn * secondMs)
      const grant = grantId === undefined ? undefined : await liveGrant(ctx, grantId)
      // The grant was revoked while its token was made.
      if (grantId !== undefined && grant === null) throw refuse()
      await store.putArtifact(ctx.store, {
        _id: artifactId(model, id),
        ...(grant != null && { grantId: grant._id, accountId: grant.accountId }),
        sealed: toSealed(ctx.secrets.seal(JSON.stringify(payload), sealedFor.oauth)),
        expiresAt,
      })
      if (grant == null || (model !== 'AccessToken' && model !== 'RefreshToken')) return
      await store.prolongGrant(ctx.store, grant, expiresAt)
      if (clientId !== undefined) await store.keepClient(ctx.store, { id: clientId, until: after(expiresAt, clientMs) })
    },
    async find(id) {
      const { ctx } = serving()
      const found = await store.findArtifact(ctx.store, { id: artifactId(model, id), now: ctx.clock.now() })
      if (found === null) return undefined
      const payload = JSON.parse(ctx.secrets.open(fromBinary(found.sealed), sealedFor.oauth)) as AdapterPayload
      return { ...payload, jti: id, ...(found.consumedAt !== undefined && { consumed: true }) }
    },
    async consume(id) {
      const { ctx } = serving()
      const artifact = artifactId(model, id)
      if (await store.consumeArtifact(ctx.store, { id: artifact, at: ctx.clock.now() })) return
      const found = await store.findArtifact(ctx.store, { id: artifact, now: ctx.clock.now() })
      if (found?.grantId !== undefined) await end(serving(), found.grantId)
      throw refuse()
    },
    destroy: (id) => store.removeArtifact(serving().ctx.store, artifactId(model, id)),
  }
}

function clients(serving: Serving): Adapter {
  return {
    ...nothing,
    async upsert(id, metadata) {
      const { ctx } = serving()
      const createdAt = ctx.clock.now()
      const expiresAt = after(createdAt, clientMs)
      await store.insertClient(ctx.store, { _id: id, metadata: JSON.stringify(metadata), createdAt, expiresAt })
    },
    async find(id) {
      const { ctx } = serving()
      // A client id that is a URL has no registration: the library fetches its document.
      if (!id.startsWith('oac_')) return undefined
      const found = await store.findClient(ctx.store, { id, now: ctx.clock.now() })
      return found === null ? undefined : (JSON.parse(found.metadata) as AdapterPayload)
    },
  }
}

function grants(serving: Serving): Adapter {
  return {
    ...nothing,
    async upsert() {
      throw new Failure('internal_error', 'A grant is made on the consent page.')
    },
    async find(id) {
      const { ctx } = serving()
      const grant = await liveGrant(ctx, id)
      if (grant === null) return undefined
      const { program, expiresAt, createdAt } = grant
      const scope = (await scopesOf(ctx, grant)).join(' ')
      if (program === undefined || expiresAt === null || scope === '') return undefined
      return {
        jti: id,
        kind: 'Grant',
        accountId: program.personId,
        clientId: program.clientId,
        resources: { [program.resource]: scope },
        iat: seconds(createdAt),
        exp: seconds(expiresAt),
      }
    },
    destroy: (id) => end(serving(), id),
  }
}

/** Ends a grant, because the program revokes it or because a code or a token was used twice. */
async function end({ ctx, req, peerAddress: address }: OauthRequest, grantId: string): Promise<void> {
  const grant = await grantById(ctx, grantId)
  if (grant === undefined || !(await endGrant(ctx, { accountId: grant.accountId, grantId }))) return
  const outcome = req.url?.startsWith(oauthPaths.revocation) ? 'done' : 'reused'
  const { accountId, name: target } = grant
  await recordAudit(ctx, { accountId, keyId: grantId, action: 'grants.revoke', target, outcome, address })
}

async function liveGrant(ctx: Context, id: string): Promise<KeyDoc | null> {
  const grant = await grantById(ctx, id)
  if (grant === undefined || grant.revokedAt !== null) return null
  return grant.expiresAt !== null && grant.expiresAt <= ctx.clock.now() ? null : grant
}

/** The scopes of a grant that the person's current role includes. */
async function scopesOf(ctx: Context, { accountId, scopes, program }: KeyDoc): Promise<readonly Scope[]> {
  const account = await accountById(ctx, accountId)
  const role = account?.members?.find(({ personId }) => personId === program?.personId)?.role
  const allowed: readonly Scope[] = role === undefined ? [] : roles[role]
  return scopes.filter((scope) => allowed.includes(scope))
}

const seconds = (at: Date) => Math.floor(at.getTime() / secondMs)
