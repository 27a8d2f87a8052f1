/** Hostile mail in the real browser: nothing of it runs, and no request leaves, by the browser's own network log. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type DashboardDoor, openDashboard, type Viewer } from '../start/dashboard.ts'
import { deliver } from '../start/door.ts'
import { hostileMails } from './hostile-mails.ts'

describe('web: hostile mail', () => {
  let door: DashboardDoor
  let viewer: Viewer
  let outside: Server
  let out: string
  /** What reached the sender's server. */
  const reached: string[] = []
  /** What the browser asked for, beside files and data of the dashboard, and what ran. */
  const asked: string[] = []

  before(async () => {
    outside = createServer(({ url = '' }, response) => {
      reached.push(url)
      response.setHeader('Access-Control-Allow-Origin', '*').end()
    })
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
    out = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
    door = await openDashboard()
    // The browser tells of what it refuses: that is what is wanted here.
    viewer = await door.view({ faults: [''] })
    const { page, context } = viewer
    page.setDefaultTimeout(30_000)
    context.on('request', (request) => {
      const { protocol, origin, pathname } = new URL(request.url())
      // An image that the mail did not bring along: the browser asks nobody for it.
      if (protocol === 'cid:') return
      const isOurs =
        origin === new URL(door.ctx.baseUrl).origin && /^\/(?:app|api\/v1|icon\.svg)(?:\/|$)/.test(pathname)
      const isSession = pathname === '/api/v1/session' && request.method() !== 'GET'
      if (!isOurs || isSession) asked.push(request.url())
    })
    context.on('page', (opened) => asked.push(`a window: ${opened.url()}`))
    page.on('dialog', (dialog) => asked.push(`a dialog: ${dialog.message()}`))
  })
  after(async () => {
    outside?.close()
    await viewer?.close()
    await door?.close()
  })

  const filled = (html: string) => html.replaceAll('{out}', out).replaceAll('{own}', door.ctx.baseUrl)

  it('is shown, and does nothing', async () => {
    const { page, at } = viewer
    const { address } = door.tenant
    for (const [n, [name, html]] of hostileMails.entries()) {
      const head = `From: Eve <eve@evil.example>\nTo: ${address}\nSubject: ${name}\nMessage-ID: <h${n}@evil.example>\n`
      const raw = `${head}MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n${filled(html)}\n`
      await deliver(door.ctx, { to: address, from: 'eve@evil.example', raw })
    }
    await page.goto(at(`/mail/${encodeURIComponent(address)}`))
    await page.getByRole('link', { name: 'broken markup' }).waitFor()
    for (const [name] of hostileMails.toReversed()) {
      await page.keyboard.press('j')
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.frameLocator('iframe').getByText('seen').waitFor()
    }
    await settled()
    expect({ asked, reached, title: await page.title() }).to.deep.equal({
      asked: [],
      reached: [],
      title: 'Mail · Mailroom',
    })
  })

  /** The policy and the frame alone: as if nothing had been taken out of the HTML. */
  it('does nothing even as it was sent, by the policy of its document alone', async () => {
    const { page, at } = viewer
    const { address } = door.tenant
    let html = ''
    await page.route('**/messages/*/html', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: `<!doctype html>${html}` })
    })
    await page.goto(at(`/mail/${encodeURIComponent(address)}`))
    await page.getByRole('link', { name: 'broken markup' }).waitFor()
    for (const [name, given] of hostileMails.toReversed()) {
      html = filled(given)
      await page.keyboard.press('j')
      await page.getByRole('heading', { name, exact: true }).waitFor()
      await page.frameLocator('iframe').first().getByText('seen').waitFor()
    }
    await settled()
    expect({ reached, title: await page.title() }).to.deep.equal({ reached: [], title: 'Mail · Mailroom' })
  })

  /** What a page asks for after what a mail could have asked for has been answered. */
  async function settled(): Promise<void> {
    await viewer.page.evaluate(
      "fetch('/api/v1/session').then(() => new Promise((resolve) => requestIdleCallback(resolve)))",
    )
  }
})
