/** Becoming a person: by a claim link, whose address is then verified by mail, or by an invitation, which came by mail. */
import { createPerson, verifyPerson } from '../../operations/people.ts'
import { attributesOf, cookieOf } from '../../operations/session-cookie.ts'
import { alert, field, type Typed, tokenField } from './controls.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { placeOf, signInFor } from './places.ts'
import { type PageRoute, refused, type Visit } from './visit.ts'

/** Remembers in the browser which page a new person came from: the claim link, while the mail is read. */
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
    show: (visit) => verifyPage(visit, { values: {}, refusal: null }),
    async send(visit) {
      const { params, headers } = visit
      return refused(
        async () => {
          await visit.ask(verifyPerson, { token: params.token ?? '' })
          const place = placeOf(cookieOf(headers, placeCookie))
          const signIn = signInFor(place)
          return { location: `${signIn}${signIn.includes('?') ? '&' : '?'}done=verified` }
        },
        (refusal) => verifyPage(visit, { values: {}, refusal }),
      )
    },
  },
]

/** The fields of a person to be. */
export function signUpFields(typed: Typed, { hasEmail = true } = {}): Html {
  const email = { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' } as const
  return html`${hasEmail ? field(typed, email) : null}
${field(typed, { name: 'name', label: 'Your name', autocomplete: 'name', hint: 'Other members of the account see it.' })}
${field(typed, {
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters. A few words that nobody would guess are best.',
})}`
}

/** The form that makes a person, who is then led back to `place`. */
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
  title: 'Look into your mail',
  isNarrow: true,
  content: html`<p>We have sent a mail to <strong>${email}</strong>. Open the link in it within a day, in this browser, and you are led back here.</p>
<p class="faint">Nothing came? Look into the spam folder, and see whether the address is written right.</p>`,
})

const verifyPage = (visit: Visit, typed: Typed): Page => ({
  title: 'Verify your address',
  isNarrow: true,
  hasFailed: typed.refusal !== null,
  status: typed.refusal === null ? 200 : 404,
  content: html`${alert(typed)}
${
  typed.refusal === null
    ? html`<p>One more step: say that you have signed up with this address.</p>
<form method="post">${tokenField(visit.token)}<button>Verify my address</button></form>`
    : html`<p><a href="/sign-in">Sign in</a></p>`
}`,
})
