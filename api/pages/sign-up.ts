/** Signing up: from a claim link, with an address that is then verified by mail, or from an invitation, which itself came by mail. */
import { requireSignUpPassword, waitingSignUp } from '../../core/people/sign-up.ts'
import { createPerson, verifyPerson } from '../../operations/people.ts'
import { beginSession } from '../../operations/session.ts'
import { attributesOf, cookieOf } from '../../operations/session-cookie.ts'
import { Failure } from '../../schemas/failures.ts'
import { alert, emptyForm, field, type Typed, tokenField } from './controls.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { placeAfter, placeOf, signInFor } from './places.ts'
import { type PageRoute, refused, type Visit } from './visit.ts'

/** Stores in the browser the page from which a person signed up, such as a claim link, until the address is verified. */
const placeCookie = 'mailroom_place'
const placeSeconds = 86_400

const names = ['email', 'name', 'password']

export const signUpPages: readonly PageRoute[] = [
  {
    path: '/sign-up',
    show: () => ({ location: '/sign-in' }),
    async send(visit) {
      const { ctx, form } = visit
      const [email, name] = [form.get('email') ?? '', form.get('name') ?? '']
      const place = placeOf(form.get('next'))
      return refused(
        async () => {
          await visit.ask(createPerson, { email, name, password: form.get('password') ?? '' })
          visit.setCookie(`${placeCookie}=${place}; Max-Age=${placeSeconds}; ${attributesOf(ctx)}`)
          return mailedPage(email)
        },
        (refusal) => signUpPage(visit, { place, typed: { values: { email, name }, refusal } }),
      )
    },
  },
  {
    path: '/verify/{token}',
    show: (visit) => verifyPage(visit, emptyForm),
    async send(visit) {
      const { ctx, form, headers, params, peerAddress } = visit
      const [token, password] = [params.token ?? '', form.get('password') ?? '']
      return refused(
        async () => {
          const email = await requireSignUpPassword(ctx, { token, password, peerAddress })
          await visit.ask(verifyPerson, { token })
          await visit.ask(beginSession, { email, password })
          return { location: placeAfter(placeOf(cookieOf(headers, placeCookie)), 'verified') }
        },
        (refusal) => verifyPage(visit, { values: {}, refusal }),
      )
    },
  },
]

/** The fields of the sign-up form. */
export function signUpFields(typed: Typed, { hasEmail = true } = {}): Html {
  const email = { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' } as const
  return html`${hasEmail ? field(typed, email) : null}
${field(typed, { name: 'name', label: 'Your name', autocomplete: 'name', hint: 'Other members of the account can see it.' })}
${field(typed, {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters. A few words that nobody would guess are best.',
})}`
}

/** The sign-up form. The person is led back to `place` afterwards. */
export function signUpForm(visit: Visit, { place, typed }: { place: string; typed: Typed }): Html {
  return html`<form method="post" action="/sign-up">${tokenField(visit.token)}
<input type="hidden" name="next" value="${place}">
${signUpFields(typed)}
<button>Create account</button>
</form>`
}

const signUpPage = (visit: Visit, { place, typed }: { place: string; typed: Typed }): Page => ({
  title: 'Create an account',
  isNarrow: true,
  hasFailed: typed.refusal !== null,
  content: html`${alert(typed, names)}
<div class="card">${signUpForm(visit, { place, typed })}</div>
<p><a href="${signInFor(place)}">Sign in instead</a></p>`,
})

const mailedPage = (email: string): Page => ({
  title: 'Check your mail',
  isNarrow: true,
  content: html`<p>We have sent a mail to <strong>${email}</strong>. Open the link in it within a day, in this browser, to come back here.</p>
<p class="faint">No mail? Look in the spam folder, and check that the address is correct.</p>`,
})

async function verifyPage(visit: Visit, typed: Typed): Promise<Page> {
  const email = await waitingSignUp(visit.ctx, visit.params.token ?? '').catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  })
  if (email === null) return usedPage
  return {
    title: 'Verify your address',
    isNarrow: true,
    hasFailed: typed.refusal !== null,
    content: html`${alert(typed)}
<p>One more step: enter the password with which you signed up as <strong>${email}</strong>.</p>
<div class="card">
<form method="post">${tokenField(visit.token)}
<input type="hidden" name="email" autocomplete="username" value="${email}">
${field(typed, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isFocused: true })}
<button class="wide">Verify my address</button>
</form>
</div>
<p class="faint">You did not sign up? Close this page, and nothing will happen.</p>`,
  }
}

const usedPage: Page = {
  title: 'This link cannot be used',
  isNarrow: true,
  status: 404,
  content: html`<p>It was used, is older than a day, or is incomplete. If you have already verified your address, open your mail: there is nothing
else to do. Otherwise sign up again from your claim link or invitation, and open the link in the newest mail.</p>
<p><a href="/app">To your mail</a></p>`,
}
