import { expect } from 'chai'
import { eventually } from '../../eventually.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Service, startService } from '../../start/haraka.ts'

describe('limits of sessions', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { smtp: { connectionsPerAddress: 3, dataBytesInFlight: 100_000 } } })
  })
  after(() => service.stop())

  /** Opens a session; null if the server refuses it. */
  async function session(): Promise<SmtpClient | null> {
    const client = await SmtpClient.connect(service.smtp)
    if ((await client.reply()).code === 220) return client
    client.destroy()
    return null
  }

  async function sessions(count: number): Promise<SmtpClient[]> {
    const clients: SmtpClient[] = []
    while (clients.length < count) clients.push(await eventually('a free session', session))
    return clients
  }

  it('refuses the fourth connection of an address with 421, also on loopback, and takes one when another ends', async () => {
    const clients = await sessions(3)
    const fourth = await SmtpClient.connect(service.smtp)
    expect((await fourth.reply()).text).to.match(/^421 4\.7\.0 /)
    expect((await fourth.reply()).text).to.equal('closed')
    clients.pop()?.destroy()
    clients.push(...(await sessions(1)))
    for (const client of clients) client.destroy()
  })

  it('does not believe a client that speaks for another one', async () => {
    const [client] = await sessions(1)
    expect((await client!.say('PROXY TCP4 192.0.2.1 192.0.2.25 40000 25')).code).to.equal(421)
    expect((await client!.reply()).text).to.equal('closed')
  })

  it('refuses parameters that are not offered, and takes those that are', async () => {
    const [client] = await sessions(1)
    await client!.say('EHLO client.test')
    for (const unknown of ['RET=HDRS', 'BODY=BINARYMIME', 'BODY', 'SIZE=100 REQUIRETLS', 'SMTPUTF8=x', 'X=1'])
      expect((await client!.say(`MAIL FROM:<a@b.test> ${unknown}`)).text, unknown).to.match(/^555 5\.5\.4 /)
    expect((await client!.say('MAIL FROM:<a@b.test> SIZE=100 body=8bitmime SMTPUTF8 AUTH=<>')).code).to.equal(250)
    expect((await client!.say(`RCPT TO:<${service.address}> NOTIFY=NEVER`)).text).to.match(/^555 5\.5\.4 /)
    expect((await client!.say(`RCPT TO:<${service.address}>`)).code).to.equal(250)
    client!.destroy()
  })

  it('answers 452 when too much mail is under way, and takes it when there is room again', async () => {
    const [hoarder, other] = await sessions(2)
    for (const client of [hoarder!, other!]) await client.say('EHLO client.test')
    await hoarder!.data([service.address])
    hoarder!.write('\r\n'.concat('x'.repeat(78).concat('\r\n').repeat(700)))
    const message = `Subject: large\r\n\r\n${'y'.repeat(78).concat('\r\n').repeat(700)}`
    const reply = (code: number) =>
      eventually(`the reply ${code}`, async () => {
        const heard = await other!.send([service.address], message)
        return heard.code === code ? heard : null
      })
    expect((await reply(452)).text).to.match(/^452 4\.3\.1 /)
    hoarder!.destroy()
    expect((await reply(250)).text).to.match(/^250 2\.6\.0 /)
    other!.destroy()
  })
})

describe('a disk that is nearly full', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { smtp: { freeDiskBytes: Number.MAX_SAFE_INTEGER } } })
  })
  after(() => service.stop())

  it('is reported at MAIL, before anything is sent', async () => {
    const client = await SmtpClient.hello(service.smtp)
    expect((await client.say('MAIL FROM:<a@b.test>')).text).to.match(/^452 4\.3\.1 /)
    client.destroy()
  })
})

describe('the pace of sessions', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { smtp: { commandSeconds: 1 } } })
  })
  after(() => service.stop())

  async function session(): Promise<SmtpClient> {
    const client = await SmtpClient.connect(service.smtp)
    expect((await client.reply()).code).to.equal(220)
    return client
  }

  /** Sends a byte now and then until there is a reply. */
  async function trickle(client: SmtpClient): Promise<string> {
    let answer: string | null = null
    void client.reply().then(({ text }) => {
      answer = text
    })
    return eventually('a reply', () => {
      if (answer === null) client.write('x')
      return answer
    })
  }

  const beginnings: readonly (readonly [name: string, begin: (client: SmtpClient) => Promise<unknown>])[] = [
    ['a command line', async () => undefined],
    ['a command line after others', (client) => client.say('EHLO client.test')],
    [
      'the data of a message',
      async (client) => client.say('EHLO client.test').then(() => client.data([service.address])),
    ],
  ]
  for (const [name, begin] of beginnings)
    it(`ends a session that sends ${name} byte by byte`, async () => {
      const client = await session()
      await begin(client)
      expect(await trickle(client)).to.match(/^421 4\.4\.2 Too slow/)
      expect((await client.reply()).text).to.equal('closed')
    })

  it('does not count the time between commands', async () => {
    const client = await session()
    await client.say('EHLO client.test')
    const began = performance.now()
    await eventually('commands for longer than one may take', async () => {
      expect((await client.say('NOOP')).code).to.equal(250)
      return performance.now() - began > 1_500
    })
    client.destroy()
  })
})
