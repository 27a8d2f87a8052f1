import { beginPasskey, hasPasskeys, passkeysMax } from '../../../core/people/passkeys.ts'
import { unconfirmedTotp } from '../../../core/people/totp.ts'
import {
  createPasskey,
  getTotp,
  listPasskeys,
  optionsOf,
  removePasskey,
  removeTotp,
  setTotp,
} from '../../../operations/second-factors.ts'
import { endOtherSession, listSessions } from '../../../operations/session.ts'
import { Failure } from '../../../schemas/failures.ts'
import type { Infer } from '../../../schemas/infer.ts'
import type { Sessions } from '../../../schemas/people.ts'
import type { Passkeys, RecoveryCodes, SecondFactor } from '../../../schemas/second-factors.ts'
import { browserOf } from '../browsers.ts'
import {
  alert,
  buttonForm,
  type Done,
  emptyForm,
  field,
  passkeyForm,
  qrCode,
  type Typed,
  time,
  tokenField,
} from '../controls.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../page.ts'
import { credentialOf, type PageRoute, refused, type Visit } from '../visit.ts'
import { type SessionView, settingsPage, viewOf } from './frame.ts'

const rowsMax = 200
const place = '/settings/security'
const done: Done = {
  'app-removed': 'The authenticator app is removed. Signing in needs only your password.',
  'passkey-added': 'The passkey is added. You can sign in with it.',
  'passkey-removed': 'The passkey is removed.',
  'session-ended': 'That session has ended.',
}

export const securityPages: readonly PageRoute[] = [
  { path: place, show: (visit) => securityPage(visit, emptyForm) },
  {
    path: '/settings/security/app',
    show: (visit) => appPage(visit, emptyForm),
    async send(visit) {
      const { session, ctx, form } = visit
      const code = form.get('code')
      if (session === null) throw new Failure('unauthorized')
      if (code === null) {
        return refused(
          async () => {
            // Keeps an unconfirmed secret, because the person may have added it to the app already.
            const label = (await viewOf(visit)).person.email
            if ((await unconfirmedTotp(ctx, { personId: session.personId, label })) === null) await visit.ask(setTotp)
            return { location: '/settings/security/app' }
          },
          (refusal) => securityPage(visit, { values: {}, refusal }),
        )
      }
      return refused(
        async () => codesPage(visit, await visit.ask<Infer<typeof RecoveryCodes>>(setTotp, { code })),
        (refusal) => appPage(visit, { values: {}, refusal }),
      )
    },
  },
  {
    path: '/settings/security/codes',
    send: (visit) =>
      refused(
        async () =>
          codesPage(
            visit,
            await visit.ask<Infer<typeof RecoveryCodes>>(setTotp, { code: visit.form.get('renewCode') ?? '' }),
          ),
        (refusal) => securityPage(visit, { values: {}, refusal: { ...refusal, field: 'renewCode' } }),
      ),
  },
  {
    path: '/settings/security/app/remove',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(removeTotp, { code: visit.form.get('code') ?? '' })
          return { location: `${place}?done=app-removed` }
        },
        (refusal) => securityPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/security/passkeys',
    send: (visit) =>
      refused(
        async () => {
          const name = visit.form.get('name') || 'Passkey'
          await visit.ask(createPasskey, { credential: credentialOf(visit.form) ?? {}, name })
          return { location: `${place}?done=passkey-added` }
        },
        (refusal) => securityPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/security/passkeys/remove',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(removePasskey, { passkey_id: visit.form.get('passkey') ?? '' })
          return { location: `${place}?done=passkey-removed` }
        },
        (refusal) => securityPage(visit, { values: {}, refusal }),
      ),
  },
  {
    path: '/settings/security/sessions/end',
    send: (visit) =>
      refused(
        async () => {
          await visit.ask(endOtherSession, { session_id: visit.form.get('session') ?? '' })
          return { location: `${place}?done=session-ended` }
        },
        (refusal) => securityPage(visit, { values: {}, refusal }),
      ),
  },
]

async function securityPage(visit: Visit, typed: Typed): Promise<Page> {
  const view = await viewOf(visit)
  const [app, { passkeys }, { sessions }] = [
    await visit.ask<Infer<typeof SecondFactor>>(getTotp),
    await visit.ask<Infer<typeof Passkeys>>(listPasskeys),
    await visit.ask<Infer<typeof Sessions>>(listSessions, { limit: rowsMax }),
  ]
  return settingsPage(visit, view, {
    place,
    title: 'Security',
    done,
    typed,
    isScripted: true,
    content: html`${alert(typed, app.enabled ? ['code', 'renewCode'] : [])}
${appPart(visit, app, typed)}
<section class="card" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
<p>A passkey signs you in with your phone, your computer or a security key, without a password or a code.</p>
${passkeys.length === 0 ? null : html`<ul class="rows">${passkeys.map((passkey) => passkeyRow(visit, passkey))}</ul>`}
${await passkeyPart(visit, view, passkeys.length)}
</section>
<section class="card" aria-labelledby="sessions">
<h2 id="sessions">Where you are signed in</h2>
<ul class="rows">${sessions.map((session) => sessionRow(visit, session))}</ul>
</section>`,
  })
}

function appPart(visit: Visit, app: Infer<typeof SecondFactor>, typed: Typed): Html {
  const title = html`<h2 id="app">Authenticator app</h2>`
  if (!app.enabled || app.confirmedAt === undefined)
    return html`<section class="card" aria-labelledby="app">${title}
<p>With an app, signing in also needs a code that it shows on your phone, so that your password alone is not enough.</p>
<form method="post" action="/settings/security/app">${tokenField(visit.token)}<button>Set up an authenticator app</button></form>
</section>
`
  const hint = 'A code from the app, or a recovery code.'
  const codeField = { autocomplete: 'one-time-code', isCode: true, maxLength: 40, hint } as const
  return html`<section class="card" aria-labelledby="app">${title}
<p>On since ${time(app.confirmedAt)}. You have <strong>${app.recoveryCodesLeft}</strong> recovery codes left.</p>
<details${typed.refusal?.field === 'renewCode' ? html` open` : null}><summary>Make new recovery codes</summary>
<form method="post" action="/settings/security/codes">${tokenField(visit.token)}
${field(typed, { ...codeField, name: 'renewCode', label: 'Code' })}
<button class="second">Make new recovery codes</button>
</form></details>
<details${typed.refusal?.field === 'code' ? html` open` : null}><summary>Remove the app</summary>
<form method="post" action="/settings/security/app/remove">${tokenField(visit.token)}
${field(typed, { ...codeField, name: 'code', label: 'Code' })}
<button class="danger">Remove the app</button>
</form></details>
</section>
`
}

const passkeyRow = (
  { token }: Visit,
  { id, name, createdAt, lastUsedAt }: Infer<typeof Passkeys>['passkeys'][number],
) =>
  html`<li><p><strong>${name}</strong><br><span class="faint">Added ${time(createdAt)}${
    lastUsedAt === null ? ', never used' : html`, last used ${time(lastUsedAt)}`
  }</span></p>
${buttonForm({ action: '/settings/security/passkeys/remove', token, label: 'Remove', about: name, style: 'danger', fields: { passkey: id } })}</li>`

async function passkeyPart({ ctx, session, token }: Visit, { person }: SessionView, count: number): Promise<Html> {
  if (!hasPasskeys(ctx) || session === null)
    return html`<p class="faint">Passkeys are not available here: browsers keep them only for a domain with https, and this service is at <code>${ctx.baseUrl}</code>.</p>`
  if (count >= passkeysMax) return html`<p class="faint">You have ${passkeysMax} passkeys, which is the maximum.</p>`
  const { id: personId, email, name } = person
  const options = await optionsOf(beginPasskey(ctx, { personId, email, name, binding: session.id }))
  return passkeyForm({
    action: '/settings/security/passkeys',
    token,
    ceremony: 'create',
    options,
    label: 'Add a passkey',
    fields: field(emptyForm, {
      name: 'name',
      label: 'Name of the passkey',
      autocomplete: 'off',
      hint: 'Such as "Phone". It is shown in this list.',
      maxLength: 60,
    }),
  })
}

type OpenSession = Infer<typeof Sessions>['sessions'][number]

const sessionRow = ({ token, session }: Visit, { id, createdAt, createdFrom, usedAt, usedFrom }: OpenSession) =>
  html`<li><p>Signed in ${time(createdAt)} from ${deviceText(createdFrom)}<br><span class="faint">Last used about ${time(usedAt)} from ${deviceText(usedFrom)}</span></p>
${
  id === session?.id
    ? html`<span class="faint">This one</span>`
    : buttonForm({
        action: '/settings/security/sessions/end',
        token,
        label: 'End',
        about: 'this session',
        style: 'danger',
        fields: { session: id },
      })
}</li>`

const deviceText = ({ address, userAgent }: OpenSession['usedFrom']) => `${address}, ${browserOf(userAgent)}`

async function appPage(visit: Visit, typed: Typed) {
  const { ctx, session, token } = visit
  const view = await viewOf(visit)
  const label = view.person.email
  const app = session === null ? null : await unconfirmedTotp(ctx, { personId: session.personId, label })
  if (app === null) return { location: place }
  return settingsPage(visit, view, {
    place,
    title: 'Set up an authenticator app',
    typed,
    content: html`<section class="card" aria-labelledby="scan">
<h2 id="scan">1. Add Mailroom to the app</h2>
<p>Scan this with an authenticator app on your phone:</p>
${qrCode(app.uri, 'QR code with the secret, which is also shown below as text')}
<p>Or type in the secret:</p>
<p class="secret" id="secret">${app.secret.replaceAll(/.{4}(?=.)/g, '$& ')}</p>
</section>
<section class="card" aria-labelledby="confirm">
<h2 id="confirm">2. Check that it works</h2>
<form method="post" action="/settings/security/app">${tokenField(token)}
${field(typed, {
  name: 'code',
  label: 'Code',
  autocomplete: 'one-time-code',
  hint: 'The six digits that the app shows.',
  isCode: true,
  isFocused: true,
  maxLength: 40,
})}
<button>Turn it on</button>
</form>
</section>
<p><a href="${place}">Not now</a></p>`,
  })
}

async function codesPage(visit: Visit, { recoveryCodes }: Infer<typeof RecoveryCodes>): Promise<Page> {
  return settingsPage(visit, await viewOf(visit), {
    place,
    title: 'Your recovery codes',
    content: html`<div class="card">
<p><strong>Keep these ten codes where you can find them without your phone.</strong> Each replaces a code of the app once. They are not shown again.</p>
<ul class="codes">${recoveryCodes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a href="${place}">I have saved them</a></p>
</div>`,
  })
}
