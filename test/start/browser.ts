/** A headless browser for the pages: inside a package, so that nothing has to be installed on the machine. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import chromiumPackage from '@sparticuz/chromium'
import { expect } from 'chai'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { eventually } from '../eventually.ts'

/** A folder for a picture of every page that is checked. */
export const pictures = process.env.PICTURES

/** Less than mocha's limit, so that it is told which step came to nothing, and enough for a machine that does other work. */
const patienceMs = 120_000

let shared: Promise<Browser> | undefined

/** The browser that the files of one worker process share; it leaves when this process ends. */
function openBrowser(): Promise<Browser> {
  shared ??= launch()
  return shared
}

async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: await unpack(),
    timeout: patienceMs,
    // Without a user namespace there is no sandbox; the pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
}

/** Unpacks the browser, once for all processes of a run: one that is still being written cannot be started. */
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
  /** The language of whoever sits before it, and the time zone. */
  readonly locale?: string
  readonly timezoneId?: string
}

/**
 * A window of its own cookies. What goes wrong on a page fails the test that closes it, unless that says one of `faults`.
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
  /** The elements, and what would have to be otherwise, with the colours and their contrast. */
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What is asked of every page, and what the dark changes of it: the colours. */
const rules = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
} as const

/**
 * Expects that a page, or what a selector finds of it, keeps to WCAG 2.2 AA as far as a program can tell, in light and in dark. What
 * `known` finds was looked at before and is left out.
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

/** What is well is not told: that costs as much again. The frames of a page are the mails of others. */
async function violationsOf(
  page: Page,
  { include, exclude }: { readonly include: string; readonly exclude: string[] },
  runOnly: string[],
): Promise<readonly Violation[]> {
  // To read the script costs as much as what it does, and a page that was looked at before has it.
  if (await page.evaluate('globalThis.axe === undefined')) {
    const axe = new AxeBuilder({ page }).setLegacyMode(true).include(include)
    for (const selector of exclude) axe.exclude(selector)
    return (await axe.options({ runOnly, resultTypes: ['violations'], iframes: false }).analyze()).violations
  }
  const context = { include: [include], exclude }
  const options = { runOnly, resultTypes: ['violations'], iframes: false }
  return page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
}

/** Waits until what changes its colour or place by a transition has come there. */
export async function standsStill(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
  })()`)
}

/** A device that makes passkeys, in the browser itself (WebAuthn 11); `verifies` says whether it knows its owner from now on. */
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
