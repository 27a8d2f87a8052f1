import { request } from 'node:http'
import { expect } from 'chai'
import { client, type Json } from '../peers/rest.ts'
import { type Door, openDoor } from '../start/door.ts'

type Refusal = { code: string; param?: string; error: string; retryAfter?: number; statusCode: number }

const budgets = { perAddress: 3, perNetwork: 5, perDay: 6 } as const

describe('signup', () => {
  let door: Door
  const signup = <T = Refusal>(body?: unknown) => client(door.http)<T>('POST', '/api/v1/signup', body)

  before(async () => {
    door = await openDoor({
      isNamed: true,
      env: {
        MAILROOM_SIGNUP_PER_ADDRESS_PER_DAY: String(budgets.perAddress),
        MAILROOM_SIGNUP_PER_NETWORK_PER_DAY: String(budgets.perNetwork),
        MAILROOM_SIGNUP_PER_DAY: String(budgets.perDay),
        MAILROOM_SHARED_DOMAIN: 'free.example',
        MAILROOM_HOSTNAME: 'mx1.west.free.example',
        MAILROOM_ACME_NAMES: '[app.free.example]',
        MAILROOM_DNS_NAME_SERVERS: '[Dns1.free.example]',
      },
    })
  })
  after(() => door?.close())

  const wrong: readonly (readonly [name: string, body: unknown, param: string])[] = [
    ['too short a name', { name: 'ab' }, 'name'],
    ['too long a name', { name: 'a'.repeat(41) }, 'name'],
    ['a name with capitals', { name: 'Agent' }, 'name'],
    ['a name with a dot', { name: 'a.b.c' }, 'name'],
    ['a name that begins with a hyphen', { name: '-agent' }, 'name'],
    ['a name in the form of an A-label', { name: 'xn--agent' }, 'name'],
    ['a name with a line break', { name: 'agent\nx' }, 'name'],
    ['a name that is a number', { name: 12_345 }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['an empty inbox', { inbox: '' }, 'inbox'],
    ['an inbox with an @', { inbox: 'a@b' }, 'inbox'],
    ['an inbox with a plus', { inbox: 'a+b' }, 'inbox'],
    ['an inbox with two dots', { inbox: 'a..b' }, 'inbox'],
    ['an inbox with a dot at the end', { inbox: 'a.' }, 'inbox'],
    ['an inbox of 65 characters', { inbox: 'a'.repeat(65) }, 'inbox'],
    ['an unknown field', { nam: 'agent' }, 'nam'],
  ]
  for (const [name, body, param] of wrong) {
    it(`refuses ${name}`, async () => {
      const answer = await signup(body)
      expect(answer.body).to.include({ code: 'validation_error', param, statusCode: 400 })
      expect(answer.body.error).to.contain(param)
    })
  }

  const reserved = ['postmaster', 'abuse', 'admin', 'www', 'mailer-daemon', 'mta-sts', 'autoconfig', 'autodiscover']
  const hosts = ['west', 'app', 'dns1']
  for (const name of [...reserved, ...hosts]) {
    it(`refuses the reserved name ${name}`, async () => {
      const answer = await signup({ name })
      expect([answer.status, answer.body.code]).to.deep.equal([409, 'conflict'])
    })
  }

  it('needs no body at all', async () => {
    const answer = await signup<Json>()
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    expect(answer.body).to.have.all.keys(
      'success',
      'address',
      'api_key',
      'claim_url',
      'expires_at',
      'base_url',
      'mcp_url',
    )
    expect(answer.body.address).to.match(/^agent@agent-[a-z0-9]{5}\.free\.example$/)
    expect(answer.body.base_url).to.equal(`${door.ctx.baseUrl}/api/v1/mailboxes/${answer.body.address}`)
    expect(answer.body.expires_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('gives a name to only one of several simultaneous signups', async () => {
    const answers = await Promise.all([1, 2].map(() => signup({ name: 'wanted', inbox: 'first.last' })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409])
    const taken = answers.find(({ status }) => status === 409)
    expect(taken?.body.code).to.equal('conflict')
    expect(taken?.body.error).to.contain('The name "wanted" is already in use')
  })

  it('refuses an address that signed up too often, then its network, then everybody', async () => {
    const refusals = (await Promise.all([1, 2, 3].map(() => signup()))).filter(({ status }) => status !== 201)
    expect(refusals).to.have.length(3)
    for (const { body, headers, status } of refusals) {
      expect([status, body.code]).to.deep.equal([429, 'rate_limited'])
      expect(body.error).to.contain('address')
      expect(Number(headers.get('retry-after')))
        .to.equal(body.retryAfter)
        .and.to.be.within(1, 86_400)
    }
    const neighbours = await Promise.all([2, 3, 4].map((n) => signupFrom(`127.0.0.${n}`)))
    expect(neighbours.map(({ status }) => status).sort()).to.deep.equal([201, 201, 429])
    expect(neighbours.find(({ status }) => status === 429)?.body.error).to.contain('network')
    expect((await signupFrom('127.0.1.1')).status).to.equal(201)
    const last = await signupFrom('127.0.2.1')
    expect([last.status, last.body.code]).to.deep.equal([503, 'unavailable'])
    expect(last.retryAfter).to.be.within(1, 86_400)
  })

  function signupFrom(localAddress: string): Promise<{ status: number; body: Refusal; retryAfter: number }> {
    return new Promise((resolve, reject) => {
      const asked = request(`${door.http}/api/v1/signup`, { method: 'POST', localAddress }, (response) => {
        let text = ''
        response.on('data', (part: Buffer) => {
          text += part.toString()
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text) as Refusal,
            retryAfter: Number(response.headers['retry-after']),
          }),
        )
      })
      asked.on('error', reject)
      asked.end()
    })
  }
})
