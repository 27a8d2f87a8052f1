/** The dashboard over a door, and a person who is signed in there, in the browser of the tests. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { buildFolder, buildScript } from '../../cli/web-build.ts'
import { createSession } from '../../core/access/sessions.ts'
import type { Role } from '../../schemas/scopes.ts'
import { openWindow } from './browser.ts'
import { type Door, makeTenant, openDoor, type Tenant } from './door.ts'
import { makePerson } from './people.ts'

export type Viewer = { readonly page: Page; at(path: string): string; close(): Promise<void> }
export type DashboardDoor = Door & { readonly tenant: Tenant; view(options?: ViewOptions): Promise<Viewer> }
type ViewOptions = {
  readonly role?: Role
  readonly accountId?: string
  readonly faults?: readonly string[]
  readonly width?: number
  readonly height?: number
}

/** A door with one tenant that serves the dashboard, which is made first where it is not there. */
export async function openDashboard(): Promise<DashboardDoor> {
  const folder = await buildFolder()
  if (!existsSync(folder)) await promisify(execFile)(process.execPath, [buildScript, folder])
  const door = await openDoor({ isNamed: true, dashboard: { state: () => ({ is: 'made', folder }) } })
  const tenant = await makeTenant(door, { name: 'tenant' })
  return Object.assign(door, { tenant, view: (options: ViewOptions = {}) => view(door, tenant, options) })
}

/** A window in which a new person is signed in. */
async function view(door: Door, tenant: Tenant, options: ViewOptions): Promise<Viewer> {
  const { role = 'owner', accountId = tenant.accountId, faults, width = 1280, height = 800 } = options
  const person = await makePerson(door, { role, accountId })
  const asked = { personId: person.id, accountId, peerAddress: '127.0.0.1', userAgent: 'test' }
  const { token } = await createSession(door.ctx, asked)
  const { page, context, close } = await openWindow({ ...(faults !== undefined && { faults }) })
  await page.setViewportSize({ width, height })
  await context.addCookies([{ name: 'mailroom_session', value: token, url: door.ctx.baseUrl }])
  return { page, close, at: (path) => `${door.ctx.baseUrl}/app${path}` }
}
