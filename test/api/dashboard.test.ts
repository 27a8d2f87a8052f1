import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Dashboard } from '../../api/dashboard.ts'
import { type Door, openDoor } from '../start/door.ts'

const script = 'console.log("hello")\n'

describe('api: the dashboard', () => {
  let door: Door
  let folder: string
  let state: ReturnType<Dashboard['state']> = { is: 'being made' }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailroom-dashboard-'))
    await mkdir(path.join(folder, 'assets'))
    await writeFile(path.join(folder, 'index.html'), '<!doctype html><title>Mailroom</title>')
    await writeFile(path.join(folder, 'secret.js'), 'no')
    await writeFile(path.join(folder, 'assets', 'index-a1.js'), script)
    await writeFile(path.join(folder, 'assets', 'index-a1.js.br'), brotliCompressSync(script))
    await writeFile(path.join(folder, 'assets', 'index-a1.js.gz'), gzipSync(script))
    await writeFile(path.join(folder, 'assets', 'small-b2.css'), 'p{}')
    door = await openDoor({ dashboard: { state: () => state } })
  })
  after(async () => {
    await door?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const get = (at: string, headers: Record<string, string> = {}) =>
    fetch(`${door.http}${at}`, { redirect: 'manual', headers })

  describe('that is not built', () => {
    it('says that it is being built, and reloads without a script', async () => {
      state = { is: 'being made' }
      const answer = await get('/app/mail')
      expect(answer.status).to.equal(503)
      expect(answer.headers.get('refresh')).to.equal('2')
      expect(answer.headers.get('retry-after')).to.equal('2')
      expect(answer.headers.get('content-security-policy')).to.not.include('script-src')
      expect(await answer.text())
        .to.include('The dashboard is being made')
        .and.not.include('<script')
      expect((await get('/app/assets/index-a1.js')).status).to.equal(404)
    })

    it('says that it could not be built, and does not reload', async () => {
      state = { is: 'not made' }
      const answer = await get('/app')
      expect([answer.status, answer.headers.get('refresh')]).to.deep.equal([503, null])
      expect(await answer.text()).to.include('could not be made')
    })
  })

  describe('that is built', () => {
    before(() => {
      state = { is: 'made', folder }
    })

    it('is one document at every path, under a policy that allows nothing inline and no other host', async () => {
      for (const at of [
        '/app',
        '/app/mail',
        '/app/mail/agent%40a.example/inbox/msg_1',
        '/app/webhooks/whk_1?tab=log',
      ]) {
        const answer = await get(at)
        expect([answer.status, await answer.text()], at).to.deep.equal([200, '<!doctype html><title>Mailroom</title>'])
        const policy = answer.headers.get('content-security-policy') ?? ''
        expect(policy)
          .to.include("default-src 'none'; script-src 'self'; style-src 'self'")
          .and.not.match(/unsafe|https?:|\*/)
        expect(answer.headers.get('cache-control')).to.equal('no-store')
      }
    })

    it('has files that browsers may cache, in an encoding that they accept', async () => {
      for (const [accepted, coding] of [
        ['gzip, br', 'br'],
        ['gzip', 'gzip'],
        ['identity', null],
      ] as const) {
        const answer = await get('/app/assets/index-a1.js', { 'accept-encoding': accepted })
        expect([answer.status, answer.headers.get('content-encoding')]).to.deep.equal([200, coding])
        expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
        expect(answer.headers.get('content-type')).to.equal('text/javascript; charset=utf-8')
        expect(answer.headers.get('vary')).to.include('Accept-Encoding')
        expect(await answer.text()).to.equal(script)
      }
      const small = await get('/app/assets/small-b2.css', { 'accept-encoding': 'br' })
      expect([small.headers.get('content-encoding'), await small.text()]).to.deep.equal([null, 'p{}'])
    })

    for (const at of [
      '/app/assets/other-c3.js',
      '/app/assets/..%2Fsecret.js',
      '/app/assets/..%2Findex.html',
      '/app/assets/.js',
      '/app/assets/index-a1.js.br',
      '/app/assets/index-a1.js%00.js',
    ])
      it(`has no ${at}`, async () => {
        expect((await get(at)).status).to.equal(404)
      })
  })

  it('is where the root redirects browsers, but not programs', async () => {
    const browser = await get('/', { accept: 'text/html,*/*;q=0.8' })
    expect([browser.status, browser.headers.get('location')]).to.deep.equal([303, '/app'])
    expect((await get('/', { accept: 'application/json' })).status).to.equal(404)
    expect((await get('/')).status).to.equal(404)
  })
})
