import { expect } from 'chai'
import { authenticate, type Principal } from '../../core/access/principal.ts'
import { linkToAttachment } from '../../core/read/attachment-links.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, openTenant, type Tenant } from '../start/door.ts'

const withFile = (headers: string, content = '0123456789') =>
  `From: a@remote.example
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

See file.
--b
${headers}

${content}
--b--
`

describe('api: files', () => {
  let door: Door
  let tenant: Tenant
  let call: Call
  let principal: Principal

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
    principal = await authenticate(door.ctx, tenant.key)
  })
  after(() => door?.close())

  async function arrive(headers: string): Promise<{ messageId: string; attachmentId: string }> {
    const messageId = await deliver(door.ctx, { to: tenant.address, raw: withFile(headers) })
    const { body } = await call<{ attachments: { id: string; name: string }[] }>(
      'GET',
      `${mailboxPath(tenant.address)}/messages/${messageId}?view=headers`,
    )
    return { messageId, attachmentId: body.attachments[0]!.id }
  }

  describe('names of attachments', () => {
    const names: readonly (readonly [string, string, string])[] = [
      ['plain', 'Content-Disposition: attachment; filename="a b.txt"', 'a b.txt'],
      ['RFC 2231', "Content-Disposition: attachment; filename*=utf-8''%E2%82%AC%20rates.txt", '€ rates.txt'],
      [
        'RFC 2231 in pieces',
        'Content-Disposition: attachment; filename*0*=iso-8859-1\'en\'%A3%20and; filename*1*=%20; filename*2="rates.txt"',
        '£ and rates.txt',
      ],
      ['an encoded word', 'Content-Disposition: attachment; filename="=?utf-8?B?w7xiZWwudHh0?="', 'übel.txt'],
      ['of Content-Type alone', 'Content-Type: image/png; name="=?iso-8859-1?q?caf=E9.png?="', 'café.png'],
      ['a path', 'Content-Disposition: attachment; filename="..\\\\..\\\\etc/passwd"', 'passwd'],
      ['a dot file', 'Content-Disposition: attachment; filename=".bashrc"', 'bashrc'],
      [
        'quotes and line breaks',
        'Content-Disposition: attachment; filename="a\\"b%0d%0aX: y.txt"',
        'a_b%0d%0aX_ y.txt',
      ],
      ['a direction override', "Content-Disposition: attachment; filename*=utf-8''gpj%E2%80%AEexe.txt", 'gpjexe.txt'],
      ['none', 'Content-Disposition: attachment', 'attachment-2.bin'],
    ]
    for (const [what, header, expected] of names) {
      it(`${what}: ${expected}`, async () => {
        const { messageId, attachmentId } = await arrive(
          header.startsWith('Content-Type') ? header : `Content-Type: application/octet-stream\n${header}`,
        )
        const { headers } = await fetch(
          `${door.http}${mailboxPath(tenant.address)}/messages/${messageId}/attachments/${attachmentId}`,
          { headers: { 'x-api-key': tenant.key } },
        )
        const disposition = headers.get('content-disposition') ?? ''
        const [, plain = ''] = /^attachment; filename="([^"\\]*)"/.exec(disposition) ?? []
        const [, extended] = /; filename\*=UTF-8''(\S+)$/.exec(disposition) ?? []
        expect(extended === undefined ? plain : decodeURIComponent(extended)).to.equal(expected)
        expect(plain).to.match(/^[\x20-\x7e]+$/)
        expect(headers.get('x-content-type-options')).to.equal('nosniff')
        expect(headers.get('content-security-policy')).to.include('sandbox')
      })
    }

    it('a range under a condition that cannot be met is ignored', async () => {
      const { messageId, attachmentId } = await arrive('Content-Type: image/png\nContent-Disposition: attachment')
      const response = await fetch(
        `${door.http}${mailboxPath(tenant.address)}/messages/${messageId}/attachments/${attachmentId}`,
        { headers: { 'x-api-key': tenant.key, range: 'bytes=0-3', 'if-range': '"x"' } },
      )
      expect([response.status, await response.text()]).to.deep.equal([200, '0123456789'])
    })
  })

  describe('links', () => {
    const make = async (headers = 'Content-Type: text/html\nContent-Disposition: attachment; filename="é.html"') => {
      const file = await arrive(headers)
      const { url } = await linkToAttachment(door.ctx, principal, { address: tenant.address, ...file })
      return { ...file, url: url.replace(door.ctx.baseUrl, door.http) }
    }
    const codeOf = async (url: string) => ((await (await fetch(url)).json()) as ErrorBody).code

    it('need no key, and are downloaded safely', async () => {
      const { url } = await make()
      const response = await fetch(url)
      expect(await response.text()).to.equal('0123456789')
      expect(response.headers.get('content-disposition')).to.equal(
        `attachment; filename="_.html"; filename*=UTF-8''%C3%A9.html`,
      )
      expect(response.headers.get('content-type')).to.equal('text/html')
      expect(response.headers.get('content-security-policy')).to.include('sandbox')
      expect(response.headers.get('referrer-policy')).to.equal('no-referrer')
      expect(response.headers.get('cache-control')).to.equal('no-store')
    })

    const ranges: readonly (readonly [string, number, string | null])[] = [
      ['bytes=2-4', 206, '234'],
      ['bytes=-2', 206, '89'],
      ['bytes=10-', 416, null],
    ]
    for (const [range, status, text] of ranges) {
      it(`${range} is ${status}`, async () => {
        const response = await fetch((await make()).url, { headers: { range } })
        expect(response.status).to.equal(status)
        if (text !== null) expect(await response.text()).to.equal(text)
      })
    }

    it('a range of HEAD is ignored', async () => {
      const response = await fetch((await make()).url, { method: 'HEAD', headers: { range: 'bytes=2-4' } })
      expect([response.status, response.headers.get('content-length')]).to.deep.equal([200, '10'])
    })

    it('expire', async () => {
      const { url } = await make()
      door.advance(15 * 60_000 - 5_000)
      expect((await fetch(url)).status).to.equal(200)
      door.advance(10_000)
      expect(await codeOf(url)).to.equal('not_found')
    })

    it('end with their message', async () => {
      const { url, messageId } = await make()
      await call('DELETE', `${mailboxPath(tenant.address)}/messages/${messageId}?permanent=true`)
      expect(await codeOf(url)).to.equal('not_found')
    })

    it('end with their mailbox', async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'gone@tenant.example' })
      const raw = withFile('Content-Type: image/png\nContent-Disposition: attachment')
      const messageId = await deliver(door.ctx, { to: 'gone@tenant.example', raw })
      const path = `${mailboxPath('gone@tenant.example')}/messages/${messageId}`
      const { body } = await call<{ attachments: { id: string }[] }>('GET', path)
      const { url } = await linkToAttachment(door.ctx, principal, {
        address: 'gone@tenant.example',
        messageId,
        attachmentId: body.attachments[0]!.id,
      })
      const here = url.replace(door.ctx.baseUrl, door.http)
      expect((await fetch(here)).status).to.equal(200)
      await call('DELETE', mailboxPath('gone@tenant.example'))
      expect(await codeOf(here)).to.equal('not_found')
    })

    it('cannot be forged, changed or pointed at another file', async () => {
      const { url } = await make()
      const other = await make()
      const [base, said = '', tag = ''] = /^(.*\/)([^/.]+)\.([^/.]+)$/.exec(url)?.slice(1) ?? []
      const theirs = other.url.slice(other.url.lastIndexOf('/') + 1).split('.')[0]
      const later = Buffer.from(Buffer.from(said, 'base64url').toString().replace(/ \w+ /, ' zzzzzzzz ')).toString(
        'base64url',
      )
      for (const token of [
        'nonsense',
        'a.b',
        `${said}.`,
        `${theirs}.${tag}`,
        `${later}.${tag}`,
        `${said}.${tag.slice(1)}a`,
      ])
        expect(await codeOf(base + token), token).to.equal('not_found')
    })

    it('are made only for files that the key reaches', async () => {
      const file = await arrive('Content-Type: image/png\nContent-Disposition: attachment')
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes: ['mail:read'] })
      const agent = await authenticate(door.ctx, apiKey)
      const made = linkToAttachment(door.ctx, agent, { address: tenant.address, ...file })
      expect(await made.catch(({ code }: { code: string }) => code)).to.equal('mailbox_not_found')
      const asAgent = client(door.http, apiKey)
      const path = `${mailboxPath(tenant.address)}/messages/${file.messageId}/attachments/${file.attachmentId}`
      expect((await asAgent<ErrorBody>('GET', path)).body.code).to.equal('mailbox_not_found')
    })
  })
})
