/** What all settings pages share: the signed-in person, the account, and the navigation. */

import { getSession } from '../../../operations/session.ts'
import type { Infer } from '../../../schemas/infer.ts'
import type { Session } from '../../../schemas/people.ts'
import { type Done, doneNotice, emptyForm, type Typed, tokenField } from '../controls.ts'
import { type Html, html } from '../html.ts'
import { type Page, siteHeader } from '../page.ts'
import type { Visit } from '../visit.ts'

export type SessionView = Infer<typeof Session>

const sections = [
  { place: '/settings', label: 'You' },
  { place: '/settings/security', label: 'Security' },
  { place: '/settings/approvals', label: 'Approvals' },
  { place: '/settings/programs', label: 'Programs' },
  { place: '/settings/developers', label: 'Developers' },
  { place: '/settings/members', label: 'Members' },
  { place: '/settings/personal', label: 'Export and erase' },
] as const
export type Place = (typeof sections)[number]['place']

/** The signed-in person. Fails with `unauthorized`. */
export const viewOf = (visit: Visit): Promise<SessionView> => visit.ask<SessionView>(getSession)

/** Makes a settings page. */
export function settingsPage(
  visit: Visit,
  view: SessionView,
  {
    place,
    title,
    content,
    done = {},
    typed = emptyForm,
    isScripted = false,
  }: {
    readonly place: Place
    readonly title: string
    readonly content: Html
    readonly done?: Done
    readonly typed?: Typed
    readonly isScripted?: boolean
  },
): Page {
  return {
    title,
    isScripted,
    hasFailed: typed.refusal !== null,
    header: headerOf(visit, view, place),
    content: html`${typed.refusal === null ? doneNotice(visit, done) : null}${content}`,
  }
}

/** The top of a page for a signed-in person. */
export function headerOf({ token }: Visit, { person }: SessionView, current: Place | null): Html {
  const links = sections.map(
    ({ place, label }) => html`<a href="${place}"${place === current ? html` aria-current="page"` : null}>${label}</a>`,
  )
  return siteHeader(html`<nav aria-label="Settings"><a href="/app">Dashboard</a>${links}</nav>
<form method="post" action="/sign-out">${tokenField(token)}<button class="small second" aria-label="Sign out ${person.email}">Sign out</button></form>`)
}

/** The content of pages about an account, for a person who is in none. */
export const noAccount = html`<p>You are not a member of any account. Open the claim link of an agent, or an invitation.</p>`
