/**
 * Sessions of people who signed in. Only a hash of the token in the cookie is stored. A session ends by sign-out, after a time without
 * use, at the end of its lifetime, and when the password changes; every process is notified at once.
 */
import { timingSafeEqual } from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { toBinary } from '../../store/bytes.ts'
import type { Device, SessionDoc } from '../../store/documents/people.ts'
import * as store from '../../store/people.ts'
import { after, dayMs, hourMs, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { hashCredential, newCredential } from '../process/secrets.ts'
import { accountById, callersChanged, forgetCallers, sessionByHash } from './known-callers.ts'
import { type Page, pageOf, readIdCursor } from './paging.ts'
import { memberPrincipal, type Principal } from './principal.ts'

/** A person who is signed in. */
export type Session = {
  readonly id: string
  /** The hash of the token, by which the database finds the session. */
  readonly hash: SessionDoc['hash']
  readonly personId: string
  /**
   * The token that our pages add to each request that changes something, and that a page of another site cannot know. It differs for
   * each account, so that a page that still shows a previous account changes nothing in the one that the session acts on now.
   */
  readonly csrfToken: string
  /** The person in the account that the session acts on; null while there is none. */
  readonly principal: Principal | null
}

/** A session that just began. The token goes into the cookie and is never shown again. */
export type NewSession = { readonly session: Session; readonly token: string; readonly endsAt: Date }

/** A session as its person sees it in the list of sessions. */
export type OpenSession = Pick<SessionDoc, 'createdAt' | 'createdFrom' | 'usedAt' | 'usedFrom'> & {
  readonly id: string
}

/** The client that sent a request: its network address and what it says of itself. */
export type Asker = { readonly peerAddress: string; readonly userAgent: string }

/** The use of a session is recorded at most this often. */
const notedMs = 5 * minuteMs

/** Begins a session of a person; it acts on the account, if one is given. */
export async function createSession(
  ctx: Context,
  { personId, accountId, ...asker }: Asker & { personId: string; accountId: string | null },
): Promise<NewSession> {
  const at = ctx.clock.now()
  const from = deviceOf(asker)
  const token = newCredential('')
  const doc: SessionDoc = {
    _id: newId('ses', at),
    hash: toBinary(hashCredential(token)),
    personId,
    accountId,
    createdAt: at,
    createdFrom: from,
    usedAt: at,
    usedFrom: from,
    endsAt: after(at, ctx.settings.sessions.days * dayMs),
  }
  await store.insertSession(ctx.store, doc)
  return { session: await sessionFrom(ctx, doc), token, endsAt: doc.endsAt }
}

/**
 * The session of a token; null when there is none, or it has ended. Records its use by `asker`; null when an ongoing request only
 * checks that its session still lasts, which is no use.
 */
export async function findSession(ctx: Context, token: string, asker: Asker | null): Promise<Session | null> {
  const doc = await sessionByHash(ctx, hashCredential(token).toString('base64'))
  const now = ctx.clock.now()
  if (doc === undefined || hasEnded(ctx, doc, now)) return null
  if (asker !== null && after(doc.usedAt, notedMs) <= now)
    await noteUse(ctx, doc, { usedAt: now, usedFrom: deviceOf(asker) })
  return sessionFrom(ctx, doc)
}

/** Fails with `forbidden` when `given`, the token in a request that changes something, is not that of the session. */
export function requireCsrfToken({ csrfToken }: Session, given: string | undefined): void {
  const [own, brought] = [Buffer.from(csrfToken), Buffer.from(given ?? '')]
  if (own.length === brought.length && timingSafeEqual(own, brought)) return
  throw new Failure('forbidden', 'A request of a signed-in person that changes something needs a valid X-CSRF-Token.', {
    fix: 'Send the "csrfToken" that GET /api/v1/session returns in the header X-CSRF-Token.',
  })
}

/** Lets a session act on another account. */
export async function moveSession(ctx: Context, { id, hash, personId }: Session, accountId: string): Promise<void> {
  await store.moveSession(ctx.store, { _id: id, hash }, accountId)
  await callersChanged(ctx, { personIds: [personId] })
}

/** The CSRF token of a session while it acts on an account. */
export const csrfTokenOf = (ctx: Context, sessionId: string, accountId: string | null): string =>
  ctx.secrets.tag(`${sessionId} ${accountId ?? ''}`, 'csrf').toString('base64url')

/** Ends a session at once. */
export async function endSession(
  ctx: Context,
  { id, hash, personId }: Pick<Session, 'id' | 'hash' | 'personId'>,
): Promise<void> {
  await store.removeSession(ctx.store, { _id: id, hash })
  await callersChanged(ctx, { personIds: [personId] })
}

/** The sessions of a person that have not ended, newest first. Fails with `validation_error` (cursor). */
export async function listSessions(
  ctx: Context,
  personId: string,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<Page<OpenSession>> {
  const now = ctx.clock.now()
  const rows = await store.listSessions(ctx.store, {
    personId,
    now,
    usedSince: after(now, -idleMs(ctx)),
    before: readIdCursor(before, 'ses'),
    limit: limit + 1,
  })
  const { items, next } = pageOf(rows, limit)
  const shown = ({ _id: id, createdAt, createdFrom, usedAt, usedFrom }: SessionDoc): OpenSession => ({
    id,
    createdAt,
    createdFrom,
    usedAt,
    usedFrom,
  })
  return { items: items.map(shown), next }
}

/** Ends one session of a person at once. Fails with `not_found`. */
export async function endSessionOf(
  ctx: Context,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<void> {
  const session = await store.findSessionOf(ctx.store, { personId, sessionId })
  if (session === null)
    throw new Failure('not_found', `The person has no session ${sessionId}.`, {
      fix: 'Use an id that GET /api/v1/sessions lists.',
    })
  await endSession(ctx, { id: sessionId, hash: session.hash, personId })
}

/** Ends all sessions of people at once. */
export async function endSessions(ctx: Context, personIds: readonly string[]): Promise<void> {
  await store.removeSessions(ctx.store, personIds)
  ctx.changes.publish({ kind: 'keys', keyIds: personIds })
  await callersChanged(ctx, { personIds })
}

const deviceOf = ({ peerAddress: address, userAgent }: Asker): Device => ({ address, userAgent })

const idleMs = ({ settings }: Context) => settings.sessions.idleHours * hourMs

function hasEnded(ctx: Context, { endsAt, usedAt }: SessionDoc, now: Date): boolean {
  return endsAt <= now || after(usedAt, idleMs(ctx)) <= now
}

async function sessionFrom(ctx: Context, { _id: id, hash, personId, accountId }: SessionDoc): Promise<Session> {
  const account = accountId === null ? undefined : await accountById(ctx, accountId)
  return {
    id,
    hash,
    personId,
    csrfToken: csrfTokenOf(ctx, id, accountId),
    principal: account === undefined ? null : memberPrincipal(account, personId),
  }
}

/** Records the use of a session. Other processes may use the previous time for some seconds. */
async function noteUse(
  ctx: Context,
  { _id, hash, personId }: SessionDoc,
  use: Pick<SessionDoc, 'usedAt' | 'usedFrom'>,
): Promise<void> {
  await store.touchSession(ctx.store, { _id, hash }, use)
  forgetCallers(ctx, { personIds: [personId] })
}
