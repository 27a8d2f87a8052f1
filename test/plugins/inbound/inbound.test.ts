import { expect } from 'chai'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Service, startService } from '../../start/haraka.ts'

const limits = { messageBytes: 200_000, headerBytes: 100_000, headerCount: 3_500, recipients: 3 }
const subject = 'Subject: hello\r\n\r\n'

describe('inbound mail', () => {
  let service: Service
  let address: string
  before(async () => {
    service = await startService({ limits: { smtp: limits } })
    address = service.address
  })
  after(() => service.stop())

  async function count(): Promise<number> {
    return (await service.messages()).length
  }

  describe('who is taken', () => {
    const cases = [
      ['a mailbox of ours', () => address, 250],
      ['in other case', () => address.toUpperCase(), 250],
      ['with a tag', () => address.replace('@', '+tag@'), 250],
      ['postmaster of the shared domain', () => 'postmaster@agents.localhost', 250],
      ['postmaster without a domain', () => 'postmaster', 250],
      ['nobody on our domain', () => `nobody@${address.split('@')[1]}`, 550],
      ['somebody elsewhere: no relaying', () => 'someone@example.org', 550],
      ['the percent hack: no relaying', () => `someone%example.org@${address.split('@')[1]}`, 550],
      ['a source route to elsewhere: no relaying', () => `@${address.split('@')[1]}:someone@example.org`, 550],
      ['an address literal', () => 'someone@[192.0.2.1]', 550],
    ] as const
    for (const [name, to, code] of cases) {
      it(name, async () => {
        const client = await SmtpClient.hello(service.smtp)
        await client.say('MAIL FROM:<>')
        const reply = await client.say(`RCPT TO:<${to()}>`)
        expect(reply.text).to.match(code === 250 ? /^250 2\.1\.5 / : /^550 5\.1\.1 /)
        client.destroy()
      })
    }

    it('refuses one recipient too many, and takes the mail for the others', async () => {
      const client = await SmtpClient.hello(service.smtp)
      await client.say('MAIL FROM:<a@b.test>')
      const to = [0, 1, 2, 3].map((n) => `RCPT TO:<${address.replace('@', `+${n}@`)}>`)
      const codes: number[] = []
      for (const line of to) codes.push((await client.say(line)).code)
      expect(codes).to.deep.equal([250, 250, 250, 452])
      expect((await client.say('DATA')).code).to.equal(354)
      client.destroy()
    })
  })

  describe('keeps every byte of', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['an ordinary message', `From: a@b.test\r\n${subject}body\r\n`],
      ['8-bit bytes in header and body', `Subject: caf\xe9 \xff\r\n\r\n\x80\x81\xfe\xff\r\n`],
      ['NUL', `Subject: a\0b\r\n\r\nc\0\0d\r\n`],
      ['dots at line beginnings', `${subject}.\r\n..\r\n...\r\n.x\r\n..x\r\n.`.concat('end\r\n')],
      ['bare CR', `${subject}a\rb\r\r\n\r.\r\nc\r\n`],
      ['no blank line', 'this is no header\r\nand no body\r\n'],
      ['no header', '\r\nbody\r\n'],
      ['3,000 header fields', `${Array.from({ length: 3_000 }, (_, n) => `X-${n}: ${n}\r\n`).join('')}\r\nbody\r\n`],
      ['a header field of 50,000 characters', `Subject: ${'x'.repeat(50_000)}\r\n\r\nbody\r\n`],
      ['a line of 65,534 characters', `${subject}${'x'.repeat(65_534)}\r\n`],
      ['spaces and tabs at line ends', 'Subject: a \t\r\n \t\r\n\r\n \t \r\n'],
      [
        'an Authentication-Results field of the sender',
        `Authentication-Results: mx.mailroom.test; dkim=pass\r\n${subject}x\r\n`,
      ],
      ['folding that no one would write', 'Subject:\r\n  a\r\n\tb\r\n \r\nTo\t: x\r\n\r\nbody\r\n'],
    ]
    for (const [name, raw] of cases) {
      it(name, async () => {
        const client = await SmtpClient.hello(service.smtp)
        const reply = await client.send([address], Buffer.from(raw, 'latin1'))
        expect(reply.text).to.match(/^250 2\.6\.0 msg_[0-9a-z]{26} accepted/)
        const stored = (await service.messages()).at(-1)
        expect(stored?.toString('latin1')).to.equal(raw)
        client.destroy()
      })
    }
  })

  describe('refuses after DATA, and goes on', () => {
    const cases = [
      ['a message that is too large', `${subject}${'x'.repeat(998).concat('\r\n').repeat(200)}`, '552 5.3.4'],
      ['too many header fields', 'A: b\r\n'.repeat(3_501), '552 5.3.4'],
      ['a header that is too large', `A: ${'b'.repeat(60_000)}\r\nC: ${'d'.repeat(60_000)}\r\n\r\n`, '552 5.3.4'],
      ['a line that is too long', `${subject}${'x'.repeat(65_535)}\r\n`, '554 5.6.0'],
      ['a mail loop', 'Received: from a by b\r\n'.repeat(101), '554 5.4.6'],
    ] as const
    for (const [name, raw, reply] of cases) {
      it(name, async () => {
        const before = await count()
        const client = await SmtpClient.hello(service.smtp)
        expect((await client.send([address], raw)).text).to.match(new RegExp(`^${reply} `))
        expect(await count()).to.equal(before)
        expect((await client.send([address], `${subject}after ${name}\r\n`)).code).to.equal(250)
        client.destroy()
      })
    }

    it('and ends the session of a client that never stops', async () => {
      const client = await SmtpClient.hello(service.smtp)
      await client.data([address])
      client.write('x'.repeat(998).concat('\r\n').repeat(500))
      expect((await client.reply()).text).to.match(/^552 5\.3\.4 /)
      expect((await client.reply()).text).to.equal('closed')
    })
  })

  describe('refuses at MAIL', () => {
    const cases = [
      ['a declared size that is too large', 'SIZE=200001', /^552 5\.3\.4 /],
      ['a size that is no number', 'SIZE=large', /^501 5\.5\.4 /],
    ] as const
    for (const [name, parameter, expected] of cases) {
      it(name, async () => {
        const client = await SmtpClient.hello(service.smtp)
        expect((await client.say(`MAIL FROM:<a@b.test> ${parameter}`)).text).to.match(expected)
        expect((await client.say('MAIL FROM:<a@b.test> SIZE=200000 BODY=8BITMIME')).code).to.equal(250)
        client.destroy()
      })
    }
  })

  describe('takes no second message out of one DATA', () => {
    const smuggled = `MAIL FROM:<evil@b.test>\r\nRCPT TO:<ADDRESS>\r\nDATA\r\n${subject}smuggled\r\n.\r\n`
    const cases = [
      ['LF . LF', '\n.\n', 0],
      ['LF . CRLF', '\n.\r\n', 0],
      ['CRLF . LF', '\r\n.\n', 0],
      ['CR . CR', '\r.\r', 1],
      ['CR . CRLF', '\r.\r\n', 1],
      ['CRLF . CR', '\r\n.\r', 1],
      ['CRLF NUL . CRLF', '\r\n\0.\r\n', 1],
      ['a real end with commands behind it', '\r\n.\r\n', 1],
    ] as const
    for (const [name, end, stored] of cases) {
      it(name, async () => {
        const before = await count()
        const client = await SmtpClient.hello(service.smtp)
        await client.data([address])
        const content = `${subject}first ${name}${end}${smuggled.replace('ADDRESS', address)}`
        client.write(Buffer.from(content, 'latin1'))
        const { code } = await client.reply()
        expect(code).to.equal(stored === 1 ? 250 : 550)
        client.destroy()
        expect(await count()).to.equal(before + stored)
      })
    }
  })

  describe('a connection that breaks', () => {
    const cases = [
      ['after 354', ''],
      ['within the header', 'Subject: broken'],
      ['within the body', `${subject}broken\r\n`],
      ['before the last CRLF', `${subject}broken\r\n.`],
    ] as const
    for (const [name, sent] of cases) {
      it(`${name} leaves nothing`, async () => {
        const before = await count()
        const client = await SmtpClient.hello(service.smtp)
        await client.data([address])
        client.write(sent)
        client.destroy()
        const other = await SmtpClient.hello(service.smtp)
        expect((await other.send([address], `${subject}after a break ${name}\r\n`)).code).to.equal(250)
        expect(await count()).to.equal(before + 1)
        other.destroy()
      })
    }

    it('after the final dot gives one message, however often the sender repeats', async () => {
      const before = await count()
      const raw = `Message-ID: <lost@b.test>\r\n${subject}the 250 got lost\r\n`
      const client = await SmtpClient.hello(service.smtp)
      await client.data([address])
      client.write(`${raw}.\r\n`)
      client.destroy()
      const replies: string[] = []
      for (let repeat = 0; repeat < 2; repeat++) {
        const again = await SmtpClient.hello(service.smtp)
        replies.push(/msg_\w+/.exec((await again.send([address], raw)).text)?.[0] ?? 'none')
        again.destroy()
      }
      expect(replies[0]).to.match(/^msg_/).and.equal(replies[1])
      expect(await count()).to.equal(before + 1)
    })
  })

  describe('keeps the same words, sent once more,', () => {
    const cases = [
      ['as another mail without anything that tells the two apart', '', 2],
      ['as one mail with a Message-ID', 'Message-ID: <twice@b.test>\r\n', 1],
      ['as one mail with a Date', 'Date: Sat, 21 Nov 2026 10:00:00 +0000\r\n', 1],
      ['as one mail that was relayed', 'Received: from a by b; Sat, 21 Nov 2026 10:00:00 +0000\r\n', 1],
    ] as const
    for (const [name, field, kept] of cases)
      it(name, async () => {
        const before = await count()
        const client = await SmtpClient.hello(service.smtp)
        for (let n = 0; n < 2; n++)
          expect((await client.send([address], `${field}${subject}disk full\r\n`)).code).to.equal(250)
        client.destroy()
        expect(await count()).to.equal(before + kept)
      })
  })

  it('offers the extensions that it supports', async () => {
    const client = await SmtpClient.connect(service.smtp)
    await client.reply()
    const { lines } = await client.say('EHLO client.test')
    expect(lines.slice(1).map((line) => line.slice(4))).to.have.members([
      ...['PIPELINING', '8BITMIME', 'SMTPUTF8', 'SIZE 200000', 'ENHANCEDSTATUSCODES', 'STARTTLS'],
    ])
    client.destroy()
  })

  it('has an enhanced code in every reply after EHLO', async () => {
    const client = await SmtpClient.hello(service.smtp)
    const commands = [
      'NOOP',
      'RSET',
      'VRFY x',
      'BOGUS',
      'RCPT TO:<a@b>',
      'MAIL FROM:a b',
      'MAIL FROM:<a@b.test>',
      'DATA',
      'QUIT',
    ]
    for (const command of commands) expect((await client.say(command)).text, command).to.match(/^\d{3} [245]\.\d\.\d /)
  })

  it('takes mail over STARTTLS, offers STARTTLS once, and says in the trace that TLS was used', async () => {
    const client = await SmtpClient.hello(service.smtp)
    await client.startTls()
    expect((await client.say('EHLO secure.test')).text).not.to.include('STARTTLS')
    expect((await client.send([address], `${subject}over TLS\r\n`)).code).to.equal(250)
    const [newest] = await service.ctx.store.messages.find({ mailbox: address }).sort({ _id: -1 }).limit(1).toArray()
    expect(newest?.trace).to.match(
      /Received: from secure\.test \(\[127\.0\.0\.1\]\)\r\n\tby mx\.mailroom\.test with ESMTPS id .* \(TLSv1\.3\/TLS_/,
    )
    client.destroy()
  })

  describe('tells in the trace', () => {
    const forwarded = 'first.last+caf_=support-inbox=agent-abcde.agents.mailroom.example@elsewhere.test'
    const cases = [
      [
        'a sender as forwarders write it',
        forwarded,
        'client.test',
        /^Return-Path: <first\.last\+caf_=[^>]{40,}@elsewhere\.test>\r\n/,
      ],
      ['a sender in quotes', '"a b"@elsewhere.test', 'client.test', /^Return-Path: <"a b"@elsewhere\.test>\r\n/],
      ['a sender in UTF-8', 'zoë@elsewhere.test', 'client.test', /^Return-Path: <zoë@elsewhere\.test>\r\n/],
      ['a client with an address literal', 'a@b.test', '[IPv6:2001:db8::1]', /from \[IPv6:2001:db8::1\] \(\[127/],
      ['a client whose name is no name', 'a@b.test', 'x;(mx.bank.test', /from x\?\?mx\.bank\.test \(\[127/],
    ] as const
    for (const [name, from, helo, expected] of cases) {
      it(name, async () => {
        const client = await SmtpClient.connect(service.smtp)
        await client.reply()
        await client.say(`EHLO ${helo}`)
        expect((await client.send([address], `${subject}${name}\r\n`, { from })).code).to.equal(250)
        const [newest] = await service.ctx.store.messages
          .find({ mailbox: address })
          .sort({ _id: -1 })
          .limit(1)
          .toArray()
        expect(newest?.trace).to.match(expected)
        client.destroy()
      })
    }
  })

  it('drops commands that arrived unencrypted after STARTTLS', async () => {
    const client = await SmtpClient.hello(service.smtp)
    client.write('STARTTLS\r\nMAIL FROM:<injected@b.test>\r\n')
    expect((await client.reply()).code).to.equal(220)
    client.destroy()
  })

  it('refuses STARTTLS with parameters, and within TLS, and goes on', async () => {
    const client = await SmtpClient.hello(service.smtp)
    expect((await client.say('STARTTLS now')).text).to.equal('501 5.5.4 STARTTLS takes no parameters')
    await client.startTls()
    await client.say('EHLO secure.test')
    expect((await client.say('STARTTLS')).text).to.equal('503 5.5.1 The connection is already encrypted')
    expect((await client.send([address], `${subject}after two of STARTTLS\r\n`)).code).to.equal(250)
    client.destroy()
  })

  it('takes pipelined commands (RFC 2920)', async () => {
    const client = await SmtpClient.hello(service.smtp)
    client.write(`MAIL FROM:<a@b.test>\r\nRCPT TO:<nobody@${address}>\r\nRCPT TO:<${address}>\r\nDATA\r\n`)
    const codes = [await client.reply(), await client.reply(), await client.reply(), await client.reply()].map(
      ({ code }) => code,
    )
    expect(codes).to.deep.equal([250, 501, 250, 354])
    client.write(`${subject}pipelined\r\n.\r\n`)
    expect((await client.reply()).code).to.equal(250)
    client.destroy()
  })
})
