/** The page behind an invitation to an account. Opening it changes nothing. */
import { viewInvitation } from '../../core/people/invitations.ts'
import { acceptInvitation, createPerson } from '../../operations/people.ts'
import { beginSession } from '../../operations/session.ts'
import { alert, emptyForm, type Typed, tokenField } from './controls.ts'
import { type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { signInFor } from './places.ts'
import { headerOf, viewOf } from './settings/frame.ts'
import { roleText } from './settings/you.ts'
import { signUpFields } from './sign-up.ts'
import { type PageRoute, refused, type Visit } from './visit.ts'

const joined = { location: '/app?done=joined' }

export const invitationPages: readonly PageRoute[] = [
  {
    path: '/invitation/{token}',
    show: (visit) => invitationPage(visit, emptyForm),
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(acceptInvitation, { token: visit.params.token ?? '' })
          return joined
        },
        (refusal) => invitationPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/invitation/{token}/sign-up',
    show: ({ params }) => ({ location: `/invitation/${params.token}` }),
    async send(visit) {
      const { ctx, form, params } = visit
      const [name, password] = [form.get('name') ?? '', form.get('password') ?? '']
      return refused(
        async () => {
          const invitation = params.token ?? ''
          const { email } = await viewInvitation(ctx, invitation)
          await visit.ask(createPerson, { email, name, password, invitation })
          await visit.ask(beginSession, { email, password })
          return joined
        },
        (refusal) => invitationPage(visit, { values: { name }, refusal }),
      )
    },
  },
]

async function invitationPage(visit: Visit, typed: Typed): Promise<Page> {
  const { ctx, params, session } = visit
  const { email, account, role } = await viewInvitation(ctx, params.token ?? '')
  const view = session === null ? null : await viewOf(visit)
  return {
    title: `Join ${account}`,
    hasFailed: typed.refusal !== null,
    ...(view !== null && { header: headerOf(visit, view, null) }),
    content: html`${alert(typed, ['name', 'password'])}
<section class="card" aria-labelledby="invitation">
<h2 id="invitation">You are invited</h2>
<dl><dt>Account</dt><dd>${account}</dd><dt>Your address</dt><dd>${email}</dd><dt>Your role</dt><dd>${roleText(role)}</dd></dl>
</section>
${view === null ? strangerPart(visit, { email, typed }) : acceptPart(visit, { isTheirs: view.person.email === email, email })}`,
  }
}

function acceptPart({ token }: Visit, { isTheirs, email }: { isTheirs: boolean; email: string }): Html {
  if (!isTheirs)
    return html`<p>You are signed in with another address. To join, sign out and sign in as <strong>${email}</strong>.</p>`
  return html`<form method="post">${tokenField(token)}<button>Join as ${email}</button></form>`
}

function strangerPart({ params, path, token }: Visit, { email, typed }: { email: string; typed: Typed }): Html {
  return html`<section class="card" aria-labelledby="new">
<h2 id="new">New to Mailroom</h2>
<form method="post" action="/invitation/${params.token ?? ''}/sign-up">${tokenField(token)}
<input type="hidden" name="email" autocomplete="username" value="${email}">
${signUpFields(typed, { hasEmail: false })}
<button>Create account and join</button>
</form>
</section>
<section class="card" aria-labelledby="known">
<h2 id="known">Already signed up</h2>
<p><a href="${signInFor(path.replace(/\/sign-up$/, ''))}">Sign in to join</a></p>
</section>`
}
