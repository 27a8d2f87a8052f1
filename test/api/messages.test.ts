import { expect } from 'chai'
import { minuteMs } from '../../core/process/clock.ts'
import { type Call, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, openTenant, type Tenant } from '../start/door.ts'

const mail = `From: "Ada L." <ada@remote.example>
To: agent@tenant.example
Cc: Bob <bob@remote.example>
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Message-ID: <one@remote.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8

Hello there, your code is 123456.

> quoted before
--b
Content-Type: text/html; name="=?utf-8?q?=C3=BCbel.html?="
Content-Disposition: attachment; filename="../evil.html"

0123456789
--b--
`

describe('api: messages', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  describe('messages', () => {
    let id: string
    let path: string

    before(async () => {
      id = await deliver(door.ctx, { to: tenant.address, raw: mail })
      path = `${mailboxPath(tenant.address)}/messages/${id}`
    })

    type Summary = {
      message_id: string
      folder: string
      seen: boolean
      labels: string[]
      attachments: { id: string }[]
    }

    it('are listed with a cursor of the mailbox', async () => {
      const { body } = await call<{ messages: Summary[]; cursor: string; next: null }>(
        'GET',
        `${mailboxPath(tenant.address)}/messages`,
      )
      expect(body.cursor).to.be.a('string')
      const found = body.messages.find(({ message_id }) => message_id === id)
      expect(found).to.deep.include({
        mailbox: tenant.address,
        folder: 'INBOX',
        from: { name: 'Ada L.', address: 'ada@remote.example' },
        to: [{ name: '', address: 'agent@tenant.example' }],
        cc: [{ name: 'Bob', address: 'bob@remote.example' }],
        subject: 'Grüße',
        seen: false,
        labels: [],
      })
      expect(found?.attachments).to.have.length(1)
    })

    const filters: readonly (readonly [string, boolean])[] = [
      ['folder=inbox', true],
      ['folder=Trash', false],
      ['unread=true', true],
      ['flagged=true', false],
      ['from=ada@remote.example', true],
      ['from=Ada%20%3CADA@remote.example%3E', true],
      ['from=eve@remote.example', false],
      ['to=%22The%20agent%22%20%3Cagent@tenant.example%3E', true],
      ['has_attachment=true', true],
      ['has_attachment=false', false],
      ['until=2020-01-01T00:00:00Z', false],
      ['since=0001-01-01T00:00:00Z', true],
      ['until=0001-01-01T00:00:00Z', false],
    ]
    for (const [query, expected] of filters) {
      it(`are found or not by ${query}`, async () => {
        const { body } = await call<{ messages: Summary[] }>('GET', `${mailboxPath(tenant.address)}/messages?${query}`)
        expect(body.messages.some(({ message_id }) => message_id === id)).to.equal(expected)
      })
    }

    it('are found by the time at which they say they were received', async () => {
      const long = `${mail.replace('one@', 'long@')}${'x'.repeat(70)}\n`.replace(
        '0123456789',
        '0123456789\n'.repeat(400_000),
      )
      await deliver(door.ctx, { to: tenant.address, raw: long })
      type Page = { messages: { message_id: string; received_at: string }[] }
      const list = async (query = '') =>
        (await call<Page>('GET', `${mailboxPath(tenant.address)}/messages${query}`)).body.messages
      for (const { message_id: own, received_at: at } of await list()) {
        // Ids, by which lists go, may be up to a second ahead after tests that moved a clock by less (schemas/ids.ts).
        const later = new Date(Date.parse(at) + minuteMs).toISOString()
        const found = await list(`?since=${at}&until=${later}`)
        expect(found.map(({ message_id: each }) => each)).to.include(own)
      }
    })

    const views: readonly (readonly [string, readonly string[], readonly string[]])[] = [
      ['headers', ['headers'], ['text', 'html', 'reply']],
      ['reply', ['reply'], ['text', 'html', 'headers']],
      ['text', ['text'], ['html', 'reply', 'headers', 'markdown']],
      ['markdown', ['markdown', 'hidden'], ['text', 'html', 'reply', 'headers']],
      ['full', ['text', 'html', 'reply', 'headers'], []],
    ]
    for (const [view, present, absent] of views) {
      it(`view ${view} has ${present.join(', ')}`, async () => {
        const { body } = await call('GET', `${path}?view=${view}`)
        expect(body).to.include.keys(...present)
        for (const name of absent) expect(body).not.to.have.property(name)
      })
    }

    it('show all headers in order', async () => {
      const { body } = await call<{ headers: [string, string][] }>('GET', path)
      expect(body.headers.map(([name]) => name)).to.deep.equal([
        'From',
        'To',
        'Cc',
        'Subject',
        'Message-ID',
        'MIME-Version',
        'Content-Type',
      ])
    })

    it('a long body is read in pieces, also as Markdown', async () => {
      for (const view of ['text', 'markdown'] as const) {
        type Body = { [view in 'text' | 'markdown']: string } & { truncated: boolean; next: string | null }
        const { body: whole } = await call<Body>('GET', `${path}?view=${view}`)
        let read = ''
        let query = `?view=${view}&max_chars=10`
        for (;;) {
          const { body } = await call<Body>('GET', path + query)
          read += body[view]
          expect(body.truncated).to.equal(body.next !== null)
          if (body.next === null) break
          query = `?view=${view}&max_chars=10&cursor=${body.next}`
        }
        expect(read).to.equal(whole[view])
      }
    })

    it('reading changes no flag', async () => {
      await call('GET', path)
      expect((await call<Summary>('GET', `${path}?view=headers`)).body.seen).to.equal(false)
    })

    it('are flagged, labelled and moved, keeping their id', async () => {
      const { status, body } = await call<Summary>('PATCH', path, {
        seen: true,
        flagged: true,
        addLabels: ['todo', 'x'],
        removeLabels: ['x'],
        folder: 'archive',
      })
      expect(status).to.equal(200)
      expect(body).to.deep.include({ message_id: id, seen: true, flagged: true, labels: ['todo'], folder: 'Archive' })
      expect((await call('GET', `${path}?view=headers`)).body).to.deep.include({ folder: 'Archive', labels: ['todo'] })
    })

    it('are moved to Trash first and then deleted', async () => {
      expect((await call('DELETE', path)).body).to.deep.equal({ success: true, deleted: true, folder: 'Trash' })
      expect((await call('GET', `${path}?view=headers`)).body).to.include({ folder: 'Trash' })
      expect((await call('DELETE', path)).body).to.deep.equal({ success: true, deleted: true, folder: null })
      expect((await call<ErrorBody>('GET', path)).body.code).to.equal('not_found')
    })

    it('are gone at once with permanent=true', async () => {
      const other = await deliver(door.ctx, { to: tenant.address, raw: 'From: a@remote.example\n\nx\n' })
      const { body } = await call('DELETE', `${mailboxPath(tenant.address)}/messages/${other}?permanent=true`)
      expect(body).to.deep.include({ folder: null })
    })

    for (const what of ['', '/raw', '/reply']) {
      it(`an invalid id is not found${what && ` at ${what}`}`, async () => {
        const answer = await call<ErrorBody>(
          what === '/reply' ? 'POST' : 'GET',
          `${mailboxPath(tenant.address)}/messages/nonsense${what}`,
          what === '/reply' ? { text: 'x' } : undefined,
        )
        expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
      })
    }
  })

  describe('the document of a body', () => {
    const head = 'From: a@remote.example\nTo: agent@tenant.example\nSubject: Document\nMIME-Version: 1.0\n'
    const related = `${head}Content-Type: multipart/related; boundary=r

--r
Content-Type: text/html

<p onclick="x()">Hello<script>y()</script> <img src="cid:logo"> <img src="http://remote.example/pixel.gif"></p>
--r
Content-Type: image/png
Content-ID: <logo>
Content-Disposition: inline; filename=logo.png

png
--r--
`
    const enclosed = `${head}Content-Type: multipart/mixed; boundary=m

--m
Content-Type: message/rfc822

Subject: Inner
Content-Type: text/html

<p>Within</p>
--m--
`
    let box: string
    const get = async (raw: string, query = '') => {
      const id = await deliver(door.ctx, { to: tenant.address, raw })
      const answer = await fetch(`${door.http}${box}/${id}/html${query}`, {
        headers: { authorization: `Bearer ${tenant.key}` },
      })
      return { id, answer, text: await answer.text() }
    }
    before(() => {
      box = `${mailboxPath(tenant.address)}/messages`
    })

    it('can be framed only by this service, and runs, loads and sends nothing', async () => {
      const { id, answer, text } = await get(related)
      const policy = answer.headers.get('content-security-policy') ?? ''
      const rules = new Map(policy.split('; ').map((rule) => [rule.split(' ', 1)[0], rule]))
      const images = `${door.ctx.baseUrl}${box}/${id}/attachments/`
      expect([...rules.values()]).to.deep.equal([
        "default-src 'none'",
        `img-src data: ${images}`,
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
      ])
      expect(answer.headers.get('x-frame-options')).to.equal('SAMEORIGIN')
      expect(answer.headers.get('content-disposition')).to.equal(null)
      expect(answer.headers.get('content-type')).to.equal('text/html')
      expect(text).to.include('Hello').and.include(`src="${images}att_`).and.include('data-remote-src="http://remote.')
      expect(text).to.not.match(/script|onclick|y\(\)/)
    })

    it('shows the text of a message without HTML as text', async () => {
      const { text } = await get(`${head}\n1 < 2 & "3" <script>x</script>\n`)
      expect(text).to.include('1 &lt; 2 &amp; &quot;3&quot; &lt;script&gt;x')
    })

    it('is that of an attached message', async () => {
      const { id } = await get(enclosed)
      const { body } = await call<{ attachments: { id: string }[] }>('GET', `${box}/${id}`)
      const of = async (attachment: string) =>
        fetch(`${door.http}${box}/${id}/html?attachment_id=${attachment}`, {
          headers: { authorization: `Bearer ${tenant.key}` },
        })
      expect(await (await of(body.attachments[0]?.id ?? '')).text()).to.include('<p>Within</p>')
      expect((await of('att_none')).status).to.equal(404)
    })

    it('does not affect other files: they cannot be framed', async () => {
      const { id } = await get(related)
      const raw = await fetch(`${door.http}${box}/${id}/raw`, { headers: { authorization: `Bearer ${tenant.key}` } })
      expect(raw.headers.get('x-frame-options')).to.equal('DENY')
      expect(raw.headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox")
    })
  })

  describe('attachments', () => {
    let path: string

    before(async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: mail })
      path = `${mailboxPath(tenant.address)}/messages/${id}`
    })

    const get = async (headers: Record<string, string> = {}, method = 'GET') => {
      const { body } = await call<{ attachments: { id: string }[] }>('GET', `${path}?view=headers`)
      return fetch(`${door.http}${path}/attachments/${body.attachments[0]?.id}`, {
        method,
        headers: { 'x-api-key': tenant.key, ...headers },
      })
    }

    it('are downloaded under a safe name and run nothing', async () => {
      const response = await get()
      expect(response.headers.get('content-disposition')).to.match(/^attachment; filename="[^"/\\]+"/)
      expect(response.headers.get('content-type')).to.equal('text/html')
      expect(response.headers.get('content-security-policy')).to.include('sandbox')
      expect(await response.text()).to.equal('0123456789')
    })

    const ranges: readonly (readonly [string, number, string, string | null])[] = [
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=8-', 206, '89', 'bytes 8-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
      ['Bytes=8-99999999999999999999', 206, '89', 'bytes 8-9/10'],
      ['bytes=0-1,4-5', 200, '0123456789', null],
      ['bytes=3-1', 200, '0123456789', null],
      ['lines=1-2', 200, '0123456789', null],
    ]
    for (const [range, status, text, contentRange] of ranges) {
      it(`Range: ${range}`, async () => {
        const response = await get({ range })
        expect([response.status, await response.text(), response.headers.get('content-range')]).to.deep.equal([
          status,
          text,
          contentRange,
        ])
      })
    }

    it('a range beyond the end is 416', async () => {
      const response = await get({ range: 'bytes=10-' })
      expect([response.status, response.headers.get('content-range')]).to.deep.equal([416, 'bytes */10'])
      expect(await response.json()).to.include({ success: false, statusCode: 416 })
    })

    it('a file that the client has is not sent again, and a partial one is completed with the rest', async () => {
      const tag = (await get()).headers.get('etag') ?? ''
      const asked = async (headers: Record<string, string>) => {
        const response = await get(headers)
        return [response.status, await response.text()]
      }
      expect(tag).to.match(/^"[\w-]{22}"$/)
      expect(await asked({ 'if-none-match': `"other", W/${tag}` })).to.deep.equal([304, ''])
      expect(await asked({ 'if-none-match': '"other"' })).to.deep.equal([200, '0123456789'])
      expect(await asked({ range: 'bytes=7-', 'if-range': tag })).to.deep.equal([206, '789'])
      expect(await asked({ range: 'bytes=7-', 'if-range': '"other"' })).to.deep.equal([200, '0123456789'])
    })

    it('HEAD returns the length', async () => {
      const response = await get({}, 'HEAD')
      expect([
        response.status,
        response.headers.get('content-length'),
        response.headers.get('accept-ranges'),
      ]).to.deep.equal([200, '10', 'bytes'])
    })

    it('an unknown one is not found', async () => {
      expect((await call<ErrorBody>('GET', `${path}/attachments/att_none`)).body.code).to.equal('not_found')
    })
  })
})
