/**
 * The consent of a person when a program wants to be connected, and what follows from the answer. The request is found by a cookie of
 * the browser that began it, so that nobody can answer a request of somebody else.
 */
import { Failure } from '../../schemas/failures.ts'
import { mailboxesOffered } from '../../schemas/fields.ts'
import { deriveId, idAt } from '../../schemas/ids.ts'
import { agentScopes, allScopes, type Scope } from '../../schemas/scopes.ts'
import { requireAllowed } from '../access/account-record.ts'
import { recordAudit } from '../access/audit.ts'
import { createGrant } from '../access/grants.ts'
import { accountById } from '../access/known-callers.ts'
import { memberPrincipal, type Principal } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway, whileUnavailable } from '../process/database-away.ts'
import { DocumentAway } from './client-documents.ts'
import { placeOfRedirect, staysOnMachine } from './client-rules.ts'
import { withProvider } from './provider.ts'
import type { OauthRequest } from './request.ts'

/** A program that wants to be connected. Its name and redirect are its own claims, unless it published them. */
export type ConnectionRequest = {
  readonly clientId: string
  readonly name: string
  /** The host of its client ID metadata document; null when it registered itself. */
  readonly publishedAt: string | null
  readonly redirectsTo: string
  /** Whether its access goes to the person's computer, where any program may claim to be this one. */
  readonly isLocal: boolean
  /** The scopes that it asks for. */
  readonly scopes: readonly Scope[]
  /** When the request began. */
  readonly since: Date
}

/** What the person allows the program to do. */
export type Consent = {
  readonly accountId: string
  readonly scopes: readonly string[]
  /** Addresses of the only mailboxes that it may reach; null: all mailboxes of the account. */
  readonly mailboxes: readonly string[] | null
}

type Decision = OauthRequest & { readonly requestId: string; readonly personId: string }

/** The program behind a request. Fails with `not_found` when the request has expired, was answered, or is another browser's. */
export function findConnectionRequest(request: OauthRequest, requestId: string): Promise<ConnectionRequest> {
  return withProvider(request, async (provider) => {
    const { uid, params, result, iat } = await provider.interactionDetails(request.req, request.res).catch(notFound)
    if (uid !== requestId || result !== undefined) throw expired()
    const clientId = String(params.client_id)
    const client = await provider.Client.find(clientId).catch(notFound)
    if (client === undefined) throw expired()
    const redirectUri = String(params.redirect_uri)
    const asked = String(params.scope ?? '').split(' ')
    return {
      clientId,
      name: client.clientName ?? placeOfRedirect(redirectUri),
      publishedAt: URL.canParse(clientId) ? new URL(clientId).host : null,
      redirectsTo: placeOfRedirect(redirectUri),
      isLocal: staysOnMachine(redirectUri),
      scopes: allScopes.filter((scope) => asked.includes(scope)),
      since: new Date(iat * secondMs),
    }
  })
}

/** Fails for a request that the library does not find: with `unavailable` during an outage, otherwise with `not_found`. */
function notFound(error: unknown): never {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof DocumentAway)
    throw new Failure(
      'unavailable',
      'What the program publishes about itself cannot be fetched right now; please try again later.',
    )
  throw isAway(cause) ? whileUnavailable(cause) : expired()
}

/** The principal of a member, who can grant a program at most its scopes. Fails with `forbidden` for a person who is no member. */
export async function requireMemberPrincipal(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<Principal> {
  const account = await accountById(ctx, accountId)
  const principal = account === undefined ? null : memberPrincipal(account, personId)
  if (principal !== null) return principal
  throw new Failure('forbidden', 'You are no member of this account.', { fix: 'Choose one of your accounts.' })
}

/**
 * Connects the program as the person decided, once: a second answer from the same page, such as by a double click, changes nothing.
 * Returns the URL to which the browser is redirected. Fails as `findConnectionRequest` does, and with `forbidden` (account), `account_suspended`,
 * `validation_error` (scopes, mailboxes), `mailbox_not_found`, `conflict` (too many grants).
 */
export async function allow(decision: Decision, { accountId, scopes, mailboxes }: Consent): Promise<string> {
  const { ctx, personId, requestId } = decision
  const { clientId, name, redirectsTo, scopes: asked, since } = await findConnectionRequest(decision, requestId)
  const principal = await requireMemberPrincipal(ctx, { accountId, personId })
  requireAllowed(principal.account, 'ask')
  const offered = offeredTo(principal, asked, { isLimited: mailboxes !== null })
  const granted = offered.filter((scope) => scopes.includes(scope))
  if (granted.length === 0)
    throw new Failure('validation_error', 'Nothing is chosen that the program may do.', {
      param: 'scopes',
      fix:
        offered.length === 0
          ? 'It asks for nothing that your role in this account allows: choose another account, or do not connect it.'
          : 'Choose at least one, or do not connect it.',
    })
  const id = deriveId('gnt', idAt('gnt', since), `consent ${requestId}`)
  const isNew = await createGrant(ctx, {
    id,
    accountId,
    personId,
    clientId,
    name,
    redirectsTo,
    scopes: granted,
    mailboxIds: mailboxes === null ? null : await idsOf(ctx, principal, mailboxes),
  })
  if (isNew) await note(decision, accountId, `${id} ${name}, ${redirectsTo}`, 'done')
  return finish(decision, { login: { accountId: personId }, consent: { grantId: id } })
}

/** Answers the program that the person refuses. Returns the URL to which the browser is redirected. Fails as `findConnectionRequest` does. */
export async function refuse(decision: Decision, accountId: string | null): Promise<string> {
  const { name, redirectsTo } = await findConnectionRequest(decision, decision.requestId)
  if (accountId !== null) {
    await requireMemberPrincipal(decision.ctx, { accountId, personId: decision.personId })
    await note(decision, accountId, `${name}, ${redirectsTo}`, 'access_denied')
  }
  return finish(decision, { error: 'access_denied', error_description: 'The person did not allow it.' })
}

/** The scopes, among those that a program asks for, that a person may grant: for the whole account, or only for some mailboxes. */
export function offeredTo(
  { scopes }: Principal,
  asked: readonly Scope[],
  { isLimited }: { isLimited: boolean },
): readonly Scope[] {
  return asked.filter((scope) => scopes.includes(scope) && (!isLimited || agentScopes.includes(scope)))
}

async function idsOf(ctx: Context, principal: Principal, addresses: readonly string[]): Promise<readonly string[]> {
  const wrong = (why: string, fix: string) => new Failure('validation_error', why, { param: 'mailboxes', fix })
  if (addresses.length === 0)
    throw wrong('No mailbox is chosen.', 'Choose the mailboxes that it may use, or let it use all of them.')
  if (addresses.length > mailboxesOffered)
    throw wrong(`More than ${mailboxesOffered} mailboxes are chosen.`, 'Choose fewer, or let it use all of them.')
  const found = await Promise.all(addresses.map((address) => reachMailbox(ctx, principal, address)))
  return [...new Set(found.map(({ _id }) => _id))]
}

function note({ ctx, personId, peerAddress }: Decision, accountId: string, target: string, outcome: string) {
  return recordAudit(ctx, {
    accountId,
    keyId: personId,
    action: 'grants.create',
    target,
    outcome,
    address: peerAddress,
  })
}

function finish(decision: Decision, result: { readonly [part: string]: unknown }): Promise<string> {
  return withProvider(decision, (provider) => provider.interactionResult(decision.req, decision.res, result))
}

const expired = () =>
  new Failure('not_found', 'This connection request of a program is not open in this browser.', {
    fix: 'It has expired, was answered, or was begun in another browser. Go back to the program and connect it once more.',
  })
