import { changeMe, leaveAccount } from '../../../operations/people.ts'
import { switchSession } from '../../../operations/session.ts'
import { alert, buttonForm, type Done, emptyForm, field, type Typed, tokenField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { type PageRoute, refused, type Visit } from '../visit.ts'
import { type SessionView, settingsPage, viewOf } from './frame.ts'

const place = '/settings'
const done: Done = {
  name: 'Your name is changed.',
  password: 'Your password is changed. All your other sessions have ended.',
  account: 'You have switched to another account.',
  left: 'You have left the account.',
}

export const youPages: readonly PageRoute[] = [
  { path: place, show: (visit) => youPage(visit, emptyForm) },
  {
    path: '/settings/name',
    send: (visit) => change(visit, 'name', ['name']),
  },
  {
    path: '/settings/password',
    send: (visit) => change(visit, 'password', ['currentPassword', 'password']),
  },
  {
    path: '/settings/account',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(switchSession, { account: visit.form.get('account') ?? '' })
          return { location: `${place}?done=account` }
        },
        (refusal) => youPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/leave',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(leaveAccount, { account: visit.form.get('account') ?? '' })
          return { location: `${place}?done=left` }
        },
        (refusal) => youPage(visit, { values: {}, refusal }),
      ),
  },
]

const change = (visit: Visit, word: keyof typeof done & string, names: readonly string[]) => {
  const given = Object.fromEntries(names.map((name) => [name, visit.form.get(name) ?? '']))
  return refused(
    async () => {
      await visit.ask(changeMe, given)
      return { location: `${place}?done=${word}` }
    },
    (refusal) => youPage(visit, { values: { name: given.name ?? '' }, refusal }),
  )
}

async function youPage(visit: Visit, typed: Typed) {
  const view = await viewOf(visit)
  const { person } = view
  const shown = { ...typed, values: { name: typed.values.name || person.name } }
  return settingsPage(visit, view, {
    place,
    title: 'You',
    done,
    typed,
    content: html`${alert(typed, ['name', 'password', 'currentPassword'])}
<section class="card" aria-labelledby="about">
<h2 id="about">About you</h2>
<dl><dt>E-mail</dt><dd>${person.email}</dd></dl>
<form method="post" action="/settings/name">${tokenField(visit.token)}
${field(shown, { name: 'name', label: 'Name', autocomplete: 'name' })}
<button>Save the name</button>
</form>
</section>
${accountsPart(visit, view)}
<section class="card" aria-labelledby="password-title">
<h2 id="password-title">Password</h2>
<form method="post" action="/settings/password">${tokenField(visit.token)}
<input type="hidden" name="email" autocomplete="username" value="${person.email}">
${field(typed, { name: 'currentPassword', label: 'Current password', type: 'password', autocomplete: 'current-password' })}
${field(typed, {
  name: 'password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters. A few words that nobody would guess are best.',
})}
<button>Change the password</button>
</form>
</section>`,
  })
}

function accountsPart({ token }: Visit, { account, accounts }: SessionView): Html {
  const rows = accounts.map(
    ({ id, name, role }) => html`<li><p><strong>${name}</strong><br><span class="faint">${roleText(role)}</span></p>
${
  id === account?.id
    ? html`<span class="faint">Current account</span>`
    : html`<form method="post" action="/settings/account">${tokenField(token)}<input type="hidden" name="account" value="${id}"><button class="small second" aria-label="Switch to ${name}">Switch to this one</button></form>`
}
<details><summary aria-label="Leave ${name}">Leave</summary>
<p>Your app passwords for this account end, and the programs that you connected to it are disconnected. You can come back only by an invitation.</p>
${buttonForm({ action: '/settings/leave', token, label: 'Leave this account', about: `(${name})`, style: 'danger', fields: { account: id } })}
</details></li>`,
  )
  return html`<section class="card" aria-labelledby="accounts">
<h2 id="accounts">Accounts</h2>
${rows.length === 0 ? html`<p>None yet. Open the claim link of an agent, or an invitation.</p>` : html`<ul class="rows">${rows}</ul>`}
</section>
`
}

/** Describes a role. */
export const roleText = (role: string): string => roles[role] ?? role
const roles: { readonly [role: string]: string } = {
  owner: 'Owner: everything, including keys and members',
  member: 'Member: mail and mailboxes',
  reader: 'Reader: reads, but changes nothing',
}
