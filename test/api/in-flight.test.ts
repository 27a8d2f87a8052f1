/** Long answers to clients that stop reading must not use up the memory of the process. */
import { EventEmitter, once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { recordEvents } from '../../core/notify/events.ts'
import { createInFlight } from '../../core/process/in-flight.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { eventually } from '../eventually.ts'
import { openStream } from '../peers/event-stream.ts'
import { client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, openTenant, type Tenant } from '../start/door.ts'
import { putText } from '../start/drive.ts'

class Response extends EventEmitter {
  destroyed = false
  destroy(): this {
    this.destroyed = true
    return this
  }
}

describe('long answers in flight', () => {
  let now = 0
  const open = () => createInFlight({ bytesMax: () => 100, now: () => now })
  type InFlight = ReturnType<typeof open>
  const add = (inFlight: InFlight, bytes: number) => {
    const response = new Response()
    try {
      return { response, ...inFlight.add(response, bytes), code: null }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { response, moved: () => undefined, done: () => undefined, code: error.code }
    }
  }

  it('are accepted as long as there is room, and again once some are done', () => {
    const inFlight = open()
    const first = add(inFlight, 60)
    expect(add(inFlight, 60).code).to.equal('unavailable')
    first.response.emit('close')
    expect(add(inFlight, 60).code).to.equal(null)
    expect(add(inFlight, 40).code).to.equal(null)
  })

  it('are accepted if larger than the whole room when no other is in flight', () => {
    const inFlight = open()
    expect(add(inFlight, 500).code).to.equal(null)
    expect(add(inFlight, 1).code).to.equal('unavailable')
  })

  it('are dropped to make room if their readers stall, but not while they make progress', () => {
    const inFlight = open()
    const [still, going] = [add(inFlight, 50), add(inFlight, 50)]
    now += 60_000
    going.moved()
    expect([add(inFlight, 60).code, still.response.destroyed]).to.deep.equal(['unavailable', false])
    expect([add(inFlight, 50).code, still.response.destroyed]).to.deep.equal([null, true])
    still.response.emit('close')
    expect([going.response.destroyed, add(inFlight, 1).code]).to.deep.equal([false, 'unavailable'])
  })

  describe('through the door', () => {
    let door: Door
    let tenant: Tenant
    let raw: string
    const size = 16 * 1024 * 1024

    before(async () => {
      ;({ door, tenant } = await openTenant())
      const { settings } = door.ctx
      const bounds = { answerBytesInFlight: size * 1.5, bodyBytesInFlight: 1024 * 1024 }
      const http = { ...settings.limits.http, ...bounds }
      Object.assign(door.ctx, { settings: { ...settings, limits: { ...settings.limits, http } } })
      const text = `From: a@remote.example\n\n${'0123456789abcde\n'.repeat(size / 17)}`
      raw = `${mailboxPath(tenant.address)}/messages/${await deliver(door.ctx, { to: tenant.address, raw: text })}/raw`
    })
    after(() => door?.close())

    it('a body is refused while others are unfinished, and accepted once they are gone', async () => {
      const text = JSON.stringify({ folder: 'INBOX', padding: 'x'.repeat(600_000) })
      const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' }
      const where = `${door.http}${mailboxPath(tenant.address)}/messages/read-all`
      const post = async () => {
        const answer = await fetch(where, { method: 'POST', headers, body: text })
        await answer.arrayBuffer()
        return answer.status
      }
      const standing: ClientRequest[] = []
      const stand = () => {
        const sent = request(where, { method: 'POST', headers: { ...headers, 'content-length': text.length } })
        // A second request may have been refused itself.
        sent.on('error', () => undefined).on('response', () => void standing.pop())
        sent.write(text.slice(0, -1))
        standing.push(sent)
      }
      await eventually('one stands still', async () => {
        if (standing.length === 0) stand()
        await new Promise((resolve) => setTimeout(resolve, 100))
        return (await post()) === 503
      })
      standing[0]?.destroy()
      await eventually('there is room', async () => (await post()) === 400)
      for (let n = 0; n < 12; n++) expect(await post(), 'on one connection').to.equal(400)
    })

    it('every other long answer is refused while a reader stalls, and short ones are given', async () => {
      const { ctx, http } = door
      const call = client(http, tenant.key)
      const { body: start } = await call<{ cursor: string }>('GET', '/api/v1/events')
      const at = ctx.clock.now()
      const about = { mailbox: tenant.address, mailboxId: tenant.mailboxId, domain: 'tenant.example', createdAt: at }
      const events = Array.from({ length: 3 }, (_, n) => ({
        _id: newId('evt', at),
        accountId: tenant.accountId,
        type: 'message.received',
        ...about,
        data: { n, text: 'x'.repeat(300_000) },
      }))
      await recordEvents(ctx, events)
      const fileId = await putText(ctx, tenant.accountId, 'long.txt', 'x'.repeat(1024 * 1024))
      const link = await call<{ url: string }>('GET', `/api/v1/drive/${fileId}/download-url`)
      await call('POST', '/api/v1/account/export')
      const archive = await eventually('the export', async () => {
        const { body } = await call<{ url: string | null }>('GET', '/api/v1/account/export')
        return body.url
      })
      const headers = { authorization: `Bearer ${tenant.key}` }
      const get = async (url: string) => {
        const { pathname, search } = new URL(url, http)
        const answer = await fetch(`${http}${pathname}${search}`, { headers })
        await answer.body?.cancel()
        return answer.status
      }
      // One long answer at a time.
      Object.assign(ctx.settings.limits.http, { answerBytesInFlight: 1 })
      const standing = request(`${http}${raw}`, { headers }).end()
      const [response] = (await once(standing, 'response')) as [IncomingMessage]
      response.pause().on('error', () => undefined)
      const list = `/api/v1/events?after=${start.cursor}`
      for (const [what, url] of Object.entries({ raw, list, file: link.body.url, archive })) {
        expect(await get(url), what).to.equal(503)
      }
      expect(await get(`${list}&limit=1&type=mailbox.created`)).to.equal(200)
      const stream = await openStream(http, { key: tenant.key, query: `?after=${start.cursor}` })
      await stream.ended()
      expect(stream.text()).to.match(/^retry: 2000\nid: \S+\n\n: unavailable\n\n$/)
      standing.destroy()
      await eventually('there is room', async () => (await get(list)) === 200)
      for (const url of [link.body.url, archive]) expect(await get(url)).to.equal(200)
      const again = await openStream(http, { key: tenant.key, query: `?after=${start.cursor}` })
      expect((await again.next())?.data).to.include(events[0]?._id)
      again.hangUp()
      Object.assign(ctx.settings.limits.http, { answerBytesInFlight: size * 1.5 })
    })

    it('another answer is refused while a reader stalls, and given once it has gone', async () => {
      const headers = { authorization: `Bearer ${tenant.key}` }
      const get = () => fetch(`${door.http}${raw}`, { headers })
      const standing = request(`${door.http}${raw}`, { headers }).end()
      const [response] = (await once(standing, 'response')) as [IncomingMessage]
      response.pause().on('error', () => undefined)
      const refused = await get()
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5'])
      expect(((await refused.json()) as ErrorBody).code).to.equal('unavailable')
      standing.destroy()
      const taken = await eventually('there is room', async () => {
        const answer = await get()
        return answer.status === 200 && (await answer.arrayBuffer()).byteLength
      })
      expect(taken).to.be.greaterThan(size * 0.9)
    })
  })

  describe('of which nothing is read', () => {
    let door: Door
    let tenant: Tenant
    before(async () => {
      ;({ door, tenant } = await openTenant({ env: { MAILROOM_LIMITS_HTTP_STALLED_SECONDS: '1' } }))
    })
    after(() => door?.close())

    it('are cut off, and the log says so', async () => {
      const text = `From: a@remote.example\n\n${'0123456789abcde\n'.repeat(1024 * 1024)}`
      const id = await deliver(door.ctx, { to: tenant.address, raw: text })
      const headers = { authorization: `Bearer ${tenant.key}` }
      const asked = request(`${door.http}${mailboxPath(tenant.address)}/messages/${id}/raw`, { headers }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      response.pause()
      const line = await eventually('the log', () =>
        door
          .logs()
          .split('\n')
          .find((each) => each.includes('its client did not read it')),
      )
      expect(JSON.parse(line)).to.include({ level: 30, route: '/api/v1/mailboxes/{address}/messages/{message_id}/raw' })
      response.resume()
      const [error] = await once(response, 'error')
      expect(error.code).to.equal('ECONNRESET')
    })

    it('are not cut off while they are being made', async () => {
      const call = client(door.http, tenant.key)
      const waited = await call('GET', `${mailboxPath(tenant.address)}/wait?timeout=3`)
      expect([waited.status, waited.body.message]).to.deep.equal([200, null])
    })
  })
})
