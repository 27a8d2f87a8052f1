/** The page behind a claim link. Opening it changes nothing, because security scanners open every link (decisions.md 2, Account). */
import type { Account } from '../../core/access/account-record.ts'
import { administrator } from '../../core/access/principal.ts'
import { claimable } from '../../core/account/accounts.ts'
import { listMailboxes } from '../../core/mailbox/mailboxes.ts'
import { createClaim } from '../../operations/claims.ts'
import { Failure } from '../../schemas/failures.ts'
import { alert, choices, emptyForm, notice, type Typed, time, tokenField } from './controls.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { signInFor } from './places.ts'
import { headerOf, type SessionView, viewOf } from './settings/frame.ts'
import { signUpForm } from './sign-up.ts'
import { type Elsewhere, type PageRoute, refused, type Visit } from './visit.ts'

const shownMax = 20

export const claimPages: readonly PageRoute[] = [
  {
    path: '/claim/{token}',
    show: (visit) => claimPage(visit, emptyForm),
    async send(visit) {
      const { form, params } = visit
      const account = form.get('account') ?? ''
      return refused(
        async () => {
          await visit.ask(createClaim, { token: params.token ?? '', ...(account !== '' && { account }) })
          return { location: '/app?done=claimed' }
        },
        (refusal) => claimPage(visit, { values: {}, refusal }),
      )
    },
  },
]

async function claimPage(visit: Visit, typed: Typed): Promise<Page | Elsewhere> {
  const account = await claimable(visit.ctx, visit.params.token ?? '').catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  })
  if (account === null) return unknownPage
  const view = visit.session === null ? null : await viewOf(visit)
  return {
    title: 'Claim this account',
    hasFailed: typed.refusal !== null,
    ...(view !== null && { header: headerOf(visit, view, null) }),
    content: html`${visit.query.get('done') === 'verified' ? notice('Your address is verified, and you are signed in.') : null}${alert(typed)}
<p>A program signed up for a mail account and sent you this link so that you can become its owner. Nothing has changed yet.</p>
<section class="card" aria-labelledby="account">
<h2 id="account">What you claim</h2>
${await detailsOf(visit, account)}
<p class="faint">The address, inboxes, keys and webhooks stay as they are. After the claim the program may write to anybody, within the free plan, and you can see and change everything. Claim the account only if you know the program.</p>
</section>
${view === null ? strangerPart(visit) : claimForm(visit, view, account)}`,
  }
}

async function detailsOf({ ctx }: Visit, account: Account): Promise<Html> {
  const { items } = await listMailboxes(ctx, administrator(account), { limit: shownMax })
  const until = account.claimExpiresAt
  return html`<dl>
<dt>Account</dt><dd>${account.name}</dd>
<dt>${items.length === 1 ? 'Address' : 'Addresses'}</dt><dd>${items.map(({ address }, n) => html`${n === 0 ? null : html`<br>`}${address}`)}</dd>
${until === null ? null : html`<dt>If nobody claims it</dt><dd>removed at ${time(until)}</dd>`}
</dl>`
}

function strangerPart(visit: Visit): Html {
  const place = visit.path
  return html`<section class="card" aria-labelledby="new">
<h2 id="new">New to Mailroom</h2>
${signUpForm(visit, { place, typed: emptyForm })}
</section>
<section class="card" aria-labelledby="known">
<h2 id="known">Already signed up</h2>
<p><a href="${signInFor(place)}">Sign in to claim it</a></p>
</section>`
}

function claimForm({ token }: Visit, { person, accounts }: SessionView, { sandbox }: Account): Html {
  const owned = sandbox ? [] : accounts.filter(({ role }) => role === 'owner')
  const options = [
    { value: '', label: 'As an account of its own' },
    ...owned.map(({ id, name }) => ({ value: id, label: html`Into your account <strong>${name}</strong>` })),
  ]
  return html`<form class="card" method="post">${tokenField(token)}
${owned.length === 0 ? null : choices({ name: 'account', legend: 'How', type: 'radio', options, checked: [''] })}
<button>Claim it as ${person.email}</button>
</form>`
}

const unknownPage: Page = {
  title: 'This link cannot be used',
  status: 404,
  content: html`<p>The link was used, was replaced by a newer one, has expired, or is incomplete. If the account is already yours,
there is nothing to do. Otherwise ask the program that sent you the link for a new one; it creates one with its key by <code>POST /api/v1/account/claim</code>.</p>
<p><a href="/app">To your mail</a></p>`,
}
