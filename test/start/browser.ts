/** A headless browser for tests of pages. It comes in a package, so that nothing has to be installed on the machine. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import chromiumPackage from '@sparticuz/chromium'
import axe from 'axe-core'
import { expect } from 'chai'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { eventually } from '../eventually.ts'

/** The folder for a picture of every checked page, if there should be any. */
export const pictures = process.env.PICTURES

/** Below mocha's limit, so that the failing step is reported, and enough for a machine that does other work. */
const patienceMs = 120_000

let shared: Promise<Browser> | undefined

/** Returns the browser that the files of one worker process share; it ends with this process. */
function openBrowser(): Promise<Browser> {
  shared ??= launch()
  return shared
}

async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: await unpack(),
    timeout: patienceMs,
    // Without user namespaces there is no sandbox; the pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
}

/** Unpacks the browser once for all processes of a run, because it cannot be started while it is being written. */
async function unpack(): Promise<string> {
  const [begun, done] = ['begun', 'done'].map((state) => path.join(tmpdir(), `browser-${state}`)) as [string, string]
  const isFirst = await writeFile(begun, '', { flag: 'wx' }).then(
    () => true,
    () => false,
  )
  if (!isFirst) await eventually('another process has unpacked the browser', async () => existsSync(done))
  const file = await chromiumPackage.executablePath()
  if (isFirst) await writeFile(done, '')
  return file
}

export type WindowOptions = {
  readonly javaScriptEnabled?: boolean
  readonly faults?: readonly string[]
  /** The language and the time zone of the viewer. */
  readonly locale?: string
  readonly timezoneId?: string
}

/**
 * Opens a window with its own cookies. Errors on its pages make `close` reject, except those that contain one of `faults`.
 */
export async function openWindow(
  options: WindowOptions = {},
): Promise<{ page: Page; context: BrowserContext; close(): Promise<void> }> {
  const { faults: expected = [], ...others } = options
  const context = await (await openBrowser()).newContext({
    locale: 'en-US',
    ...others,
    viewport: { width: 1000, height: 900 },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  const close = async () => {
    await context.close()
    const unexpected = faults.filter((fault) => !expected.some((text) => fault.includes(text)))
    expect(unexpected, 'what the browser complained of').to.deep.equal([])
  }
  return { page, context, close }
}

type Violation = {
  readonly id: string
  /** The elements at fault, and what to change, with the colours and their contrast. */
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** The rules for every page, and those that depend on the colour scheme. */
const rules = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
} as const

/**
 * Expects that a page, or the part that a selector finds, conforms to WCAG 2.2 AA as far as a program can tell, in light and in dark.
 * The elements that `known` finds were checked before and are left out.
 */
export async function expectAccessible(page: Page, name: string, part = 'html', known: string[] = []): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await standsStill(page)
    if (pictures !== undefined)
      await page.screenshot({ path: `${pictures}/${name} ${colorScheme}.png`, fullPage: true })
    const violations = await violationsOf(page, { include: part, exclude: known }, [...rules[colorScheme]])
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' ')}`,
    )
    expect(found, `${name}, ${colorScheme}`).to.deep.equal([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

/**
 * Only violations are reported; listing the passing rules would double the cost. Frames are left out: they contain mail of others. The
 * script is put into the page itself: the package that does so for Playwright takes three times as long for a page.
 */
async function violationsOf(
  page: Page,
  { include, exclude }: { readonly include: string; readonly exclude: string[] },
  runOnly: string[],
): Promise<readonly Violation[]> {
  // A page that was checked before has the script already.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(`${axe.source};undefined`)
  const context = { include: [include], exclude }
  const options = { runOnly, resultTypes: ['violations'], iframes: false }
  return page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
}

/** Waits until all transitions of colour and place have ended. */
export async function standsStill(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
  })()`)
}

/** Adds a virtual authenticator to the browser (WebAuthn 11). `verifies` sets whether it recognises its owner. */
export async function addAuthenticator(page: Page): Promise<{ verifies(isOwner: boolean): Promise<void> }> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async verifies(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}
