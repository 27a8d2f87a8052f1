/** Signing in: with address and password, then a code if the person has an authenticator app; or with a passkey alone. */
import { beginPasskeySignIn, hasPasskeys } from '../../core/people/passkeys.ts'
import { beginSignIn, finishSignIn, signInByPasskey } from '../../core/people/sign-in.ts'
import { optionsOf } from '../../operations/second-factors.ts'
import { endSession } from '../../operations/session.ts'
import { sessionCookie } from '../../operations/session-cookie.ts'
import { alert, type Done, doneNotice, emptyForm, field, passkeyForm, type Typed, tokenField } from './controls.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { placeOf, signInFor } from './places.ts'
import { credentialOf, type PageRoute, refused, type Visit } from './visit.ts'

/** The notice above the form, by the reason in the query. */
const reasons: Done = {
  changed: 'Your new password is set. Sign in with it.',
  'signed-out': 'You are signed out.',
  erased: 'Your personal data is erased, and your sessions have ended.',
  'account-erased':
    'The account is being erased, and your personal data with it. Its keys and addresses and your sessions have ended.',
}

export const signInPages: readonly PageRoute[] = [
  {
    path: '/sign-in',
    show: (visit) => (visit.session === null ? signInPage(visit) : { location: placeOf(visit.query.get('next')) }),
    async send(visit) {
      const { ctx, form, peerAddress, userAgent } = visit
      const email = form.get('email') ?? ''
      const values = { email }
      return refused(
        async () => {
          const begun = await beginSignIn(ctx, { email, password: form.get('password') ?? '', peerAddress, userAgent })
          return 'step' in begun ? codePage(visit, begun.step, emptyForm) : enter(visit, begun)
        },
        (refusal) => signInPage(visit, { values, refusal }),
      )
    },
  },
  {
    path: '/sign-in/code',
    show: () => ({ location: '/sign-in' }),
    async send(visit) {
      const { ctx, form, peerAddress, userAgent } = visit
      const step = form.get('step') ?? ''
      return refused(
        async () =>
          enter(visit, await finishSignIn(ctx, { step, code: form.get('code') ?? '', peerAddress, userAgent })),
        (refusal) =>
          refusal.field === 'step'
            ? signInPage(visit, { values: {}, refusal: { ...refusal, field: null } })
            : codePage(visit, step, { values: {}, refusal: { ...refusal, field: 'code' } }),
      )
    },
  },
  {
    path: '/sign-in/passkey',
    show: () => ({ location: '/sign-in' }),
    async send(visit) {
      const { binding, ctx, form, peerAddress, userAgent } = visit
      const credential = credentialOf(form)
      return refused(
        async () => enter(visit, await signInByPasskey(ctx, { binding, credential, peerAddress, userAgent })),
        (refusal) => signInPage(visit, { values: {}, refusal }),
      )
    },
  },
  {
    path: '/sign-out',
    async send(visit) {
      if (visit.session !== null) await visit.ask(endSession)
      const next = visit.form.get('next')
      return { location: next === null ? '/sign-in?done=signed-out' : signInFor(placeOf(next)) }
    },
  },
]

/** Sets the session cookie, and leads to the page that was wanted. */
function enter(visit: Visit, begun: Parameters<typeof sessionCookie>[1]): { readonly location: string } {
  visit.setCookie(sessionCookie(visit.ctx, begun))
  return { location: wantedIn(visit) }
}

const wantedIn = ({ form, query }: Visit) => placeOf(form.get('next') ?? query.get('next'))

async function signInPage(visit: Visit, typed: Typed = emptyForm): Promise<Page> {
  const { token } = visit
  const next = nextField(visit)
  return {
    title: 'Sign in',
    isNarrow: true,
    isScripted: true,
    hasFailed: typed.refusal !== null,
    content: html`${doneNotice(visit, reasons)}${alert(typed, ['email', 'password'])}
<div class="card">
<form method="post" action="/sign-in">${tokenField(token)}${next}
${field(typed, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', isFocused: true })}
${field(typed, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
<button class="wide">Sign in</button>
</form>
${await passkeyPart(visit, next)}
</div>
<p><a href="/reset">Forgot your password?</a></p>
<p class="faint">To get an account, open the claim link that your agent received, or an invitation.</p>`,
  }
}

async function passkeyPart({ binding, ctx, token }: Visit, fields: Html): Promise<Html | null> {
  if (!hasPasskeys(ctx)) return null
  const options = await optionsOf(beginPasskeySignIn(ctx, { binding }))
  const label = 'Sign in with a passkey'
  return passkeyForm({
    action: '/sign-in/passkey',
    token,
    ceremony: 'get',
    options,
    label,
    style: 'second wide',
    fields,
  })
}

function codePage(visit: Visit, step: string, typed: Typed): Page {
  return {
    title: 'Enter your code',
    isNarrow: true,
    hasFailed: typed.refusal !== null,
    content: html`${alert(typed, ['code'])}
<div class="card">
<form method="post" action="/sign-in/code">${tokenField(visit.token)}${nextField(visit)}
<input type="hidden" name="step" value="${step}">
${field(typed, {
  name: 'code',
  label: 'Code',
  autocomplete: 'one-time-code',
  hint: 'The six digits that your authenticator app shows, or one of your recovery codes.',
  isCode: true,
  isFocused: true,
  maxLength: 40,
})}
<button class="wide">Sign in</button>
</form>
</div>
<p><a href="/sign-in">Start over</a></p>`,
  }
}

/** The hidden field with the page that was wanted. */
const nextField = (visit: Visit): Html => html`<input type="hidden" name="next" value="${wantedIn(visit)}">`
