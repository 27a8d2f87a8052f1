/** The documentation as it is served: every page, every link, search, and what programs read. */
import { expect } from 'chai'
import { type Entry, entries, markdownPathOf, pathOf } from '../../api/handbook/contents.ts'
import { failures } from '../../schemas/failures.ts'
import { expectAccessible, openWindow } from '../start/browser.ts'
import { type Door, openDoor } from '../start/door.ts'

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
      expect(await brokenLinks(entry, page)).to.deep.equal([])
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

  async function brokenLinks(entry: Entry, page: string): Promise<string[]> {
    const links = new Set([...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href = '']) => href))
    const broken: string[] = []
    for (const link of links) {
      const { origin, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `${door.http}${pathOf(entry)}`)
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

  it('every page is there as Markdown, by its path and by what is asked for', async () => {
    for (const entry of entries) {
      const named = await get(markdownPathOf(entry))
      expect(named.headers.get('content-type')).to.equal('text/markdown; charset=utf-8')
      const text = await named.text()
      expect(text).to.match(new RegExp(`^# ${entry.title}\n`))
      expect(await textOf(pathOf(entry), { accept: 'text/markdown' })).to.equal(text)
      const links = [...text.matchAll(/\]\((?![a-z]+:|#)([^)]+)\)/g)].map(([, href]) => href)
      expect(links, `relative links of ${entry.name}`).to.deep.equal([])
    }
  })

  it('opens in a browser without another host, in every width and light', async () => {
    const { page, close } = await openWindow()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    await page.goto(`${door.ctx.baseUrl}/docs/webhooks`)
    await expectAccessible(page, 'docs-webhooks')
    expect([...new Set(asked)]).to.deep.equal([door.ctx.baseUrl])
    await close()
  })
})
