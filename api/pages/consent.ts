/** The page on which a person decides whether a program is connected, and what it may do. Opening it changes nothing. */
import { listMailboxes } from '../../core/mailbox/mailboxes.ts'
import {
  allow,
  type ConnectionRequest,
  findConnectionRequest,
  offeredTo,
  refuse,
  requireMemberPrincipal,
} from '../../core/oauth/consent.ts'
import type { ShowRefusal } from '../../core/oauth/provider.ts'
import { consentPath, type OauthRequest } from '../../core/oauth/request.ts'
import { getSession } from '../../operations/session.ts'
import { Failure } from '../../schemas/failures.ts'
import { mailboxesOffered } from '../../schemas/fields.ts'
import { agentScopes, type Scope, scopes } from '../../schemas/scopes.ts'
import { alert, choices, emptyForm, type Typed, tokenField } from './controls.ts'
import { type Html, html } from './html.ts'
import { type Page, showPage, siteHeader } from './page.ts'
import type { SessionView } from './settings/frame.ts'
import { type Elsewhere, type PageRoute, refused, type Visit } from './visit.ts'

/** The person's choices in a form that was refused and is shown again. */
type Chosen = { readonly scopes: readonly string[]; readonly reach: string; readonly mailboxes: readonly string[] }

export const consentPages: readonly PageRoute[] = [
  {
    path: `${consentPath}/{request_id}`,
    show: (visit) => consentPage(visit, emptyForm, null),
    async send(visit) {
      const { form } = visit
      const chosen: Chosen = {
        scopes: form.getAll('scopes'),
        reach: form.get('reach') ?? 'some',
        mailboxes: form.getAll('mailboxes'),
      }
      return refused(
        () => decide(visit, chosen),
        (refusal) => consentPage(visit, { values: {}, refusal }, chosen),
      )
    },
  },
]

/** Shows an error that cannot be sent to the program, because the program or its redirect URI is unknown. */
export const showRefusal: ShowRefusal = (koa, { code, description }) =>
  showPage(koa, {
    title: 'This program cannot be connected',
    status: koa.status,
    content: html`<div class="notice bad" role="alert"><p>It made a request that Mailroom refuses: ${code}${description === null ? null : html` (${description})`}.</p></div>
<p>Go back to the program and connect it again. If that does not help, contact its makers.</p>`,
  })

async function decide(visit: Visit, chosen: Chosen): Promise<Elsewhere> {
  const { form } = visit
  const decision = { ...requestOf(visit), ...personOf(visit) }
  const accountId = form.get('account') ?? ''
  if (form.get('decision') === 'refuse')
    return { location: await refuse(decision, accountId === '' ? null : accountId) }
  if (chosen.reach === 'all' && chosen.mailboxes.length > 0)
    throw new Failure('validation_error', 'All mailboxes of the account are selected above, and single ones here.', {
      param: 'mailboxes',
      fix: 'Select all mailboxes, or single ones.',
    })
  const mailboxes = chosen.reach === 'all' ? null : chosen.mailboxes
  return { location: await allow(decision, { accountId, scopes: chosen.scopes, mailboxes }) }
}

const requestOf = ({ ctx, req, res, peerAddress }: Visit): OauthRequest => ({ ctx, req, res, peerAddress })

/** The person who decides, and the request. Fails with `unauthorized` if nobody is signed in. */
function personOf({ params, session }: Visit): { readonly personId: string; readonly requestId: string } {
  if (session === null) throw new Failure('unauthorized')
  return { personId: session.personId, requestId: params.request_id ?? '' }
}

async function consentPage(visit: Visit, typed: Typed, chosen: Chosen | null): Promise<Page> {
  const { personId, requestId } = personOf(visit)
  const request = await findConnectionRequest(requestOf(visit), requestId).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  })
  if (request === null) return expiredPage
  const view = await viewIn(visit)
  const { account } = view
  return {
    title: `Connect ${request.name}?`,
    hasFailed: typed.refusal !== null,
    header: siteHeader(null),
    formsLeadElsewhere: true,
    content: html`${programPart(visit, request, view)}
${request.isLocal ? localWarning(request) : null}
${account === null ? noAccountPart(visit) : await formPart(visit, { personId, account, request, typed, chosen })}`,
  }
}

/** The signed-in person, in the account that was chosen on the page. */
async function viewIn(visit: Visit): Promise<SessionView> {
  const view = await visit.ask<SessionView>(getSession)
  const wanted = visit.form.get('account') ?? visit.query.get('account')
  return { ...view, account: view.accounts.find(({ id }) => id === wanted) ?? view.account ?? view.accounts[0] ?? null }
}

function programPart(
  { token, path }: Visit,
  request: ConnectionRequest,
  { person, account, accounts }: SessionView,
): Html {
  const { name, publishedAt, redirectsTo } = request
  const options = accounts.map(
    ({ id, name: label }) =>
      html`<option value="${id}"${id === account?.id ? html` selected` : null}>${label}</option>`,
  )
  return html`<section class="card" aria-labelledby="program">
<h2 id="program">The program</h2>
<p><strong>${name}</strong> wants to act for you in Mailroom. ${publishedAt === null ? 'It chose this name itself.' : html`<strong>${publishedAt}</strong> publishes it under this name.`}</p>
<dl>
<dt>Its access goes to</dt><dd><strong>${redirectsTo}</strong></dd>
<dt>Signed in as</dt><dd>${person.email}</dd>
${account === null ? null : html`<dt>Account</dt><dd>${account.name} (${account.role})</dd>`}
</dl>
${accounts.length < 2 ? null : html`<form class="actions" action="${path}"><select name="account" aria-label="Account">${options}</select><button class="small second">Use this account</button></form>`}
<form method="post" action="/sign-out">${tokenField(token)}<input type="hidden" name="next" value="${path}"><button class="small second">Sign in as somebody else</button></form>
</section>`
}

const localWarning = ({ name }: ConnectionRequest): Html =>
  html`<div class="notice bad" role="note"><p>This program runs on your computer, and any program there can call itself ${name}. Continue only if you started to connect it just now.</p></div>`

const noAccountPart = ({ token }: Visit): Html => html`<div class="card">
<p>You are not a member of any account, so there is nothing to connect the program to. Open the claim link of an agent, or an invitation.</p>
<form method="post">${tokenField(token)}<button class="second" name="decision" value="refuse">Do not connect it</button></form>
</div>`

type FormParts = {
  readonly personId: string
  readonly account: NonNullable<SessionView['account']>
  readonly request: ConnectionRequest
  readonly typed: Typed
  readonly chosen: Chosen | null
}

async function formPart(visit: Visit, { personId, account, request, typed, chosen }: FormParts): Promise<Html> {
  const error = typed.refusal
  const member = await requireMemberPrincipal(visit.ctx, { accountId: account.id, personId })
  const offered = offeredTo(member, request.scopes, { isLimited: false })
  const { items: mailboxes, next } = await listMailboxes(visit.ctx, member, { limit: mailboxesOffered })
  const withheld = request.scopes.length - offered.length
  const scopeOptions = offered.map((scope) => ({ value: scope, label: wordsOf(scope), hint: scope }))
  const reaches = [
    { value: 'all', label: 'All mailboxes of the account, including later ones' },
    { value: 'some', label: 'Only those selected below, and those that it creates' },
  ]
  return html`${alert(typed, mailboxes.length === 0 ? ['scopes'] : ['scopes', 'mailboxes'])}
<form class="card" method="post">${tokenField(visit.token)}<input type="hidden" name="account" value="${account.id}">
${choices({ name: 'scopes', legend: 'What it may do', type: 'checkbox', options: scopeOptions, checked: chosen?.scopes ?? offered, error })}
${withheld === 0 ? null : html`<p class="faint">It asks for more than your role (${account.role}) allows; only what your role allows is listed.</p>`}
${choices({ name: 'reach', legend: 'Where', type: 'radio', options: reaches, checked: [chosen?.reach ?? 'all'] })}
${mailboxes.length === 0 ? null : choices({ name: 'mailboxes', legend: 'Mailboxes, if not all', type: 'checkbox', options: mailboxes.map(({ address }) => ({ value: address, label: address })), checked: chosen?.mailboxes ?? [], error })}
${next === null ? null : html`<p class="hint">These are the newest ${mailboxesOffered} mailboxes of the account.</p>`}
${offered.every((scope) => agentScopes.includes(scope)) ? null : html`<p class="hint">Domains, aliases and files belong to the whole account: a program with selected mailboxes gets no access to them.</p>`}
<p class="hint">You can disconnect it at any time in the settings, under Programs.</p>
<div class="actions"><button name="decision" value="allow">Connect</button><button class="second" name="decision" value="refuse">Do not connect</button></div>
</form>`
}

/** Describes to a person what a scope allows. */
const wordsOf = (scope: Scope): string => scopes[scope].replace(' (account keys only)', '')

const expiredPage: Page = {
  title: 'This request has ended',
  status: 404,
  content: html`<p>It was already answered, expired after an hour, or was started in another browser. Go back to the program and connect it again.</p>
<p><a href="/settings/programs">To your connected programs</a></p>`,
}
