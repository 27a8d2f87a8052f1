/** The dashboard on a door with its jobs, and signed-in people, in the browser of the tests. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { buildFolder, buildScript } from '../../cli/web-build.ts'
import { createSession } from '../../core/access/sessions.ts'
import { startAnnouncer } from '../../jobs/announcer.ts'
import { startIndexer } from '../../jobs/indexer.ts'
import type { Role } from '../../schemas/scopes.ts'
import { expectAccessible, openWindow, pictures, standsStill, type WindowOptions } from './browser.ts'
import { type Door, makeTenant, openDoor, type Tenant } from './door.ts'
import { firstLoads } from './first-load.ts'
import { type KnownPerson, makePerson } from './people.ts'

export type Viewer = {
  readonly page: Page
  readonly context: BrowserContext
  /** The person who is signed in. */
  readonly person: KnownPerson
  /** Returns the URL of a place in the dashboard. */
  at(path: string): string
  close(): Promise<void>
}
export type DashboardDoor = Door & { readonly tenant: Tenant; view(options?: ViewOptions): Promise<Viewer> }
type ViewOptions = WindowOptions & {
  readonly role?: Role
  readonly accountId?: string
}

const wide = { width: 1280, height: 800 }
const narrow = { width: 390, height: 844 }

/** Opens a door with one tenant that serves the dashboard, which is built first if necessary. */
export async function openDashboard(): Promise<DashboardDoor> {
  const folder = await buildFolder()
  if (!existsSync(folder)) await promisify(execFile)(process.execPath, [buildScript, folder])
  const door = await openDoor({ isNamed: true, dashboard: { state: () => ({ is: 'made', folder }) } })
  const jobs = [startAnnouncer(door.ctx), startIndexer(door.ctx)]
  const tenant = await makeTenant(door, { name: 'tenant' })
  return Object.assign(door, {
    tenant,
    view: (options: ViewOptions = {}) => view(door, tenant, options),
    close: withJobs(jobs, door.close),
  })
}

function withJobs(jobs: readonly { stop(): Promise<void> }[], close: () => Promise<void>): () => Promise<void> {
  return async () => {
    for (const job of jobs) await job.stop()
    await close()
  }
}

/** Opens a window in which a new person is signed in. */
async function view(door: Door, tenant: Tenant, options: ViewOptions): Promise<Viewer> {
  const { role = 'owner', accountId = tenant.accountId, ...ofWindow } = options
  const person = await makePerson(door, { role, accountId })
  const asked = { personId: person.id, accountId, peerAddress: '127.0.0.1', userAgent: 'test' }
  const { token } = await createSession(door.ctx, asked)
  const { page, context, close } = await openWindow(ofWindow)
  await page.setViewportSize(wide)
  await context.addCookies([{ name: 'mailroom_session', value: token, url: door.ctx.baseUrl }])
  return { page, context, person, close, at: (path) => `${door.ctx.baseUrl}/app${path}` }
}

/** Measures the first load of the sign-in page and of the inbox, beside the smallest answer of the same door. */
export async function compareFirstLoads(door: DashboardDoor, { page, at }: Viewer, rounds: number) {
  const { page: stranger, close } = await openWindow()
  const { baseUrl } = door.ctx
  const loads = await firstLoads(
    {
      empty: [stranger, `${baseUrl}/healthz`, async () => undefined],
      signIn: [stranger, `${baseUrl}/sign-in`, () => stranger.getByLabel('Password').waitFor()],
      inbox: [page, at('/mail'), () => page.locator('.rows[aria-busy="false"]').waitFor()],
    },
    rounds,
  )
  await close()
  return loads
}

/**
 * Expects that a page conforms to WCAG 2.2 AA as far as a program can tell. With PICTURES it also saves pictures of it, wide and
 * narrow, in light and dark.
 */
export async function expectGoodPage(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  if (pictures !== undefined)
    for (const [size, viewport] of [
      ['390', narrow],
      ['1280', wide],
    ] as const) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await standsStill(page)
        await page.screenshot({ path: `${pictures}/${name} ${size} ${colorScheme}.png` })
      }
    }
  await page.emulateMedia({ colorScheme: 'light' })
  // The frame around the pages is checked with the first page only.
  const known = (await page.evaluate('globalThis.axe === undefined')) ? [] : ['aside']
  await expectAccessible(page, name, 'html', known)
}

/** Leads an open dashboard to another place like a link in it, so that nothing is loaded twice. */
export async function leadTo(page: Page, address: string): Promise<void> {
  if (!page.url().startsWith(new URL('/app', address).href)) {
    await page.goto(address)
    return
  }
  // Goes by way of an empty page, so that the test cannot find what it waits for on the previous page.
  const nowhere = page.getByRole('heading', { name: 'There is no such page' })
  await page.evaluate(follow('/app/nowhere'))
  await nowhere.waitFor()
  await page.evaluate(follow(address))
  await nowhere.waitFor({ state: 'detached' })
}

// What runs in the page.
const follow = (address: string) => `(() => {
  const link = document.createElement('a')
  link.href = ${JSON.stringify(address)}
  document.body.append(link)
  link.click()
  link.remove()
})()`

/** With PICTURES, saves a narrow picture of a page in German, whose words are long. The page must depend on its URL alone. */
export async function keepGermanPicture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  await page.setViewportSize(narrow)
  for (const language of ['de', 'en']) {
    await page.evaluate(`localStorage.setItem('mailroom.language', '${language}')`)
    await page.reload()
    await shown(page)
    if (language === 'de') await page.screenshot({ path: `${pictures}/${name} 390 de.png` })
  }
  await page.setViewportSize(wide)
}

/** Waits until a page shows its content. */
export async function shown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.bones').first().waitFor({ state: 'detached' })
  await standsStill(page)
}

/** Returns a time as the value of a datetime-local field, in the browser's time zone. */
export function fieldTime(page: Page, at: Date): Promise<string> {
  const aheadMs = `new Date(${at.getTime()}).getTimezoneOffset() * 60_000`
  return page.evaluate<string>(`new Date(${at.getTime()} - ${aheadMs}).toISOString().slice(0, 16)`)
}
