import { changeMember, inviteMember, listMembers, removeMember } from '../../../operations/members.ts'
import type { Infer } from '../../../schemas/infer.ts'
import type { Member } from '../../../schemas/people.ts'
import { type Role, roleNames } from '../../../schemas/scopes.ts'
import { alert, buttonForm, choices, type Done, emptyForm, field, type Typed, time, tokenField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageRoute, type Rows, refused, type Visit } from '../visit.ts'
import { noAccount, settingsPage, viewOf } from './frame.ts'
import { roleText } from './you.ts'

const place = '/settings/members'
const done: Done = {
  invited: 'The invitation is on its way.',
  changed: 'The role is changed.',
  removed: 'Removed.',
}
const newRole: Role = 'member'

export const membersPages: readonly PageRoute[] = [
  {
    path: place,
    show: (visit) => membersPage(visit, emptyForm),
    async send(visit) {
      const email = visit.form.get('email') ?? ''
      const role = visit.form.get('role') ?? newRole
      return refused(
        async () => {
          await visit.ask(inviteMember, { email, role })
          return { location: `${place}?done=invited` }
        },
        (refusal) => membersPage(visit, { values: { email, role }, refusal }),
      )
    },
  },
  {
    path: '/settings/members/role',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(changeMember, {
            member_id: visit.form.get('member') ?? '',
            role: visit.form.get('role') ?? '',
          })
          return { location: `${place}?done=changed` }
        },
        (refusal) => membersPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/members/remove',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(removeMember, { member_id: visit.form.get('member') ?? '' })
          return { location: `${place}?done=removed` }
        },
        (refusal) => membersPage(visit, { values: {}, refusal }),
      ),
  },
]

async function membersPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  const { account, person } = view
  const isOwner = account?.role === 'owner'
  const members = isOwner ? (await visit.ask<Rows<'members', Infer<typeof Member>>>(listMembers)).members : []
  return settingsPage(visit, view, {
    place,
    title: account === null ? 'Members' : `Members of ${account.name}`,
    done,
    typed,
    content: html`${alert(typed, ['email'])}
${account === null ? noAccount : null}
${account === null || isOwner ? null : html`<p>Your role is ${account.role}. Owners of the account see and invite members.</p>`}
${isOwner ? html`<div class="card"><ul class="rows">${members.map((member) => memberRow(visit, member, person.id))}</ul></div>` : null}
${isOwner ? invitePart(visit, typed) : null}`,
  })
}

function memberRow({ token }: Visit, member: Infer<typeof Member>, ownId: string): Html {
  const { id, email, name, role, status, since } = member
  const isInvited = status === 'invited'
  return html`<li><p><strong>${name ?? email}</strong>${id === ownId ? ' (you)' : null}<br><span class="faint">${name === null ? null : html`${email}, `}${
    isInvited ? html`invited ${time(since)}` : html`since ${time(since)}`
  }</span></p>
<div class="actions">${isInvited ? html`<span class="faint">${role}</span>` : roleForm(token, { id, email, role })}
${buttonForm({
  action: '/settings/members/remove',
  token,
  label: isInvited ? 'Withdraw' : 'Remove',
  about: email,
  style: 'danger',
  fields: { member: id },
})}</div></li>`
}

function roleForm(token: string, { id, email, role }: Pick<Infer<typeof Member>, 'id' | 'email' | 'role'>): Html {
  const options = roleNames.map((each) => html`<option${each === role ? html` selected` : null}>${each}</option>`)
  return html`<form class="actions" method="post" action="/settings/members/role">${tokenField(token)}<input type="hidden" name="member" value="${id}">
<select name="role" aria-label="Role of ${email}">${options}</select><button class="small second" aria-label="Set the role of ${email}">Set</button></form>`
}

function invitePart({ token }: Visit, typed: Typed): Html {
  const options = roleNames.map((value) => ({ value, label: roleText(value) }))
  return html`<section class="card" aria-labelledby="invite">
<h2 id="invite">Invite somebody</h2>
<form method="post">${tokenField(token)}
${field(typed, { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'off', hint: 'The invitation is mailed to this address, and is valid for 7 days.' })}
${choices({ name: 'role', legend: 'Role', type: 'radio', options, checked: [typed.values.role ?? newRole], error: typed.refusal })}
<button>Invite</button>
</form>
</section>`
}
