/** Long answers to clients that stop reading must not use up the memory of the process. */
import { EventEmitter, once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { createInFlight } from '../../api/in-flight.ts'
import { Failure } from '../../schemas/failures.ts'
import { eventually } from '../eventually.ts'
import { type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, openTenant, type Tenant } from '../start/door.ts'

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
})
