/** The pages on which a person who forgot the password chooses a new one. */
import { requireReset } from '../../core/people/password-change.ts'
import { resetPassword } from '../../operations/people.ts'
import { Failure } from '../../schemas/failures.ts'
import { alert, emptyForm, field, type Typed, tokenField } from './controls.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'
import { type PageRoute, refused, type Visit } from './visit.ts'

export const resetPages: readonly PageRoute[] = [
  {
    path: '/reset',
    show: (visit) => askPage(visit, emptyForm),
    async send(visit) {
      const email = visit.form.get('email') ?? ''
      return refused(
        async () => {
          await visit.ask(resetPassword, { email })
          return mailedPage(email)
        },
        (refusal) => askPage(visit, { values: { email }, refusal }),
      )
    },
  },
  {
    path: '/reset/{token}',
    show: (visit) => setPage(visit, emptyForm),
    async send(visit) {
      const { form, params } = visit
      return refused(
        async () => {
          await visit.ask(resetPassword, { token: params.token ?? '', password: form.get('password') ?? '' })
          return { location: '/sign-in?done=changed' }
        },
        (refusal) => setPage(visit, { values: {}, refusal }),
      )
    },
  },
]

const askPage = (visit: Visit, typed: Typed): Page => ({
  title: 'Forgot your password?',
  isNarrow: true,
  hasFailed: typed.refusal !== null,
  content: html`${alert(typed, ['email'])}
<p>Enter your address, and we will mail you a link to choose a new password.</p>
<div class="card">
<form method="post">${tokenField(visit.token)}
${field(typed, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', isFocused: true })}
<button class="wide">Send me a link</button>
</form>
</div>
<p><a href="/sign-in">Back to sign in</a></p>`,
})

const mailedPage = (email: string): Page => ({
  title: 'Check your mail',
  isNarrow: true,
  content: html`<p>If <strong>${email}</strong> has signed up, a mail is on its way. The link in it works for an hour.</p>
<p class="faint">No mail? Look in the spam folder, and check that the address is correct.</p>
<p><a href="/sign-in">Back to sign in</a></p>`,
})

async function setPage(visit: Visit, typed: Typed): Promise<Page> {
  const isKnown = await requireReset(visit.ctx, visit.params.token ?? '').then(
    () => true,
    (error: unknown) => {
      if (error instanceof Failure && error.code === 'not_found') return false
      throw error
    },
  )
  if (!isKnown) return usedPage
  return {
    title: 'Choose a new password',
    isNarrow: true,
    hasFailed: typed.refusal !== null,
    content: html`${alert(typed, ['password'])}
<p>This ends all sessions that were started with the old password. Second factors stay as they are.</p>
<div class="card">
<form method="post">${tokenField(visit.token)}
${field(typed, {
  name: 'password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters. A few words that nobody would guess are best.',
  isFocused: true,
})}
<button class="wide">Set the password</button>
</form>
</div>`,
  }
}

const usedPage: Page = {
  title: 'This link cannot be used',
  isNarrow: true,
  status: 404,
  content: html`<p>It was used, is older than an hour, or is incomplete.</p>
<p><a href="/reset">Ask for a new link</a>, and open the one in the newest mail.</p>`,
}
