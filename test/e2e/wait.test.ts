import { expect } from 'chai'
import { client, type Json } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { type Service, startService } from '../start/service.ts'

type Waited = {
  readonly message: (Json & { readonly message_id: string; readonly subject: string }) | null
  readonly near_misses: readonly Json[]
  readonly cursor: string
}

/** The longest wait that the API allows, in seconds. */
const longest = 55
/** The waiting client must have its answer within this many round trips of another request; 2 to 5 have been measured. */
const roundTripsMax = 25

describe('waiting for mail that comes by SMTP', () => {
  let service: Service
  let address: string
  let call: ReturnType<typeof client>

  before(async () => {
    service = await startService()
    const { body } = await client(service.http)<{ address: string; api_key: string }>('POST', '/api/v1/signup', {
      name: 'waiting',
    })
    address = body.address
    call = client(service.http, body.api_key)
  })
  after(() => service?.dispose())

  const wait = (query: string) => call<Waited>('GET', `/api/v1/mailboxes/${address}/wait?${query}`)
  const cursorNow = async () =>
    (await call<{ cursor: string }>('GET', `/api/v1/mailboxes/${address}/messages`)).body.cursor
  const send = (subject: string, text = 'Hello.') =>
    sendMail(service.smtp, {
      from: 'shop@remote.example',
      to: address,
      raw: Buffer.from(
        `From: Shop <shop@remote.example>\r\nTo: ${address}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@remote.example>\r\n\r\n${text}\r\n`,
      ),
    })

  it('a code is returned as soon as the message is accepted', async () => {
    const answer = wait(`has_code=true&timeout=${longest}&since=${await cursorNow()}`)
    await send('news')
    await send('code', 'Your verification code is 482913. It expires in 10 minutes.')
    const { status, body } = await answer
    expect(status).to.equal(200)
    expect(body.message?.subject).to.equal('code')
    expect(JSON.stringify(body.message?.verification)).to.include('"value":"482913"')
    expect(body.near_misses).to.have.length(1)
  })

  it('mail accepted before the call is not returned, except mail since a given cursor', async () => {
    const since = await cursorNow()
    await send('before')
    expect((await wait('timeout=1')).body.message).to.equal(null)
    expect((await wait(`since=${since}&timeout=1`)).body.message?.subject).to.equal('before')
  })

  it('the answer follows the acceptance quickly while others wait', async function () {
    const others = Array.from({ length: 40 }, () => wait(`subject=nothing-of-the-kind&timeout=${longest}`))
    const since = await cursorNow()
    const times: number[] = []
    const roundTrips: number[] = []
    for (let n = 0; n < 20; n++) {
      const answer = wait(`subject=quick-${n}-&since=${since}&timeout=${longest}`).then((answered) => ({
        ...answered,
        at: performance.now(),
      }))
      // A request sent after the wait, over the same door: once it is answered, the wait has started.
      const asked = performance.now()
      await call('GET', '/api/v1/account')
      roundTrips.push(performance.now() - asked)
      await send(`quick-${n}-`)
      const accepted = performance.now()
      const answered = await answer
      expect(answered.body.message?.subject).to.equal(`quick-${n}-`)
      times.push(Math.max(0, answered.at - accepted))
    }
    for (const measured of [times, roundTrips]) measured.sort((a, b) => a - b)
    const [median, worst] = [times[10] ?? 0, times.at(-1) ?? 0]
    this.test!.title += ` (median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms of ${times.length})`
    expect(median, 'the median in milliseconds').to.be.lessThan((roundTrips[10] ?? 0) * roundTripsMax)
    // A wait that is not woken ends only at its timeout, so none of these may take that long.
    expect(worst).to.be.lessThan(longest * 900)
    service.process.kill('SIGTERM')
    const answers = await Promise.allSettled(others)
    expect(new Set(answers.map((each) => (each.status === 'fulfilled' ? each.value.status : 0)))).to.deep.equal(
      new Set([503]),
    )
  })
})
