/** The steps to set up an account, each with what this caller can do about it (decisions.md 2, Account). */
import type { setupSteps } from '../../schemas/accounts.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { findFoldersOf } from '../../store/folders.ts'
import * as store from '../../store/mailboxes.ts'
import { isUnclaimed } from '../access/account-record.ts'
import type { Principal } from '../access/principal.ts'
import { allDomains, type DomainOrClaim, isFree, nameOf } from '../domains/domain-list.ts'
import { domainRecord } from '../domains/domain-record.ts'
import { listWebhooks } from '../notify/webhooks.ts'
import type { Context } from '../process/context.ts'

/** A step of the setup; `fix` is null when it is done. */
export type SetupStep = {
  readonly id: (typeof setupSteps)[number]
  readonly done: boolean
  readonly detail: string
  readonly fix: string | null
}

/** Mailboxes that are examined: the newest ones. */
const mailboxesMax = 100

/** The steps, in their order. */
export async function setupOf(ctx: Context, principal: Principal): Promise<readonly SetupStep[]> {
  const { accountId, mailboxIds: only } = principal
  const [mailboxes, domains] = await Promise.all([
    store.listMailboxes(ctx.store, { accountId, only, before: null, limit: mailboxesMax }),
    allDomains(ctx, accountId),
  ])
  const own = domains.filter((each) => !isFree(each))
  return [
    claimStep(ctx, principal),
    nameStep(ctx, principal, { mailboxes, domains }),
    domainStep(ctx, principal, { own, domains }),
    dnsStep(ctx, principal, own),
    await firstMailStep(ctx, principal, mailboxes),
    await webhookStep(ctx, principal),
  ]
}

const todo = (id: SetupStep['id'], detail: string, fix: string): SetupStep => ({ id, done: false, detail, fix })
const done = (id: SetupStep['id'], detail: string): SetupStep => ({ id, done: true, detail, fix: null })

/** The fix, if the caller has the scope for it; otherwise whom to ask. */
function fixFor(principal: Principal, scope: Scope, fix: string): string {
  if (principal.scopes.includes(scope)) return fix
  if (principal.role !== null) return `Your role ${principal.role} lacks ${scope}: ask an owner of the account.`
  return `This key lacks the scope ${scope}, and scopes cannot be added: ask for a key that has it. Then: ${fix}`
}

function claimStep({ baseUrl }: Context, { account, kind }: Principal): SetupStep {
  if (!isUnclaimed(account)) return done('claim', `The account belongs to ${account.owner ?? 'its people'}.`)
  const end = account.claimExpiresAt?.toISOString() ?? 'its end'
  const detail = `Nobody has claimed the account: it may only reply, and is removed with its mail at ${end}.`
  return kind === 'agent'
    ? todo(
        'claim',
        detail,
        `POST ${baseUrl}/api/v1/account/claim returns a claim_url: give it to the person who will own the account.`,
      )
    : todo('claim', detail, 'Create a claim link with the inbox key of the signup (POST /api/v1/account/claim).')
}

function nameStep(
  { baseUrl }: Context,
  principal: Principal,
  { mailboxes, domains }: { mailboxes: readonly MailboxDoc[]; domains: readonly DomainOrClaim[] },
): SetupStep {
  if (mailboxes.length === 0) return todo('name', 'There is no mailbox yet.', newMailbox(baseUrl, principal, domains))
  const named = new Set(domains.filter(({ defaultDisplayName }) => defaultDisplayName !== null).map(nameOf))
  const nameless = mailboxes.find(({ displayName, domain }) => displayName === null && !named.has(domain))
  if (nameless === undefined) return done('name', 'Recipients see the names of the mailboxes.')
  const fix = `PATCH ${mailboxUrl(baseUrl, nameless.address)} with {"displayName": "..."}.`
  const detail = `Recipients see the bare address ${nameless.address}.`
  return todo('name', detail, fixFor(principal, 'mailboxes:write', fix))
}

function newMailbox(baseUrl: string, principal: Principal, domains: readonly DomainOrClaim[]): string {
  const domain = domains.find((each) => !('domain' in each))
  const address = `agent@${domain === undefined ? 'a verified domain' : nameOf(domain)}`
  const fix = `POST ${baseUrl}/api/v1/mailboxes with {"address": "${address}", "displayName": "..."}.`
  return fixFor(principal, 'mailboxes:write', fix)
}

function domainStep(
  { baseUrl }: Context,
  { account, kind, role }: Principal,
  { own, domains }: { own: readonly DomainOrClaim[]; domains: readonly DomainOrClaim[] },
): SetupStep {
  const [first] = own
  if (first !== undefined) return done('domain', `The account has the domain ${nameOf(first)}.`)
  if (account.sandbox) return done('domain', 'A sandbox has a test domain, and needs no other.')
  const free = domains.find(isFree)
  const detail = free === undefined ? 'The account has no domain.' : `The account has the free domain ${nameOf(free)}.`
  const { ownDomains } = allowanceOf(account)
  if (ownDomains === 0) {
    const plan = account.agentsPlan ?? account.plan ?? 'none'
    const ask = `ask for a larger plan (POST ${baseUrl}/api/v1/account/requests, or "mailroom account plan ${account.id}").`
    return todo('domain', `${detail} The plan ${plan} includes no domains of your own.`, asking(kind, role, ask))
  }
  const create = `add a domain of your own: POST ${baseUrl}/api/v1/domains with {"domain": "example.org"}.`
  return todo('domain', detail, asking(kind, role, create))
}

/** The DNS records that are missing or wrong at the first domain that is not verified. */
function dnsStep(ctx: Context, { kind, role }: Principal, own: readonly DomainOrClaim[]): SetupStep {
  const records = own.map((doc) => domainRecord(ctx, doc))
  const wrong = records.find(({ status }) => status !== 'verified')
  if (wrong === undefined)
    return done('dns', own.length === 0 ? 'The free domain has its DNS records already.' : 'All domains are verified.')
  const { domain, status, checkedAt } = wrong
  const missing = wrong.records.filter(({ ok, required }) => !ok && required === true)
  const changes = missing.map(({ type, name, value, fix = null }) => fix ?? `Publish ${type} ${name}: ${value}`)
  const verify = `then POST ${ctx.baseUrl}/api/v1/domains/${domain}/verify.`
  const detail =
    checkedAt == null
      ? `The domain ${domain} is ${status}: its DNS was not checked yet.`
      : `The domain ${domain} is ${status}: ${missing.length} of its DNS records are missing or wrong.`
  return todo('dns', detail, asking(kind, role, `change the DNS of ${domain}; ${verify} ${changes.join(' ')}`))
}

/** Words a fix that only owners, account keys and administrators can make; other callers are told whom to ask. */
function asking(kind: Principal['kind'], role: Principal['role'], what: string): string {
  if (kind === 'agent') return `An agent key cannot do this. Ask the owner of the account: ${what}`
  if (role !== null && role !== 'owner') return `The role ${role} cannot do this. Ask an owner of the account: ${what}`
  return `${what[0]?.toUpperCase()}${what.slice(1)}`
}

async function firstMailStep(ctx: Context, principal: Principal, mailboxes: readonly MailboxDoc[]): Promise<SetupStep> {
  const [mailbox] = mailboxes
  if (mailbox === undefined)
    return todo('first_mail', 'There is no mailbox yet.', 'Make one first: see the step "name".')
  const folders = await findFoldersOf(
    ctx.store,
    mailboxes.map(({ _id }) => _id),
  )
  const had = (wanted: string) => folders.some(({ role, uidNext }) => role === wanted && uidNext > 1)
  const [isReceived, isSent] = [had('inbox'), had('sent')]
  if (isReceived || isSent) {
    const what = isReceived && isSent ? 'received and sent' : isReceived ? 'received' : 'sent'
    return done('first_mail', `Mail was ${what}.`)
  }
  const { baseUrl } = ctx
  const { address } = mailbox
  const detail = `${address} has neither received nor sent mail.`
  if (principal.account.sandbox)
    return todo(
      'first_mail',
      detail,
      `POST ${baseUrl}/api/v1/test/inbound with {"mailbox": "${address}", "from": "a@example.org", "text": "Hello"}.`,
    )
  const wait = `write to ${address} from any mail program, and read it with GET ${mailboxUrl(baseUrl, address)}/messages.`
  if (isUnclaimed(principal.account) || !principal.scopes.includes('mail:send'))
    return todo('first_mail', detail, `${wait[0]?.toUpperCase()}${wait.slice(1)}`)
  const send = `POST ${mailboxUrl(baseUrl, address)}/send with {"to": "delivered@simulator.invalid", "subject": "Hello", "text": "Hello"}`
  return todo('first_mail', detail, `${send}, which tests a complete send without mailing anybody; or ${wait}`)
}

async function webhookStep(ctx: Context, principal: Principal): Promise<SetupStep> {
  const webhooks = await listWebhooks(ctx, principal)
  const enabled = webhooks.find((webhook) => webhook.enabled)
  if (enabled !== undefined) return done('webhook', `Events are posted to ${enabled.url}.`)
  const [off] = webhooks
  const { baseUrl } = ctx
  if (off !== undefined)
    return todo(
      'webhook',
      `The endpoint ${off.url} is turned off.`,
      `PATCH ${baseUrl}/api/v1/webhooks/${off.id} with {"enabled": true}.`,
    )
  const whose = principal.kind === 'agent' ? 'This key has made no endpoint' : 'The account has no endpoint'
  if (allowanceOf(principal.account).webhookEndpoints === 0)
    return todo(
      'webhook',
      `${whose}, and the plan includes none.`,
      'Wait for mail instead (GET .../wait), or ask for a larger plan.',
    )
  const create = `POST ${baseUrl}/api/v1/webhooks with {"url": "https://...", "events": ["message.received"]}`
  return todo(
    'webhook',
    `${whose}: nothing is posted anywhere.`,
    fixFor(
      principal,
      'mail:read',
      `${create}; without one, GET .../wait and GET ${baseUrl}/api/v1/events report new mail.`,
    ),
  )
}

const mailboxUrl = (baseUrl: string, address: string) => `${baseUrl}/api/v1/mailboxes/${encodeURIComponent(address)}`
