/** The documentation as it is served: every page, every link, search, and what programs read. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { entries, markdownPathOf, pathOf } from '../../api/handbook/contents.ts'
import { groups } from '../../api/handbook/reference.ts'
import { failures } from '../../schemas/failures.ts'
import { expectAccessible, openWindow } from '../start/browser.ts'
import { type Door, openDoor } from '../start/door.ts'

type Schema = {
  readonly $ref?: string
  readonly properties?: object
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}
type OpenApi = {
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
  readonly paths: {
    readonly [path: string]: {
      readonly [method: string]: {
        readonly operationId: string
        readonly parameters: readonly { readonly $ref?: string }[]
        readonly responses: {
          readonly [status: string]: {
            readonly $ref?: string
            readonly content?: { readonly [type: string]: { readonly schema: Schema } }
          }
        }
      }
    }
  }
}

/** The names of the fields that a value of any form of the schema has. */
function propertiesIn(api: OpenApi, schema: Schema = {}): string[] {
  const { $ref, anyOf = [], allOf = [], properties = {} } = schema
  const named = $ref === undefined ? [] : [api.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]]
  return [...Object.keys(properties), ...[...named, ...anyOf, ...allOf].flatMap((each) => propertiesIn(api, each))]
}

describe('the documentation', () => {
  let door: Door
  before(async () => {
    door = await openDoor({ isNamed: true })
  })
  after(() => door?.close())

  const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
    fetch(`${door.http}${path}`, { headers, redirect: 'manual' })
  const textOf = async (path: string, headers?: { readonly [name: string]: string }) =>
    (await get(path, headers)).text()
  const idsOf = (page: string) => [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)

  for (const entry of entries) {
    it(`${pathOf(entry)} is served, and all that it links to`, async () => {
      const answer = await get(pathOf(entry))
      const page = await answer.text()
      expect(answer.status, page).to.equal(200)
      expect(page).to.include(`<h1 id="`)
      expect(/<h1 [^>]*>([^<]*)/.exec(page)?.[1]).to.equal(entry.title)
      expect(page, 'inline styles').to.not.include(' style="')
      const ids = idsOf(page)
      expect(ids, 'ids').to.deep.equal([...new Set(ids)])
      expect(await brokenLinks(pathOf(entry), page)).to.deep.equal([])
    })
  }

  const pages = new Map<string, Promise<{ status: number; ids: string[] }>>()
  const linked = (path: string) => {
    const known = pages.get(path)
    if (known !== undefined) return known
    const asked = get(path).then(async (answer) => ({ status: answer.status, ids: idsOf(await answer.text()) }))
    pages.set(path, asked)
    return asked
  }

  async function brokenLinks(path: string, page: string): Promise<string[]> {
    const links = new Set([...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href = '']) => href))
    const broken: string[] = []
    for (const link of links) {
      const { origin, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `${door.http}${path}`)
      if (origin !== door.http) continue
      const { status, ids } = await linked(pathname)
      if (status !== 200 || (hash !== '' && !ids.includes(decodeURIComponent(hash.slice(1))))) broken.push(link)
    }
    return broken
  }

  it('every error code has its entry, where errors point', async () => {
    const ids = idsOf(await textOf('/docs/errors'))
    expect(ids).to.include.members(Object.keys(failures))
  })

  it('the API reference says of each operation what the OpenAPI description has', async () => {
    const [head = '', ...sections] = (await textOf('/docs/api.md')).split(/^### /m)
    const described = new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')), section]))
    const api = (await (await get('/openapi.json')).json()) as OpenApi
    const operations = Object.values(api.paths).flatMap((each) => Object.values(each))
    expect([...described.keys()]).to.have.members(operations.map(({ operationId }) => operationId))
    for (const { operationId, parameters, responses } of operations) {
      const section = described.get(operationId) ?? ''
      const takesKey = parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key'))
      expect(section.includes('Takes an `Idempotency-Key`.'), operationId).to.equal(takesKey)
      const refusals = Object.values(responses).flatMap(
        ({ $ref }) => $ref?.split('/').at(-1)?.split('.').slice(1) ?? [],
      )
      const unnamed = refusals.filter((code) => ![section, head].some((text) => text.includes(`[\`${code}\`]`)))
      expect(unnamed, operationId).to.deep.equal([])
      const silent = [...section.matchAll(/^\| `(\w+)` \| (?:body|query|path) \|.*\| {2}\|$/gm)].map(
        ([, field]) => field,
      )
      expect(silent, `fields of which nothing is said: ${operationId}`).to.deep.equal([])
      for (const [status, { content }] of Object.entries(responses)) {
        if (!status.startsWith('2')) continue
        const names = propertiesIn(api, content?.['application/json']?.schema).filter((name) => name !== 'success')
        expect(
          names.filter((name) => !section.includes(`\`${name}\``)),
          operationId,
        ).to.deep.equal([])
      }
    }
  })

  it('the API reference names the header fields of answers that are ours', async () => {
    const json = { 'content-type': 'application/json' }
    const signup = await fetch(`${door.http}/api/v1/signup`, { method: 'POST', headers: json, body: '{}' })
    const { api_key: key, base_url: mailbox } = (await signup.json()) as { api_key: string; base_url: string }
    const headers = { ...json, authorization: `Bearer ${key}`, 'idempotency-key': 'draft' }
    const draft = () => fetch(`${mailbox}/drafts`, { method: 'POST', headers, body: '{"text": "Hello"}' })
    await draft()
    const names = [...(await draft()).headers.keys()].filter((name) =>
      /^(x-(?!content|frame)|ratelimit|idempotent)/.test(name),
    )
    expect(names).to.have.lengthOf(7)
    const page = (await textOf('/docs/api.md')).toLowerCase()
    expect(names.filter((name) => !page.includes(`\`${name}`))).to.deep.equal([])
  })

  it('every page is there as Markdown, by its path and by what is asked for', async () => {
    for (const entry of entries) {
      const named = await get(markdownPathOf(entry))
      expect(named.headers.get('content-type')).to.equal('text/markdown; charset=utf-8')
      const text = await named.text()
      expect(text).to.match(new RegExp(`^# ${entry.title}\n`))
      expect(await textOf(pathOf(entry), { accept: 'text/markdown' })).to.equal(text)
      const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)]+)\)/g)].map(([, href]) => href)
      expect(links, `relative links of ${entry.name}`).to.deep.equal([])
      expect(text, 'a page that is named and not linked').to.not.match(/[^\w/]docs\/[\w/-]+\.md/)
    }
  })

  it('samples name the service that shows them: its doors, and the domain of its signups', async () => {
    const own = await openDoor({
      isNamed: true,
      env: {
        MAILROOM_SMTP_HOST: '0.0.0.0',
        MAILROOM_SMTP_PORT: '25',
        MAILROOM_HOSTNAME: 'mx.example.net',
        MAILROOM_SHARED_DOMAIN: 'agents.example.net',
      },
    })
    try {
      const text = await (await fetch(`${own.http}/docs/guides/quickstart.md`)).text()
      expect(text).to.include(`${own.ctx.baseUrl}/api/v1/signup`).and.include('smtp://mx.example.net:25 ')
      expect(text).to.include('ADDRESS=agent@quickstart.agents.example.net\n')
      expect(text).to.not.match(/127\.0\.0\.1|agents\.localhost/)
    } finally {
      await own.close()
    }
  })

  const searches: readonly (readonly [question: string, found: RegExp | null])[] = [
    ['rotate secret', /href="\/docs\/webhooks#endpoints"/],
    ['CLAIM_REQUIRED', /href="\/docs\/errors#CLAIM_REQUIRED"/],
    ['delivry log', /href="\/docs\/webhooks#the-delivery-log"/],
    ['MAILROOM_BASE_URL', /href="\/docs\/settings/],
    ['/api/v1/suppressions', /href="\/docs\/api#suppressionslist"/],
    ['xyzzyplugh', null],
    ['" OR ( * ^ ~2 "', null],
    ['<script>alert(1)</script>', /&lt;script&gt;/],
    ['a'.repeat(10_000), null],
    ['', null],
  ]
  for (const [question, found] of searches)
    it(`search: ${question.slice(0, 30)}`, async () => {
      const answer = await get(`/docs/search?q=${encodeURIComponent(question)}`)
      const page = await answer.text()
      expect(answer.status).to.equal(200)
      if (found === null) expect(page).to.match(/Nothing was found|Type words|class="hit"/)
      else expect(page).to.match(found)
      expect(page).to.not.include('<script>alert')
    })

  it('a page that is not there: a page for people, which finds what it may be, and a refusal for programs', async () => {
    const html = { accept: 'text/html' }
    for (const path of ['/docs/webhook', '/docs/guides/nothing', '/docs/a/b/c', '/docs/%3Cscript%3E', '/docs/x.md']) {
      const page = await get(path, html)
      expect(page.status, path).to.equal(404)
      expect(await page.text())
        .to.include('There is no such page')
        .and.not.include('<script>"')
      const refusal = await get(path)
      expect(refusal.status).to.equal(404)
      expect(await refusal.json()).to.include({ code: 'not_found' })
    }
    expect(await textOf('/docs/webhook', html)).to.include('href="/docs/webhooks"')
    const moved = await get('/docs/webhooks/', html)
    expect([moved.status, moved.headers.get('location')]).to.deep.equal([301, '/docs/webhooks'])
  })

  it('is asked for again only when it changed, and compressed', async () => {
    for (const path of ['/docs/webhooks', '/docs/webhooks.md', '/llms.txt', '/llms-full.txt']) {
      const first = await get(path, { 'accept-encoding': 'br' })
      const tag = first.headers.get('etag') ?? ''
      expect(first.headers.get('cache-control'), path).to.equal('public, no-cache')
      expect(first.headers.get('content-encoding'), path).to.equal('br')
      const asked = (known: string) => get(path, { 'if-none-match': known, 'cache-control': 'max-age=0' })
      expect((await asked(tag)).status, path).to.equal(304)
      expect((await asked('"other"')).status, path).to.equal(200)
    }
  })

  it('llms.txt names every page, and llms-full.txt has them all', async () => {
    const [index, full] = [await textOf('/llms.txt'), await textOf('/llms-full.txt')]
    for (const entry of entries) {
      expect(index).to.include(`](${door.ctx.baseUrl}${markdownPathOf(entry)})`)
      expect(full).to.include(`# ${entry.title}\n`)
    }
    expect(await textOf('/docs/llms.txt')).to.equal(index)
  })

  /** Opens a page in a browser; fails when it asks another host for something. */
  async function inBrowser(
    steps: (page: Page) => Promise<void>,
    options?: Parameters<typeof openWindow>[0],
  ): Promise<void> {
    const { context, page, close } = await openWindow(options)
    const asked = new Set<string>()
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) asked.add(new URL(request.url()).origin)
    })
    try {
      await steps(page)
    } catch (error) {
      await context.close()
      throw error
    }
    expect([...asked]).to.deep.equal([door.ctx.baseUrl])
    await close()
  }
  const at = (path: string) => `${door.ctx.baseUrl}${path}`

  it('reads well in a browser: samples, tables, search by the keyboard', () =>
    inBrowser(async (page) => {
      await page.goto(at('/docs/webhooks'))
      await expectAccessible(page, 'docs-webhooks')
      await page.keyboard.press('/')
      await page.keyboard.type('secret')
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
      expect(new URL(page.url()).pathname).to.equal('/docs/search')
      await expectAccessible(page, 'docs-search')
      await page.getByRole('link', { name: 'Endpoints' }).first().click()
      expect(await page.locator('h2:target').textContent()).to.equal('Endpoints')
    }))

  it('reads well on a telephone, without JavaScript too', () =>
    inBrowser(
      async (page) => {
        await page.setViewportSize({ width: 360, height: 844 })
        await page.goto(at('/docs/errors'))
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360)
        await page.getByRole('button', { name: 'All pages' }).click()
        await page.getByRole('link', { name: 'Settings', exact: true }).click()
        expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Settings')
      },
      { javaScriptEnabled: false },
    ))

  it('shows the operations of each resource by a renderer that other pages do not load', async () => {
    expect(groups).to.include.members(['messages', 'mailboxes', 'partner_customers'])
    for (const group of groups) {
      const page = await textOf(`/docs/api/${group}`)
      expect(page).to.include('/docs/renderer/').and.include(`data-group="${group}"`)
      expect(await brokenLinks(`/docs/api/${group}`, page)).to.deep.equal([])
    }
    for (const path of ['/docs', '/docs/api']) expect(await textOf(path)).to.not.include('/docs/renderer/')
    const answer = await get('/docs/api/messages')
    const policy = answer.headers.get('content-security-policy')
    expect(policy).to.include("script-src 'self';").and.include("style-src 'self';").and.not.include('unsafe')
  })

  it('lets a reader try an operation where it is described', () =>
    inBrowser(
      async (page) => {
        await page.goto(at('/docs/api/plans'))
        const operation = page.locator('.opblock', { hasText: '/api/v1/plans' })
        await operation.locator('.opblock-summary-control').click()
        await operation.getByRole('button', { name: 'Try it out' }).click()
        await operation.getByRole('button', { name: 'Execute' }).click()
        await operation.locator('.live-responses-table').getByText('missing_api_key').waitFor()
        await expectAccessible(page, 'docs-api-plans')
      },
      // It is tried without a key.
      { faults: ['status of 401'] },
    ))

  it('shows the operations of a resource with many on a telephone too', () =>
    inBrowser(async (page) => {
      await page.goto(at('/docs/api/messages'))
      await page.locator('.opblock').nth(5).waitFor()
      await page.locator('.opblock-summary-control').nth(2).click()
      await page.locator('.opblock-body').getByText('address').first().waitFor()
      await expectAccessible(page, 'docs-api-messages')
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(390)
    }))

  it('copies a sample', () =>
    inBrowser(async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(at('/docs/mcp'))
      await page.getByRole('button', { name: 'Copy' }).first().click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).to.match(/^claude mcp add/)
    }))
})
