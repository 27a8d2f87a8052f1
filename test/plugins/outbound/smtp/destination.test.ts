import type { Socket } from 'node:net'
import { expect } from 'chai'
import { createDestination, type Destination } from '../../../../plugins/outbound/smtp/destination.ts'
import type { Mail, TlsPolicy } from '../../../../plugins/outbound/smtp/session.ts'
import { type Script, type Sink, startReluctant, startScript, startSink } from '../../../peers/smtp-server.ts'

const limits = { connections: 2, messagesPerSecond: 0, usesPerConnection: 3, idleMs: 1_000, patienceMs: 200 }
const timeouts = { connectMs: 2_000, replyMs: 500, finalReplyMs: 2_000 }

type Heard = { readonly script: Script; readonly destination: Destination }

describe('a destination', () => {
  const closing: (() => unknown)[] = []
  let nowMs = Date.now()
  const clock = { now: () => new Date(nowMs) }
  type NoTls = Parameters<typeof createDestination>[3]
  const remembersNothing: NoTls = { get: () => undefined, set: () => undefined, delete: () => false }

  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  function destinationAt(
    route: string,
    more: Partial<typeof limits> & { tls?: TlsPolicy; noTls?: NoTls } = {},
  ): Destination {
    const { tls = { kind: 'opportunistic' }, noTls = remembersNothing, ...changed } = more
    const [address = '', port] = route.split(':')
    const opening = {
      route: { name: 'mx.remote.test', address, port: Number(port) },
      name: 'us.test',
      tls,
      limits: timeouts,
    }
    const destination = createDestination({ clock }, opening, { ...limits, ...changed }, noTls)
    closing.push(() => destination.close())
    return destination
  }

  /** A server with these extensions that replies as `answer` says, and otherwise as servers usually do. */
  async function scripted(
    extensions: readonly string[],
    answer: (line: string, times: number) => string | Buffer | null | undefined = () => undefined,
    greeting = '220 hi\r\n',
  ): Promise<Heard> {
    const times = new Map<string, number>()
    const script = await startScript(greeting, (line) => {
      const verb = line.split(/[ :]/)[0] ?? ''
      times.set(verb, (times.get(verb) ?? 0) + 1)
      const own = answer(line, times.get(verb) ?? 1)
      if (own !== undefined) return own
      if (line.startsWith('EHLO'))
        return ['hello', ...extensions]
          .map((each, n, all) => `250${n < all.length - 1 ? '-' : ' '}${each}\r\n`)
          .join('')
      return line === 'DATA' ? '354 go on\r\n' : '250 2.0.0 ok\r\n'
    })
    closing.push(() => script.close())
    return { script, destination: destinationAt(script.route) }
  }

  const mail = (more: Partial<Mail> = {}): Mail => ({
    sender: 'a@us.test',
    recipient: 'b@remote.test',
    sizeBytes: 14,
    is8Bit: false,
    needsUtf8: false,
    isHeld: async () => true,
    sevenBit: async () => null,
    content: [Buffer.from('Subject: x\r\n\r\n'), Buffer.from('.\r\n')],
    ...more,
  })
  const count = ({ heard }: Script, start: string) => heard.filter((line) => line.startsWith(start)).length

  it('does not send a mail whose lease lapsed, and uses the connection for others', async () => {
    const { script, destination } = await scripted(['PIPELINING'])
    expect(await destination.send(mail({ isHeld: async () => false }))).to.include({ retrySeconds: 0 })
    expect(count(script, 'MAIL')).to.equal(0)
    expect(await destination.send(mail())).to.include({ command: '.' })
    expect([count(script, 'EHLO'), count(script, 'MAIL')]).to.deep.equal([1, 1])
  })

  it('sends one mail after the other over a connection, up to its number of uses', async () => {
    const { script, destination } = await scripted(['PIPELINING'])
    for (let n = 0; n < 5; n++)
      expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
    expect([count(script, 'EHLO'), count(script, 'MAIL')]).to.deep.equal([2, 5])
  })

  it('opens no more connections than allowed, and every mail gets a turn', async () => {
    const { script, destination } = await scripted([])
    const done = await Promise.all(Array.from({ length: 6 }, () => destination.send(mail())))
    expect(done.every((each) => 'command' in each && each.reply === '250 2.0.0 ok')).to.equal(true)
    expect(count(script, 'EHLO')).to.equal(2)
  })

  it('names size and 8-bit bodies to a server that knows them', async () => {
    const { script, destination } = await scripted(['SIZE 1000', '8BITMIME', 'SMTPUTF8'])
    await destination.send(mail({ is8Bit: true, needsUtf8: true }))
    expect(script.heard).to.include('MAIL FROM:<a@us.test> SIZE=14 BODY=8BITMIME SMTPUTF8')
  })

  it('does not send what the server cannot take, and says why', async () => {
    const { script, destination } = await scripted(['SIZE 10'])
    expect(await destination.send(mail())).to.include({
      reply: '552 5.3.4 the message has 14 bytes, and the server takes at most 10',
    })
    expect(await destination.send(mail({ sizeBytes: 5, needsUtf8: true }))).to.include({
      reply: '550 5.6.7 the server does not take internationalised mail (SMTPUTF8)',
    })
    expect(count(script, 'MAIL')).to.equal(0)
  })

  it('makes a mail 7-bit for a server that takes no other, or says that it cannot', async () => {
    const { script, destination } = await scripted([])
    const converted = { content: [Buffer.from('Subject: 7\r\n\r\n'), Buffer.from('.\r\n')], sizeBytes: 14 }
    expect(await destination.send(mail({ is8Bit: true, sevenBit: async () => converted }))).to.include({ command: '.' })
    expect(script.heard).to.include('Subject: 7')
    expect(await destination.send(mail({ is8Bit: true }))).to.include({
      reply: '554 5.6.3 the server takes 7-bit mail only, and this mail cannot be converted to it',
    })
  })

  const interrupted = () => Promise.reject(new Error('interrupted'))
  let asked = 0
  const faults: readonly (readonly [string, Partial<Mail>, connections: number])[] = [
    ['cannot be made 7-bit now', { is8Bit: true, sevenBit: interrupted }, 1],
    ['whose lease cannot be read before the envelope', { isHeld: interrupted }, 1],
    ['whose lease cannot be read before the content', { isHeld: async () => ++asked % 2 === 1 || interrupted() }, 3],
  ]
  for (const [what, more, connections] of faults)
    it(`keeps no connection from others for a mail ${what}`, async () => {
      const { script, destination } = await scripted(['PIPELINING'])
      for (let n = 0; n < 2; n++) {
        const error = await destination.send(mail(more)).catch((each: unknown) => each)
        expect(error).to.be.an('error').with.property('message', 'interrupted')
      }
      expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
      // A server that waits for the content is left.
      expect(count(script, 'EHLO')).to.equal(connections)
      destination.close()
      // Resolves when no connection is open.
      await script.close()
    })

  for (const extensions of [['PIPELINING'], []]) {
    it(`goes on after a refused recipient ${extensions.length > 0 ? 'with' : 'without'} pipelining`, async () => {
      let refuse = true
      const { script, destination } = await scripted(extensions, (line) => {
        if (line.startsWith('RCPT') && refuse) return '550 5.1.1 unknown\r\n'
        return line === 'DATA' && refuse ? '503 5.5.1 no recipients\r\n' : undefined
      })
      expect(await destination.send(mail())).to.include({ command: 'RCPT', reply: '550 5.1.1 unknown' })
      refuse = false
      expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
      expect([count(script, 'EHLO'), count(script, 'RSET')]).to.deep.equal([1, 1])
    })
  }

  it('backs off from a server that turns it away, longer each time, until the server takes mail again', async () => {
    let closed = true
    const { script, destination } = await scripted([], (line) =>
      closed && line.startsWith('MAIL') ? '421 4.7.0 too much\r\n' : undefined,
    )
    expect(await destination.send(mail())).to.include({ reply: '421 4.7.0 too much' })
    const rest = await destination.send(mail())
    expect('retrySeconds' in rest && rest.retrySeconds).to.be.within(12, 18)
    // Without the words of the reply, which were about somebody else's mail.
    expect('why' in rest && rest.why).to.match(/^is not tried for \d+ seconds: it answered 421$/)
    expect(count(script, 'MAIL')).to.equal(1)
    nowMs += 19_000
    expect(await destination.send(mail())).to.include({ reply: '421 4.7.0 too much' })
    const longer = await destination.send(mail())
    expect('retrySeconds' in longer && longer.retrySeconds).to.be.within(24, 36)
    nowMs += 37_000
    closed = false
    expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
    expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
  })

  it('sends mail of others to a server that says 421 to one sender, and backs off when it does to a second', async () => {
    const unwanted = new Set(['us.test'])
    const { destination } = await scripted([], (line) =>
      unwanted.has(/^MAIL FROM:<.*@(.*)>/.exec(line)?.[1] ?? '') ? '421 4.7.0 too much\r\n' : undefined,
    )
    const other = () => destination.send(mail({ sender: 'b@other.test' }))
    for (const [leastSeconds, mostSeconds] of [
      [12, 18],
      [24, 36],
      [48, 72],
    ] as const) {
      expect(await destination.send(mail())).to.include({ reply: '421 4.7.0 too much' })
      const rest = await destination.send(mail({ sender: 'c@us.test' }))
      expect('retrySeconds' in rest && rest.retrySeconds).to.be.within(leastSeconds, mostSeconds)
      for (let n = 0; n < 2; n++) expect(await other()).to.include({ command: '.', reply: '250 2.0.0 ok' })
      expect(destination.isForgettable).to.equal(false)
      nowMs += (mostSeconds + 1) * 1_000
    }
    unwanted.add('other.test')
    expect(await destination.send(mail())).to.include({ reply: '421 4.7.0 too much' })
    expect(await other()).to.include({ reply: '421 4.7.0 too much' })
    expect(await destination.send(mail({ sender: 'd@third.test' }))).to.have.property('retrySeconds')
    nowMs += 400_000
    unwanted.clear()
    for (const sender of ['a@us.test', 'b@other.test', 'd@third.test'])
      expect(await destination.send(mail({ sender }))).to.include({ command: '.', reply: '250 2.0.0 ok' })
  })

  const refusedSenders = [
    ['a sender that it does not allow, and hangs up', '421 4.7.1 <a@us.test>: sender address rejected', false],
    ['a sender that it does not allow', '450 4.7.1 <a@us.test>: sender address rejected', false],
    ['a sender whose domain it cannot find', '450 4.1.8 <a@us.test>: domain not found', false],
    ['a sender whose SPF record it cannot read', '451 4.7.24 SPF of us.test', false],
    ['a mail that is too large for now', '452 4.3.4 too large', false],
    ['all mail, as the address has no name', '450 4.7.25 no reverse name', true],
    ['all mail, as it is busy', '451 4.7.500 server busy', true],
    ['all mail, as its disk is full', '452 4.3.1 no room', true],
    ['mail, and does not say why', '451 later', true],
  ] as const
  for (const [what, reply, isOfServer] of refusedSenders)
    it(`${isOfServer ? 'backs off from' : 'sends mail of others to'} a server that defers ${what}`, async () => {
      const { script, destination } = await scripted([], (line) =>
        line.startsWith('MAIL FROM:<a@us.test>') ? `${reply}\r\n` : undefined,
      )
      expect(await destination.send(mail())).to.include({ command: 'MAIL', reply })
      const other = await destination.send(mail({ sender: 'other@us.test' }))
      if (isOfServer) expect(other).to.have.property('retrySeconds')
      else expect(other).to.include({ command: '.', reply: '250 2.0.0 ok' })
      expect(count(script, 'MAIL')).to.equal(isOfServer ? 1 : 2)
    })

  for (const command of ['MAIL', 'RCPT'])
    it(`keeps the refusal of a server that hangs up after it at ${command}`, async () => {
      const { destination } = await scripted(['PIPELINING'], (line) => {
        if (line.startsWith(command)) return '550 5.7.1 go away\r\n'
        return line === 'DATA' ? null : undefined
      })
      expect(await destination.send(mail())).to.include({ command, reply: '550 5.7.1 go away' })
    })

  it('accepts any reply code of the right class', async () => {
    const { destination } = await scripted([], (line) => (line.startsWith('RCPT') ? '252 2.5.0 maybe\r\n' : undefined))
    expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
  })

  it('keeps the end of a reply that is too long', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `550-5.7.1 ${n} ${'x'.repeat(60)}\r\n`).join('')
    const { destination } = await scripted([], (line) =>
      line.startsWith('RCPT') ? `${lines}550 5.7.1 the end\r\n` : undefined,
    )
    const dialogue = await destination.send(mail())
    const kept = 'command' in dialogue ? dialogue.reply.split('\n') : []
    expect([kept[0]?.slice(0, 13), kept.at(-1)]).to.deep.equal(['550-5.7.1 0 x', '550 5.7.1 the end'])
    expect(kept.join('\n').length).to.be.within(3_900, 4_096)
  })

  const texts = [
    ['UTF-8', Buffer.from('550 5.1.1 Postfach ungültig\r\n')],
    ['Latin-1', Buffer.from('550 5.1.1 Postfach ungültig\r\n', 'latin1')],
  ] as const
  for (const [charset, reply] of texts)
    it(`keeps a reply in ${charset} word for word`, async () => {
      const { destination } = await scripted([], (line) => (line.startsWith('RCPT') ? reply : undefined))
      expect(await destination.send(mail())).to.include({ reply: '550 5.1.1 Postfach ungültig' })
    })

  it('lets no mail wait for a slow server, and says when to try again', async () => {
    const { script, destination } = await scripted([], (line) => (line.startsWith('RCPT') ? '' : undefined))
    let answered = 0
    const busy = [1, 2].map(() => destination.send(mail()).finally(() => answered++))
    const later = await destination.send(mail())
    expect('retrySeconds' in later && later.retrySeconds).to.be.within(12, 18)
    expect(await destination.send(mail())).to.have.property('retrySeconds')
    expect(answered, 'of those who wait for the server').to.equal(0)
    expect(count(script, 'EHLO')).to.equal(2)
    await Promise.all(busy)
    // Now a connection is free.
    expect(await destination.send(mail())).to.include({ command: 'RCPT' })
  })

  it('takes another connection when the one that was idle is gone', async () => {
    const { script, destination } = await scripted([], (line, times) =>
      line.startsWith('MAIL') && times === 2 ? null : undefined,
    )
    expect(await destination.send(mail())).to.include({ reply: '250 2.0.0 ok' })
    expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
    expect(count(script, 'EHLO')).to.equal(2)
  })

  it('does not wait for ever', async () => {
    const { destination } = await scripted([], (line) => (line.startsWith('RCPT') ? '' : undefined))
    expect(await destination.send(mail())).to.include({ command: 'RCPT', trouble: 'no answer in time' })
  })

  const midway: readonly (readonly [name: string, does: (socket: Socket) => void, dialogue: object])[] = [
    [
      'keeps the refusal of a server that hangs up after it in the midst of the content',
      (socket) => socket.end('552 5.3.4 too large\r\n', () => socket.destroy()),
      { reply: '552 5.3.4 too large' },
    ],
    [
      'does not wait for ever for a server that takes nothing of the content',
      (socket) => socket.pause(),
      { reply: '', trouble: 'the server took no more of the message' },
    ],
    [
      'does not keep an endless stream of replies that nobody asked for',
      (socket) => socket.pause().write('250 2.0.0 ok\r\n'.repeat(1_000)),
      { reply: '', trouble: 'the server sends replies that nobody asked for' },
    ],
  ]
  for (const [name, does, dialogue] of midway)
    it(name, async () => {
      const server = await startReluctant(does)
      closing.push(() => server.close())
      const content = [Buffer.alloc(32 * 1024 * 1024, 'more\r\n'), Buffer.from('.\r\n')]
      expect(await destinationAt(server.route).send(mail({ content }))).to.include({ command: 'DATA', ...dialogue })
    })

  it('says HELO to a server that does not know EHLO', async () => {
    const { script, destination } = await scripted([], (line) =>
      line.startsWith('EHLO') ? '502 5.5.1 what\r\n' : undefined,
    )
    expect(await destination.send(mail())).to.include({ command: '.', reply: '250 2.0.0 ok' })
    expect(script.heard).to.include('HELO us.test')
  })

  describe('with a policy', () => {
    let sink: Sink

    before(async () => {
      sink = await startSink(() => null)
      closing.push(() => sink.close())
    })

    const policies: readonly (readonly [string, TlsPolicy, RegExp])[] = [
      ['an untrusted certificate is refused', { kind: 'verified' }, /not trusted/],
      ['a certificate of none of the pins is refused', { kind: 'pinned', accepts: () => false }, /DANE/],
    ]
    for (const [name, tls, trouble] of policies) {
      it(name, async () => {
        const dialogue = await destinationAt(sink.route, { tls }).send(mail())
        expect('command' in dialogue && dialogue.trouble).to.match(trouble)
        expect(sink.received).to.deep.equal([])
      })
    }

    const opportunistic = { kind: 'opportunistic' } as const
    const told: readonly (readonly [string, TlsPolicy, object | null])[] = [
      ['an untrusted certificate', { kind: 'verified' }, { type: 'certificate-expired' }],
      ['none of the pins', { kind: 'pinned', accepts: () => false }, { type: 'tlsa-invalid' }],
      ['one of the pins', { kind: 'pinned', accepts: () => true }, null],
      ['any certificate, where nobody asks for one', opportunistic, null],
      ['a certificate that is only watched', { ...opportunistic, isWatched: true }, { type: 'certificate-expired' }],
    ]
    for (const [name, tls, expected] of told) {
      it(`reports the result of TLS, once for each connection: ${name}`, async () => {
        const heard: unknown[] = []
        const destination = destinationAt(sink.route, { tls })
        const isRefused = tls.kind !== 'opportunistic' && expected !== null
        for (let n = 0; n < 2; n++) await destination.send(mail({ onConnection: (failure) => heard.push(failure) }))
        expect(heard).to.have.length(isRefused ? 2 : 1)
        if (expected === null) expect(heard).to.deep.equal([null])
        else expect(heard[0]).to.include(expected)
      })
    }

    const without: readonly (readonly [string, readonly string[], string, string])[] = [
      ['that does not offer STARTTLS', [], '', 'starttls-not-supported'],
      ['that refuses STARTTLS', ['STARTTLS'], '454 4.7.0 no\r\n', 'validation-failure'],
      ['that cannot speak TLS', ['STARTTLS'], '220 go\r\nnonsense', 'validation-failure'],
    ]
    for (const [name, extensions, reply, type] of without) {
      it(`reports a server ${name}`, async () => {
        const { destination } = await scripted(extensions, (line) => (line === 'STARTTLS' ? reply : undefined))
        const heard: { type: string }[] = []
        const dialogue = await destination.send(mail({ onConnection: (failure) => failure && heard.push(failure) }))
        expect(dialogue).to.include({ command: '.', tls: false })
        expect(heard.map((failure) => failure.type)).to.deep.equal([type])
      })
    }

    it('still uses TLS at another port of an address where STARTTLS failed', async () => {
      const failing = await scripted(['STARTTLS'], (line) => (line === 'STARTTLS' ? '454 4.7.0 no\r\n' : undefined))
      const noTls = new Map<string, true>()
      const sent = await destinationAt(failing.script.route, { noTls }).send(mail())
      expect(sent).to.include({ command: '.', tls: false })
      expect(await destinationAt(sink.route, { noTls }).send(mail())).to.include({ command: '.', tls: true })
    })

    it('reports nothing about a server that turns us away', async () => {
      const { destination } = await scripted([], undefined, '554 go away\r\n')
      const heard: unknown[] = []
      await destination.send(mail({ onConnection: (failure) => heard.push(failure) }))
      expect(heard).to.deep.equal([])
    })

    it('a server without STARTTLS is refused', async () => {
      const { script } = await scripted([])
      const dialogue = await destinationAt(script.route, { tls: { kind: 'pinned', accepts: () => true } }).send(mail())
      expect('command' in dialogue && dialogue.trouble).to.match(/requires TLS/)
      expect(count(script, 'MAIL')).to.equal(0)
    })

    it('a pinned certificate is taken', async () => {
      const tls: TlsPolicy = { kind: 'pinned', accepts: ([own]) => own !== undefined && own.length > 100 }
      expect(await destinationAt(sink.route, { tls }).send(mail())).to.include({ command: '.', tls: true })
    })
  })
})
