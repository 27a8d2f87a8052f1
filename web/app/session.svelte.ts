/** Who is signed in, and which of their accounts the session acts on. */
import { ApiError } from '../../sdk/errors.ts'
import type { SessionGetResult } from '../../sdk/generated/types.ts'
import { beginElsewhere, mailroom, useSession } from './client.ts'
import { finishNow } from './notices.svelte.ts'

export type Session = SessionGetResult
export type Role = NonNullable<Session['account']>['role']

let current = $state.raw<Session | null>(null)
/** All windows of a browser share one session. Each tells the others which person and account it found. */
const windows = new BroadcastChannel('mailroom.session')
windows.onmessage = ({ data }) => {
  if (current !== null && data !== whoIn(current)) beginElsewhere()
}

/** Returns the session. It exists whenever a page is shown. */
export function session(): Session {
  if (current === null) throw new Error('Nobody is signed in.')
  return current
}

/** Resolves to whether somebody is signed in. If not, the browser is already going to the sign-in page. */
export async function openSession(): Promise<boolean> {
  try {
    take(await mailroom.session.get())
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode !== 401) throw error
    return false
  }
}

/** Switches to another account and reloads, because everything that is shown belongs to the previous one. */
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

/** Whether the person's role in the account is at least `role`, or whether they administer the service. */
export const mayAs = (role: Role | 'administrator'): boolean =>
  role === 'administrator' ? session().administrator : ranks[session().account?.role ?? 'reader'] >= ranks[role]

function take(found: Session): void {
  current = found
  useSession(found.csrfToken)
  windows.postMessage(whoIn(found))
}

const whoIn = ({ person, account }: Session): string => `${person.id} ${account?.id ?? ''}`
