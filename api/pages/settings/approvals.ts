import { getAccount, updateAccount } from '../../../operations/account.ts'
import { decideApproval, getApproval, listApprovals } from '../../../operations/approvals.ts'
import type { Account } from '../../../schemas/accounts.ts'
import type { Approval, WholeApproval } from '../../../schemas/approvals.ts'
import type { Infer } from '../../../schemas/infer.ts'
import { alert, buttonForm, type Done, emptyForm, field, type Typed, time, tokenField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageRoute, type Rows, refused, type Visit } from '../visit.ts'
import { noAccount, type SessionView, settingsPage, viewOf } from './frame.ts'

const place = '/settings/approvals'
const done: Done = {
  approve: 'The mail is approved, and on its way.',
  refuse: 'The mail is refused. The agent can see this in the status of the send.',
  changed: 'The setting is changed.',
}
/** At most this many waiting sends are shown; once they are decided the next ones follow. */
const rowsMax = 50

type Whole = Infer<typeof WholeApproval>

export const approvalsPages: readonly PageRoute[] = [
  { path: place, show: (visit) => approvalsPage(visit, emptyForm) },
  {
    path: '/settings/approvals/mode',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(updateAccount, { approval: visit.form.get('approval') ?? '' })
          return { location: `${place}?done=changed` }
        },
        (refusal) => approvalsPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/approvals/{id}',
    show: (visit) => approvalPage(visit, emptyForm),
    async send(visit) {
      const { form, params } = visit
      const decision = form.get('decision') ?? ''
      const reason = form.get('reason') ?? ''
      const input = { id: params.id, decision, hash: form.get('hash') ?? '', ...(reason !== '' && { reason }) }
      return refused(
        async () => {
          await visit.ask(decideApproval, input)
          return { location: `${place}?done=${decision}` }
        },
        (refusal) => approvalPage(visit, { values: { reason }, refusal }),
      )
    },
  },
]

async function approvalsPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  return settingsPage(visit, view, {
    place,
    title: 'Approvals',
    done,
    typed,
    content: html`${alert(typed)}${view.account === null ? noAccount : await waitingPart(visit, view)}`,
  })
}

async function waitingPart(visit: Visit, { account }: SessionView): Promise<Html> {
  if (account?.role === 'reader')
    return html`<p>Your role is reader. Owners and members of the account approve mail.</p>`
  const wanted = { status: 'waiting', limit: rowsMax }
  const { approvals } = await visit.ask<Rows<'approvals', Approval>>(listApprovals, wanted)
  return html`<section class="card" aria-labelledby="waiting">
<h2 id="waiting">Waiting mail of agents</h2>
${approvals.length === 0 ? html`<p class="faint">No mail is waiting.</p>` : html`<ul class="rows">${approvals.map(row)}</ul>`}
</section>
${account?.role === 'owner' ? await modePart(visit) : null}`
}

function row({ id, from, recipients, subject, createdAt }: Approval): Html {
  return html`<li><p><a href="${place}/${id}">${subject || '(no subject)'}</a><br>
<span class="faint">${from} to ${recipients.join(', ')}, requested ${time(createdAt)}</span></p></li>`
}

async function modePart(visit: Visit): Promise<Html> {
  const { approval } = await visit.ask<Infer<typeof Account>>(getAccount)
  const waits = approval === 'required'
  return html`<section class="card" aria-labelledby="mode">
<h2 id="mode">Which mail waits</h2>
<p>${waits ? 'All mail that agent keys of this account send waits until somebody approves it.' : 'Mail of agent keys of this account is sent at once, except for keys that require approval.'}</p>
${buttonForm({
  action: `${place}/mode`,
  token: visit.token,
  label: waits ? 'Let agents send at once' : 'Require approval for all agents',
  fields: { approval: waits ? 'none' : 'required' },
})}
</section>`
}

async function approvalPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  const approval = await visit.ask<Whole>(getApproval, { id: visit.params.id })
  return settingsPage(visit, view, {
    place,
    title: approval.subject || '(no subject)',
    typed,
    content: html`${alert(typed, ['reason'])}
<div class="card">
<p>From <strong>${approval.from}</strong><br>To <strong>${approval.recipients.join(', ')}</strong><br>
<span class="faint">Requested ${time(approval.createdAt)}${approval.sendAt === null ? null : html`, to be sent ${time(approval.sendAt)}`}</span></p>
${contentPart(approval)}
</div>
${approval.content === null ? null : decisionPart(visit, approval, typed)}
<p><a href="${place}">Back</a></p>`,
  })
}

function contentPart({ content, status }: Whole): Html {
  if (content === null) return html`<p>There is nothing to decide: this mail is ${status}.</p>`
  const { text, attachments, hidden, truncated } = content
  const files = attachments.map(
    ({ name, content_type: type, size }) => html`<li>${name} <span class="faint">${type}, ${size} bytes</span></li>`,
  )
  return html`<pre class="letter" tabindex="0" aria-label="Text of the mail">${text}</pre>
${files.length === 0 ? null : html`<h3>Files</h3><ul>${files}</ul>`}
${hidden.length === 0 ? null : html`<div class="notice bad"><p>It contains text that its readers do not see: ${hidden.map(({ excerpt }) => excerpt).join(' … ')}</p></div>`}
${truncated ? html`<div class="notice bad"><p>The mail is longer than the part shown here.</p></div>` : null}`
}

function decisionPart({ token }: Visit, { hash }: Whole, typed: Typed): Html {
  return html`<form class="card" method="post">${tokenField(token)}<input type="hidden" name="hash" value="${hash}">
${field(typed, { name: 'reason', label: 'Message to the agent', autocomplete: 'off', isOptional: true, hint: 'Such as what it has to change.' })}
<div class="actions"><button name="decision" value="approve">Approve and send</button>
<button class="danger" name="decision" value="refuse">Refuse</button></div>
</form>`
}
