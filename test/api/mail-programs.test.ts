/** The documents by which mail programs configure themselves. */
import { expect } from 'chai'
import { Parser } from 'htmlparser2'
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

  /** The texts of a document, each with the elements in which it stands. */
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

  it('escapes and reads entities of a request', async () => {
    expect(await (await post(asking('a&amp;b@a.example'))).text()).to.include(
      '<LoginName>a&amp;b@a.example</LoginName>',
    )
  })

  const refused: readonly (readonly [name: string, body: string, status: number])[] = [
    ['nothing', '', 400],
    ['no address', asking(''), 400],
    ['what is no address', asking('ann'), 400],
    ['a long address', asking(`${'a'.repeat(700)}@a.example`), 400],
    ['too much', asking('ann@a.example') + ' '.repeat(20_000), 413],
  ]
  for (const [name, body, status] of refused) {
    it(`refuses a request with ${name}`, async () => {
      expect((await post(body)).status).to.equal(status)
    })
  }

  it('names no server that is not there', async () => {
    const { imaps, imap, submissions } = door.ctx.settings
    Object.assign(imaps, { port: null })
    Object.assign(submissions, { port: null })
    const texts = textsOf(await (await post(asking('ann@a.example'))).text())
    expect(texts).to.include.members(['Port 143', 'Encryption TLS', 'Port 587'])
    Object.assign(imap, { port: null })
    expect((await get('/mail/config-v1.1.xml')).status).to.equal(404)
  })
})
