import { eraseAccount, getExport, requestExport } from '../../../operations/account.ts'
import { eraseMe } from '../../../operations/people.ts'
import type { AccountExport } from '../../../schemas/accounts.ts'
import { Failure } from '../../../schemas/failures.ts'
import type { Infer } from '../../../schemas/infer.ts'
import { alert, buttonForm, type Done, emptyForm, field, type Typed, time, tokenField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageRoute, refused, type Visit } from '../visit.ts'
import { noAccount, settingsPage, viewOf } from './frame.ts'

const place = '/settings/personal'
const done: Done = { asked: 'The export is being made. Reload this page in a moment.' }

export const personalPages: readonly PageRoute[] = [
  { path: place, show: (visit) => personalPage(visit, emptyForm) },
  {
    path: '/settings/personal/export',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(requestExport)
          return { location: `${place}?done=asked` }
        },
        (refusal) => personalPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/personal/erase',
    async send(visit) {
      const [confirm, password] = [visit.form.get('confirm') ?? '', visit.form.get('password') ?? '']
      const { account } = await viewOf(visit)
      return refused(
        async () => {
          await visit.ask(eraseAccount, { confirm, password })
          return erasedPage(account?.name ?? '')
        },
        (refusal) => personalPage(visit, { values: { confirm }, refusal }),
      )
    },
  },
  {
    path: '/settings/personal/erase-me',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(eraseMe, { password: visit.form.get('password') ?? '' })
          return goodbyePage
        },
        (refusal) => personalPage(visit, { values: {}, refusal }),
      ),
  },
]

async function personalPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  const { account } = view
  const content = async () => {
    if (account === null) return html`${noAccount}${eraseMePart(visit, view.person.email, typed)}`
    if (account.role !== 'owner')
      return html`<p>Your role is ${account.role}. Only owners can export or erase the account.</p>`
    return html`${await exportPart(visit)}${erasePart(visit, account.name, typed)}`
  }
  return settingsPage(visit, view, {
    place,
    title: 'Export and erase',
    done,
    typed,
    content: html`${alert(typed, ['confirm', 'password'])}${await content()}`,
  })
}

async function exportPart(visit: Visit): Promise<Html> {
  const newest = await newestExport(visit)
  const isUnderWay = newest?.state === 'waiting' || newest?.state === 'running'
  return html`<section class="card" aria-labelledby="export">
<h2 id="export">Export</h2>
<p>Everything in the account as one zip file: mail as mbox, everything else as JSON.</p>
${newest === null ? null : stateText(newest)}
${isUnderWay ? null : buttonForm({ action: '/settings/personal/export', token: visit.token, label: 'Make an export' })}
</section>
`
}

/** The newest export; null if there is none. */
async function newestExport(visit: Visit): Promise<Infer<typeof AccountExport> | null> {
  try {
    return await visit.ask<Infer<typeof AccountExport>>(getExport)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

function stateText({ state, progress, createdAt, url, expiresAt }: Infer<typeof AccountExport>): Html {
  const asked = html`Requested ${time(createdAt)}`
  if (url !== null && expiresAt !== null)
    return html`<p><a href="${url}">Download the export</a><br><span class="faint">${asked}. The link works for anybody who has it, until ${time(expiresAt)}.</span></p>`
  if (state === 'failed') return html`<p>${asked}: the export failed. Make it again.</p>`
  return html`<p>${asked}: ${progress.written} of ${progress.total} records are written. Reload this page in a moment.</p>`
}

function erasePart({ token }: Visit, name: string, typed: Typed): Html {
  return html`<section class="card" aria-labelledby="erase">
<h2 id="erase">Erase</h2>
<p>Erases the account <strong>${name}</strong> for good: all mail, addresses, keys and settings. Members who are in no other account, which may include you, are erased too. <strong>Nobody can restore any of this.</strong></p>
<form method="post" action="/settings/personal/erase">${tokenField(token)}
${field(typed, { name: 'confirm', label: 'Name of the account', autocomplete: 'off', hint: `Type "${name}" to confirm.`, maxLength: 255 })}
${field(typed, { name: 'password', label: 'Your password', type: 'password', autocomplete: 'current-password' })}
<button class="danger">Erase the account</button>
</form>
</section>`
}

/** For a person who is in no account: a member is erased with the account instead. */
function eraseMePart({ token }: Visit, email: string, typed: Typed): Html {
  return html`<section class="card" aria-labelledby="erase">
<h2 id="erase">Erase</h2>
<p>Erases all data about you, <strong>${email}</strong>, for good: address, name, password, second factors and sessions. <strong>Nobody can restore any of this.</strong></p>
<form method="post" action="/settings/personal/erase-me">${tokenField(token)}
${field(typed, { name: 'password', label: 'Your password', type: 'password', autocomplete: 'current-password' })}
<button class="danger">Erase my data</button>
</form>
</section>`
}

const goodbyePage: Page = {
  title: 'Your data is erased',
  isNarrow: true,
  content: html`<p>No data about you is kept here, and your sessions have ended.</p>`,
}

/** Has no settings header, because the session may have ended with the account. */
const erasedPage = (name: string): Page => ({
  title: 'The account is being erased',
  isNarrow: true,
  content: html`<p>The keys, sessions and addresses of <strong>${name}</strong> have ended. Everything else will be erased within a few minutes.</p>
<p><a href="/settings">To your other accounts</a></p>`,
})
