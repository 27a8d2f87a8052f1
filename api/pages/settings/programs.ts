import { deleteGrant, listGrants } from '../../../operations/grants.ts'
import type { Grant } from '../../../schemas/grants.ts'
import type { Infer } from '../../../schemas/infer.ts'
import { alert, buttonForm, type Done, emptyForm, type Typed, time } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageRoute, type Rows, refused, type Visit } from '../visit.ts'
import { noAccount, settingsPage, viewOf } from './frame.ts'

const place = '/settings/programs'
const done: Done = { disconnected: 'The program is disconnected, and no longer has access.' }

export const programsPages: readonly PageRoute[] = [
  { path: place, show: (visit) => programsPage(visit, emptyForm) },
  {
    path: '/settings/programs/disconnect',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(deleteGrant, { grant_id: visit.form.get('grant') ?? '' })
          return { location: `${place}?done=disconnected` }
        },
        (refusal) => programsPage(visit, { values: {}, refusal }),
      ),
  },
]

async function programsPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  const content = async () => {
    if (view.account === null) return noAccount
    const { grants } = await visit.ask<Rows<'grants', Infer<typeof Grant>>>(listGrants)
    return html`<section class="card" aria-labelledby="programs">
<h2 id="programs">Connected programs</h2>
<p>Programs that act in this account because ${view.account.role === 'owner' ? 'you or another member' : 'you'} allowed it. To connect a program, give it this address: <code>${visit.ctx.baseUrl}/api/mcp</code></p>
${grants.length === 0 ? html`<p class="faint">No program is connected.</p>` : html`<ul class="rows">${grants.map((grant) => grantRow(visit, grant, view.person.id))}</ul>`}
</section>`
  }
  return settingsPage(visit, view, {
    place,
    title: 'Programs',
    done,
    typed,
    content: html`${alert(typed)}${await content()}`,
  })
}

function grantRow({ token }: Visit, grant: Infer<typeof Grant>, ownId: string): Html {
  const { id, name, redirectsTo, person, scopes, mailboxes, createdAt, lastUsedAt, lastUsedFrom } = grant
  const used = lastUsedAt === null ? html`never used` : html`last used ${time(lastUsedAt)} from ${lastUsedFrom}`
  const by = person === null || person.id === ownId ? null : html` by ${person.email}`
  return html`<li><p><strong>${name}</strong> <span class="faint">${redirectsTo}</span><br>
<span class="faint">Connected ${time(createdAt)}${by}, ${used}<br>${scopes.join(' ')}<br>${mailboxes === null ? 'All mailboxes' : mailboxes.join(', ') || 'No mailbox'}</span></p>
${buttonForm({ action: '/settings/programs/disconnect', token, label: 'Disconnect', about: name, style: 'danger', fields: { grant: id } })}</li>`
}
