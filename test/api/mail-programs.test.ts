/** The documents by which mail programs configure themselves. */
import { expect } from 'chai'
import { Parser } from 'htmlparser2'
import { request } from 'undici'
import { createAccount } from '../../core/account/accounts.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { takeSubdomain } from '../../core/mailbox/domains.ts'
import { stsPolicyOf } from '../../core/mailbox/sts-policy.ts'
import { type Door, openDoor } from '../start/door.ts'

describe('API for mail programs', () => {
  let door: Door

  before(async () => {
    door = await openDoor()
    const { settings } = door.ctx
    Object.assign(settings.imaps, { port: 993 })
    Object.assign(settings.imap, { port: 143 })
    Object.assign(settings.submissions, { port: 465 })
    Object.assign(settings.submission, { port: 587 })
  })
  after(() => door?.close())

  /** The texts of a document, each with its enclosing elements. */
  function textsOf(xml: string): readonly string[] {
    const [open, found]: [string[], string[]] = [[], []]
    const parser = new Parser(
      {
        onopentag: (name) => void open.push(name),
        ontext: (text) => void (text.trim() !== '' && found.push(`${open.at(-1)} ${text.trim()}`)),
        onclosetag: () => void open.pop(),
      },
      { xmlMode: true, decodeEntities: false },
    )
    parser.end(xml)
    return found
  }

  /** Makes a request with another host name. */
  const at = (host: string, path: string) => request(`${door.http}${path}`, { headers: { host } })
  const get = (path: string) => fetch(`${door.http}${path}`)
  const post = (body: string, path = '/autodiscover/autodiscover.xml') =>
    fetch(`${door.http}${path}`, { method: 'POST', body, headers: { 'content-type': 'text/xml' } })
  const asking = (address: string) =>
    `<?xml version="1.0"?><Autodiscover><Request><EMailAddress>${address}</EMailAddress></Request></Autodiscover>`

  for (const path of ['/.well-known/autoconfig/mail/config-v1.1.xml', '/mail/config-v1.1.xml']) {
    it(`GET ${path} names servers, ports and user`, async () => {
      const response = await get(`${path}?emailaddress=ann%40tenant.example`)
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, 'text/xml; charset=utf-8'])
      const xml = await response.text()
      expect(xml).to.match(/^<\?xml version="1.0" encoding="utf-8"\?>\n<clientConfig version="1.1">/)
      const server = (port: number, socket: string) => [
        `hostname ${door.ctx.hostname}`,
        `port ${port}`,
        `socketType ${socket}`,
        'username ann@tenant.example',
        'authentication password-cleartext',
      ]
      expect(textsOf(xml)).to.deep.equal([
        'domain tenant.example',
        `displayName ${door.ctx.hostname}`,
        `displayShortName ${door.ctx.hostname}`,
        ...[server(993, 'SSL'), server(143, 'STARTTLS'), server(465, 'SSL'), server(587, 'STARTTLS')].flat(),
      ])
    })
  }

  for (const path of ['/autodiscover/autodiscover.xml', '/Autodiscover/Autodiscover.xml']) {
    it(`POST ${path} names them too`, async () => {
      const response = await post(asking('ann@tenant.example'), path)
      expect(response.status).to.equal(200)
      const texts = textsOf(await response.text())
      const told = texts.filter((text) => /^(Type|Port|LoginName|SSL) /.test(text))
      const user = 'LoginName ann@tenant.example'
      expect(told).to.deep.equal(['Type IMAP', 'Port 993', user, 'SSL on', 'Type SMTP', 'Port 465', user, 'SSL on'])
    })
  }

  const users: readonly (readonly [name: string, query: string, user: string])[] = [
    ['none', '', '%EMAILADDRESS%'],
    ['no address', '?emailaddress=ann', '%EMAILADDRESS%'],
    ['markup', `?emailaddress=${encodeURIComponent('"><x>&\'@a.example')}`, '&quot;&gt;&lt;x&gt;&amp;&#39;@a.example'],
    ['a NUL', '?emailaddress=a%00@a.example', '%EMAILADDRESS%'],
    ['bytes that are no UTF-8', '?emailaddress=%ff@a.example', '\ufffd@a.example'],
  ]
  for (const [name, query, user] of users) {
    it(`takes as address: ${name}`, async () => {
      const response = await get(`/mail/config-v1.1.xml${query}`)
      expect(response.status).to.equal(200)
      expect(textsOf(await response.text())).to.include(`username ${user}`)
    })
  }

  it('decodes the entities of a request, and escapes them in the answer', async () => {
    expect(await (await post(asking('a&amp;b@a.example'))).text()).to.include(
      '<LoginName>a&amp;b@a.example</LoginName>',
    )
  })

  const refused: readonly (readonly [name: string, body: string, status: number])[] = [
    ['nothing', '', 400],
    ['no address', asking(''), 400],
    ['an invalid address', asking('ann'), 400],
    ['a long address', asking(`${'a'.repeat(700)}@a.example`), 400],
    ['too much', asking('ann@a.example') + ' '.repeat(20_000), 413],
  ]
  for (const [name, body, status] of refused) {
    it(`refuses a request with ${name}`, async () => {
      expect((await post(body)).status).to.equal(status)
    })
  }

  it('takes the domain of a program that names no address from the host it asks', async () => {
    const response = await at('AutoConfig.tenant.example', '/mail/config-v1.1.xml')
    expect(textsOf(await response.body.text())).to.include.members(['domain tenant.example', 'username %EMAILADDRESS%'])
  })

  it('names only servers that run', async () => {
    const { imaps, imap, submissions } = door.ctx.settings
    Object.assign(imaps, { port: null })
    Object.assign(submissions, { port: null })
    const texts = textsOf(await (await post(asking('ann@a.example'))).text())
    expect(texts).to.include.members(['Port 143', 'Encryption TLS', 'Port 587'])
    Object.assign(imap, { port: null })
    expect((await get('/mail/config-v1.1.xml')).status).to.equal(404)
  })

  describe('the MTA-STS policy', () => {
    const path = '/.well-known/mta-sts.txt'

    before(async () => {
      const { id: accountId } = await createAccount(door.ctx, { name: 'sts', owner: null })
      for (const [domain, verified] of [
        ['own.example', true],
        ['pending.example', false],
      ] as const)
        await createDomain(door.ctx, { domain, accountId, verified })
      await takeSubdomain(door.ctx, { domain: `sub.${door.ctx.settings.sharedDomain}`, accountId })
    })

    it('is served at the host of a domain, for its mail server, and only asks for reports at first', async () => {
      const response = await at('MTA-STS.own.example:443', path)
      expect([response.statusCode, response.headers['content-type']]).to.deep.equal([200, 'text/plain; charset=utf-8'])
      expect(await response.body.text()).to.equal(
        `version: STSv1\r\nmode: testing\r\nmx: ${door.ctx.hostname}\r\nmax_age: 86400\r\n`,
      )
    })

    for (const host of ['mta-sts.pending.example', 'mta-sts.unknown.example', 'own.example', 'mta-sts.', '127.0.0.1'])
      it(`is not served at ${host}`, async () => expect((await at(host, path)).statusCode).to.equal(404))

    it('is not served for a sub-domain of the shared domain', async () => {
      expect((await at(`mta-sts.sub.${door.ctx.settings.sharedDomain}`, path)).statusCode).to.equal(404)
    })

    it('has another id for each text', () => {
      const { settings, hostname } = door.ctx
      const policies = (['none', 'testing', 'enforce'] as const).map((mode) => ({ ...settings, mtaSts: { mode } }))
      const ids = [
        ...policies.map((each) => stsPolicyOf({ settings: each, hostname }, {}).id),
        stsPolicyOf({ settings, hostname: 'other.example' }, {}).id,
      ]
      expect(new Set(ids).size).to.equal(4)
      for (const id of ids) expect(id).to.match(/^[a-z0-9]{1,32}$/)
      expect(stsPolicyOf({ settings, hostname }, { stsMode: 'enforce' }).id).to.equal(ids[2])
    })
  })
})
