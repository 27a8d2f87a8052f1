/** Who is signed in, and in which of their accounts. */
import { ApiError } from '../../sdk/errors.ts'
import type { SessionGetResult } from '../../sdk/generated/types.ts'
import { beginElsewhere, mailroom, useSession } from './client.ts'
import { finishNow } from './notices.svelte.ts'

export type Session = SessionGetResult
export type Role = NonNullable<Session['account']>['role']

let current = $state.raw<Session | null>(null)
/** All windows of a browser have one session: each tells the others whom it found, and in which account. */
const windows = new BroadcastChannel('mailroom.session')
windows.onmessage = ({ data }) => {
  if (current !== null && data !== whoIn(current)) beginElsewhere()
}

/** The session; there is one wherever a page is shown. */
export function session(): Session {
  if (current === null) throw new Error('Nobody is signed in.')
  return current
}

/** Resolves to whether somebody is signed in; else the browser is on its way to the page for signing in. */
export async function openSession(): Promise<boolean> {
  try {
    take(await mailroom.session.get())
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 401) throw error
    return false
  }
}

/** Acts on another account from now on: everything that is shown is of the one before, so the page begins anew. */
export async function switchAccount(account: string): Promise<void> {
  if (!(await finishNow())) return
  await mailroom.session.switch({ account })
  location.assign('/app')
}

export async function signOut(): Promise<void> {
  await mailroom.session.end()
  location.assign('/sign-in')
}

const ranks: Readonly<Record<Role, number>> = { reader: 0, member: 1, owner: 2 }

/** Whether the person may do in the account what needs a role, or administers the service. */
export const mayAs = (role: Role | 'administrator'): boolean =>
  role === 'administrator' ? session().administrator : ranks[session().account?.role ?? 'reader'] >= ranks[role]

function take(found: Session): void {
  current = found
  useSession(found.csrfToken)
  windows.postMessage(whoIn(found))
}

const whoIn = ({ person, account }: Session): string => `${person.id} ${account?.id ?? ''}`
