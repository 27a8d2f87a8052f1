import {
  createKey,
  createPassword,
  deleteKey,
  deletePassword,
  listKeys,
  listPasswords,
} from '../../../operations/keys.ts'
import { listMailboxes } from '../../../operations/mailboxes.ts'
import type { Operation } from '../../../operations/registry.ts'
import { mailboxesOffered, pageSizeMax } from '../../../schemas/fields.ts'
import type { Infer } from '../../../schemas/infer.ts'
import type { AppPassword, Key } from '../../../schemas/keys.ts'
import type { Mailbox } from '../../../schemas/mailboxes.ts'
import { allScopes, type Scope, scopes, signupScopes } from '../../../schemas/scopes.ts'
import { alert, buttonForm, choices, type Done, emptyForm, field, type Typed, time, tokenField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { type PageRoute, type Rows, refused, type Visit } from '../visit.ts'
import { noAccount, type SessionView, settingsPage, viewOf } from './frame.ts'

const place = '/settings/developers'
const done: Done = { revoked: 'It is revoked, and no longer gives access.' }

const waits = { value: 'required', label: 'Wait for approval', hint: 'until a person has read and approved it' }

type OwnKey = Infer<typeof Key>
type OwnPassword = Infer<typeof AppPassword>

export const developersPages: readonly PageRoute[] = [
  { path: place, show: (visit) => developersPage(visit, emptyForm) },
  {
    path: '/settings/developers/keys',
    show: (visit) => newKeyPage(visit, emptyForm),
    async send(visit) {
      const { form } = visit
      const [name, kind, expires] = [form.get('name') ?? '', form.get('kind') ?? '', form.get('expiresAt') ?? '']
      const chosen = { scopes: form.getAll('scopes'), mailboxes: form.getAll('mailboxes') }
      const input = {
        name,
        kind,
        scopes: chosen.scopes,
        ...(kind === 'agent' && { mailboxes: chosen.mailboxes }),
        ...(expires !== '' && { expiresAt: `${expires}T23:59:59.999Z` }),
        ...(form.get('approval') === 'required' && { approval: 'required' }),
      }
      return refused(
        async () => shownOncePage(visit, name, (await visit.ask<{ readonly apiKey: string }>(createKey, input)).apiKey),
        (refusal) => newKeyPage(visit, { values: { name, kind, expiresAt: expires }, refusal }, chosen),
      )
    },
  },
  {
    path: '/settings/developers/keys/revoke',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(deleteKey, { key_id: visit.form.get('key') ?? '' })
          return { location: `${place}?done=revoked` }
        },
        (refusal) => developersPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/developers/app-passwords',
    show: () => ({ location: place }),
    async send(visit) {
      const [address, name] = [visit.form.get('address') ?? '', visit.form.get('appName') ?? '']
      return refused(
        async () => {
          const made = await visit.ask<{ readonly password: string }>(createPassword, { address, name })
          return shownOncePage(visit, name, made.password)
        },
        (refusal) => developersPage(visit, { values: { appName: name }, refusal: { ...refusal, field: 'appName' } }),
      )
    },
  },
  {
    path: '/settings/developers/app-passwords/revoke',
    send: (visit) =>
      refused(
        async () => {
          const { form } = visit
          await visit.ask(deletePassword, { address: form.get('address') ?? '', key_id: form.get('password') ?? '' })
          return { location: `${place}?done=revoked` }
        },
        (refusal) => developersPage(visit, { values: {}, refusal }),
      ),
  },
]

async function developersPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  const { account } = view
  const content = async () => {
    const addresses = await addressesOf(visit)
    return html`${await keysPart(visit, view)}
${await appPasswordsPart(visit, { addresses, typed, canMake: account?.role !== 'reader' })}`
  }
  return settingsPage(visit, view, {
    place,
    title: 'Developers',
    done,
    typed,
    content: html`${alert(typed, ['appName'])}${account === null ? noAccount : await content()}`,
  })
}

async function keysPart(visit: Visit, { account }: SessionView): Promise<Html> {
  const title = html`<h2 id="keys">API keys</h2>`
  if (account?.role !== 'owner')
    return html`<section class="card" aria-labelledby="keys">${title}<p>Owners of the account make and revoke keys.</p></section>`
  const keys = await allRows<'keys', OwnKey>(visit, listKeys, 'keys')
  const rows = keys.filter(({ revokedAt }) => revokedAt === null).map((key) => keyRow(visit, key))
  return html`<section class="card" aria-labelledby="keys">${title}
<p>Programs sign in with a key: <code>Authorization: Bearer svc_live_…</code></p>
${rows.length === 0 ? html`<p class="faint">There are none yet.</p>` : html`<ul class="rows">${rows}</ul>`}
<p><a href="/settings/developers/keys">Make a key</a></p>
</section>`
}

function keyRow({ token }: Visit, key: OwnKey): Html {
  const { id, name, kind, scopes: own, approval, createdAt, expiresAt } = key
  const used = usedText(key)
  const end = expiresAt === null ? null : html`, expires ${time(expiresAt)}`
  return html`<li><p><strong>${name}</strong> <span class="faint">${kind} key${approval === 'required' ? ', its mail waits for approval' : null}</span><br>
<span class="faint">Made ${time(createdAt)}, ${used}${end}<br>${own.join(' ')}</span></p>
${buttonForm({ action: '/settings/developers/keys/revoke', token, label: 'Revoke', about: name, style: 'danger', fields: { key: id } })}</li>`
}

function usedText({ lastUsedAt, lastUsedFrom }: Pick<OwnKey, 'lastUsedAt' | 'lastUsedFrom'>): Html {
  return lastUsedAt === null ? html`never used` : html`last used ${time(lastUsedAt)} from ${lastUsedFrom}`
}

/** The addresses of the newest mailboxes, at most `mailboxesOffered`. */
async function addressesOf(visit: Visit): Promise<readonly string[]> {
  const mailboxes = await allRows<'mailboxes', Mailbox>(visit, listMailboxes, 'mailboxes', mailboxesOffered)
  return mailboxes.map(({ address }) => address)
}

/** The rows of a list, page by page until none is left, or there are `max`. */
async function allRows<K extends string, T>(
  visit: Visit,
  operation: Operation,
  key: K,
  max = Number.POSITIVE_INFINITY,
): Promise<readonly T[]> {
  const rows: T[] = []
  let before: string | null = null
  do {
    const asked = { limit: pageSizeMax, ...(before !== null && { before }) }
    const page: Rows<K, T> & { readonly next: string | null } = await visit.ask(operation, asked)
    rows.push(...page[key])
    before = page.next
  } while (before !== null && rows.length < max)
  return rows.slice(0, max)
}

async function newKeyPage(
  visit: Visit,
  typed: Typed,
  chosen: { readonly scopes: readonly string[]; readonly mailboxes: readonly string[] } = {
    scopes: signupScopes,
    mailboxes: [],
  },
): Promise<Page> {
  const view = await viewOf(visit)
  const addresses = await addressesOf(visit)
  const error = typed.refusal
  const { form } = visit
  const kinds = [
    {
      value: 'agent',
      label: 'Agent key',
      hint: 'for one program: the mailboxes that it creates, and those selected below',
    },
    { value: 'account', label: 'Account key', hint: 'for your own server: all mailboxes of the account' },
  ]
  const scopeOptions = allScopes.map((scope: Scope) => ({
    value: scope,
    label: html`<code>${scope}</code>`,
    hint: scopes[scope],
  }))
  const mailboxOptions = addresses.map((address) => ({ value: address, label: address }))
  return settingsPage(visit, view, {
    place,
    title: 'Make a key',
    typed,
    content: html`${alert(typed, ['name', 'kind', 'scopes', 'mailboxes', 'approval', 'expiresAt'])}
<form class="card" method="post">${tokenField(visit.token)}
${field(typed, { name: 'name', label: 'Name', autocomplete: 'off', hint: 'What it is for, such as "support bot".', isFocused: true })}
${choices({ name: 'kind', legend: 'Kind', type: 'radio', options: kinds, checked: [typed.values.kind || 'agent'], error })}
${choices({ name: 'scopes', legend: 'What it may do', type: 'checkbox', options: scopeOptions, checked: chosen.scopes, error })}
${mailboxOptions.length === 0 ? null : choices({ name: 'mailboxes', legend: 'Mailboxes that an agent key may use from the start', type: 'checkbox', options: mailboxOptions, checked: chosen.mailboxes, error })}
${choices({ name: 'approval', legend: 'Mail that an agent sends', type: 'checkbox', options: [waits], checked: [form.get('approval') ?? ''], error })}
${field(typed, { name: 'expiresAt', label: 'Last day', type: 'date', autocomplete: 'off', hint: 'Without a date the key is valid until it is revoked.', isOptional: true })}
<button>Make the key</button>
</form>
<p><a href="${place}">Back</a></p>`,
  })
}

type Passwords = { readonly addresses: readonly string[]; readonly typed: Typed; readonly canMake: boolean }

/** The app passwords of one mailbox, which the person selects. */
async function appPasswordsPart(visit: Visit, what: Passwords): Promise<Html> {
  const { addresses } = what
  const wanted = visit.form.get('address') ?? visit.query.get('address')
  const address = addresses.find((each) => each === wanted) ?? addresses[0]
  return html`<section class="card" aria-labelledby="app-passwords">
<h2 id="app-passwords">App passwords</h2>
<p>Mail programs sign in with the address of a mailbox and one of its app passwords.</p>
${address === undefined ? html`<p class="faint">The account has no mailbox yet.</p>` : await mailboxPart(visit, address, what)}
</section>`
}

async function mailboxPart(visit: Visit, address: string, { addresses, typed, canMake }: Passwords): Promise<Html> {
  const { appPasswords } = await visit.ask<Rows<'appPasswords', OwnPassword>>(listPasswords, { address })
  const options = addresses.map((each) => html`<option${each === address ? html` selected` : null}>${each}</option>`)
  return html`<form class="actions" action="${place}#app-passwords">
<select name="address" aria-label="Mailbox">${options}</select><button class="small second">Show this mailbox</button>
</form>
<h3>${address}</h3>
${appPasswords.length === 0 ? html`<p class="faint">It has no app password.</p>` : html`<ul class="rows">${appPasswords.map((each) => appPasswordRow(visit, { address, canMake }, each))}</ul>`}
${canMake ? makeForm(visit, address, typed) : null}`
}

const makeForm = ({ token }: Visit, address: string, typed: Typed): Html =>
  html`<form method="post" action="/settings/developers/app-passwords">${tokenField(token)}<input type="hidden" name="address" value="${address}">
${field(typed, { name: 'appName', label: 'Name of the program', autocomplete: 'off', hint: 'Such as "Thunderbird at home".' })}
<button class="second">Make an app password</button>
</form>`

function appPasswordRow(
  { token }: Visit,
  { address, canMake }: { address: string; canMake: boolean },
  password: OwnPassword,
): Html {
  const { id, name, createdAt } = password
  const fields = { address, password: id }
  const action = '/settings/developers/app-passwords/revoke'
  return html`<li><p><strong>${name}</strong><br><span class="faint">Made ${time(createdAt)}, ${usedText(password)}</span></p>
${canMake ? buttonForm({ action, token, label: 'Revoke', about: name, style: 'danger', fields }) : null}</li>`
}

async function shownOncePage(visit: Visit, name: string, secret: string): Promise<Page> {
  return settingsPage(visit, await viewOf(visit), {
    place,
    title: `Copy "${name}" now`,
    content: html`<div class="card">
<p><strong>It is shown only once.</strong> Anybody who has it can use it: keep it as safe as a password.</p>
<p class="secret" id="secret">${secret}</p>
<p><a href="${place}">I have copied it</a></p>
</div>`,
  })
}
