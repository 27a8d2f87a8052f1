import { expect } from 'chai'
import { sealMessage } from 'mailauth/lib/arc/index.js'
import { dkimSign as mailauthSign } from 'mailauth/lib/dkim/sign.js'
import { administrator, type Principal } from '../../../core/access/principal.ts'
import { reportAddressOf } from '../../../core/deliverability/report-address.ts'
import { createDomain } from '../../../core/domains/claims.ts'
import { createAlias, deleteAlias } from '../../../core/mailbox/aliases.ts'
import { createMailbox } from '../../../core/mailbox/mailboxes.ts'
import { markSpam } from '../../../core/mailbox/mark-spam.ts'
import { changeMessage, deleteMessage } from '../../../core/mailbox/message-changes.ts'
import { setLists } from '../../../core/mailbox/sender-lists.ts'
import { dayMs, minuteMs, after as timeAfter } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { rawMessage, readMessage } from '../../../core/read/bodies.ts'
import { listMessages } from '../../../core/read/list.ts'
import { announceArrivals } from '../../../core/receive/announce.ts'
import { judge } from '../../../core/receive/sender-verdict.ts'
import { dryRunMessage, sendMessage } from '../../../core/send/send.ts'
import { dkimSign, makeDkimKey } from '../../../mail/authentication/dkim-sign.ts'
import type { MailboxLists } from '../../../schemas/mailboxes.ts'
import { toldOf } from '../../documents.ts'
import { eventually } from '../../eventually.ts'
import { type Attached, feedback, gz, mailWith, tlsReport } from '../../mail/report/report-mails.ts'
import { type NameServer, startNameServer } from '../../peers/name-server.ts'
import { startClamd, startRspamd } from '../../peers/scanners.ts'
import { SmtpClient } from '../../peers/smtp-client.ts'
import { type Service, startService } from '../../start/haraka.ts'

const here = '192.0.2.1'
const elsewhere = '198.51.100.7'

type Key = Awaited<ReturnType<typeof makeDkimKey>>

/** Changes that the tests can wait for, each with an alias of its own. */
const markersMax = 40

describe('verification of incoming mail', () => {
  let dns: NameServer
  let service: Service
  let keys: { rsa: Key; ed25519: Key; other: Key }
  let rspamd: Awaited<ReturnType<typeof startRspamd>>
  let clamd: Awaited<ReturnType<typeof startClamd>>
  let owner: Principal
  let sent = 0

  /** Aliases made so early that the receiving process knows them; their deletion marks the order of later changes. */
  const markers: string[] = []

  before(async () => {
    const [rsa, ed25519, other] = await Promise.all([makeDkimKey('rsa'), makeDkimKey('ed25519'), makeDkimKey('rsa')])
    keys = { rsa, ed25519, other }
    dns = await startNameServer({
      'TXT here.test': [`v=spf1 ip4:${here} -all`],
      'TXT soft.test': [`v=spf1 ip4:${here} ~all`],
      'TXT unsure.test': ['v=spf1 ?all'],
      'TXT twice.test': ['v=spf1 -all', 'v=spf1 +all'],
      'TXT wrong.test': ['v=spf1 ipv4:192.0.2.1 -all'],
      'TXT loop.test': ['v=spf1 include:loop.test -all'],
      'TXT void.test': ['v=spf1 a:v1.void.test a:v2.void.test a:v3.void.test -all'],
      'TXT broken.test': 'SERVFAIL',
      'TXT client.test': [`v=spf1 ip4:${here} -all`],
      'TXT mine.test': ['v=spf1 ip4:127.0.0.1 -all'],
      'TXT r._domainkey.here.test': [rsa.publicRecord],
      'TXT e._domainkey.here.test': [ed25519.publicRecord],
      'TXT wrong._domainkey.here.test': [other.publicRecord],
      'TXT revoked._domainkey.here.test': ['v=DKIM1; p='],
      'TXT down._domainkey.here.test': 'SERVFAIL',
      'TXT r._domainkey.strict.test': [rsa.publicRecord],
      'TXT down._domainkey.strict.test': 'SERVFAIL',
      'TXT r._domainkey.list.test': [rsa.publicRecord],
      'TXT down._domainkey.list.test': 'SERVFAIL',
      'TXT _dmarc.strict.test': ['v=DMARC1; p=reject'],
      'TXT _dmarc.careful.test': ['v=DMARC1; p=quarantine'],
      'TXT _dmarc.watching.test': ['v=DMARC1; p=none'],
      'TXT _dmarc.parent.test': ['v=DMARC1; p=none; sp=quarantine; np=reject'],
      'A below.parent.test': ['192.0.2.9'],
      'TXT _dmarc.tried.test': ['v=DMARC1; p=reject; t=y'],
      'TXT _dmarc.never.test': ['v=DMARC1; p=reject; pct=0'],
      'TXT _dmarc.exact.test': ['v=DMARC1; p=reject; aspf=s'],
      'TXT mail.exact.test': [`v=spf1 ip4:${here} -all`],
      'TXT exact.test': [`v=spf1 ip4:${here} -all`],
      'TXT _dmarc.dark.test': 'SERVFAIL',
      'TXT dark.test': [`v=spf1 ip4:${here} -all`],
    })
    rspamd = await startRspamd()
    clamd = await startClamd()
    service = await startService({
      resolver: [dns.address],
      smtp: { proxies: ['127.0.0.1'] },
      rspamd: { url: rspamd.url },
      clamav: { address: clamd.address, maxBytes: 1_000_000, timeoutMs: 3_000 },
    })
    owner = administrator(service.principal.account)
    for (let n = 0; n < markersMax; n++) {
      const alias = service.address.replace(/^[^@]*/, `marker${n}`)
      await createAlias(service.ctx, owner, { alias, targets: [service.address] })
      markers.push(alias)
    }
  })
  after(async () => {
    await service.stop()
    await Promise.all([dns.stop(), rspamd.stop(), clamd.stop()])
  })

  type Mail = {
    readonly client?: string
    readonly from?: string
    readonly raw: Buffer | string
    readonly helo?: string
  }

  /** Makes a change, deletes an alias after it, and waits until the receiving process knows of the deletion, and so of the change. */
  async function noticed<T>(change: () => Promise<T>): Promise<T> {
    const alias = markers.pop() ?? ''
    const isKnown = async () => {
      const session = await SmtpClient.from(service.smtp, here)
      await session.say('MAIL FROM:<>')
      const { code } = await session.say(`RCPT TO:<${alias}>`)
      session.destroy()
      return code === 250
    }
    expect(await isKnown()).to.equal(true)
    const changed = await change()
    await deleteAlias(service.ctx, owner, alias)
    await eventually('the alias is gone', async () => !(await isKnown()))
    return changed
  }

  /** Sends a mail from a network address. Returns the reply. */
  async function send({ client = here, from = '', raw, helo }: Mail, to = [service.address]) {
    const session = await SmtpClient.from(service.smtp, client, { helo })
    const reply = await session.send(to, raw, { from })
    session.destroy()
    return reply
  }

  /** Sends a mail that is accepted. Returns the stored message. */
  async function taken(mail: Mail, to = service.address) {
    const { text } = await send(mail, [to])
    const messageId = /msg_[0-9a-z]{26}/.exec(text)?.[0]
    if (messageId === undefined) throw new Error(`not taken: ${text}`)
    return readMessage(service.ctx, service.principal, { address: to, messageId })
  }

  const letter = (from: string, { headers = '', body = 'Hello.\r\n' } = {}) =>
    Buffer.from(
      `${headers}From: Someone <${from}>\r\nTo: <${service.address}>\r\nSubject: letter ${sent++}\r\n` +
        `Date: Sat, 21 Nov 2026 10:00:00 +0000\r\nMessage-ID: <${sent}@test>\r\n\r\n${body}`,
    )
  const signed = (raw: Buffer, domain: string, selector = 'r') =>
    dkimSign(raw, [{ domain, selector, algorithm: selector === 'e' ? 'ed25519' : 'rsa', privateKey: keyOf(selector) }])
  const keyOf = (selector: string) => (selector === 'e' ? keys.ed25519 : keys.rsa).privateKeyPem

  describe('SPF', () => {
    const cases = [
      ['pass', 'a@here.test', here],
      ['fail', 'a@here.test', elsewhere],
      ['softfail', 'a@soft.test', elsewhere],
      ['neutral', 'a@unsure.test', elsewhere],
      ['none', 'a@nothing.test', elsewhere],
      ['permerror', 'a@twice.test', elsewhere],
      ['permerror', 'a@wrong.test', here],
      ['permerror', 'a@loop.test', here],
      ['permerror', 'a@void.test', here],
      ['temperror', 'a@broken.test', here],
    ] as const
    for (const [result, from, client] of cases) {
      it(`${result}: ${from} from ${client}`, async () => {
        const { trust } = await taken({ from, client, raw: letter('x@unrelated.test') })
        expect(trust?.spf).to.equal(result)
        expect(trust?.alignedFrom).to.equal(null)
      })
    }
    it('is looked up from the first recipient on, before the message arrives', async () => {
      const session = await SmtpClient.from(service.smtp, here)
      await session.say('MAIL FROM:<a@early.test>')
      await session.say(`RCPT TO:<nobody@${service.address.split('@')[1]}>`)
      await taken({ raw: letter('x@between.test') })
      expect(dns.asked.filter((question) => question.includes('early.test'))).to.deep.equal([])
      await session.say(`RCPT TO:<${service.address}>`)
      const asked = (question: string) => eventually(question, () => dns.asked.includes(question))
      await Promise.all([asked('TXT early.test'), asked('TXT _dmarc.early.test')])
      session.destroy()
    })
    it('is looked up at the end of the message if the client sent no message the time before', async () => {
      const session = await SmtpClient.from(service.smtp, here)
      await session.data([service.address], { from: 'a@first.test' })
      await eventually('the first', () => dns.asked.includes('TXT first.test'))
      session.write('.\r\n')
      await session.reply()
      for (const name of ['second', 'third']) {
        await session.say(`MAIL FROM:<a@${name}.test>`)
        await session.say(`RCPT TO:<${service.address}>`)
        await session.say('RSET')
      }
      await taken({ raw: letter('x@between.test') })
      expect(dns.asked).to.include('TXT second.test').and.not.include('TXT third.test')
      await session.send([service.address], letter('x@unrelated.test'), { from: 'a@third.test' })
      expect(dns.asked).to.include('TXT third.test')
      session.destroy()
    })
    it('of the name in EHLO for the null sender', async () => {
      const { trust } = await taken({ from: '', client: here, raw: letter('mailer-daemon@client.test') })
      expect(trust).to.include({ spf: 'pass', alignedFrom: 'client.test', autoSubmitted: true })
    })
    it('of a client on this machine, as of any other where the settings name the DNS', async () => {
      const { trust } = await taken({ from: 'a@mine.test', client: '127.0.0.1', raw: letter('a@mine.test') })
      expect(trust).to.include({ spf: 'pass', alignedFrom: 'mine.test' })
    })
    it('none for a client on this machine where they do not', async () => {
      const settings = { ...service.ctx.settings, resolver: [] }
      const judged = await judge(
        { ...service.ctx, settings },
        { raw: letter('a@strict.test'), reversePath: 'a@strict.test', client: '127.0.0.1', helo: 'client.test' },
      )
      expect('verdict' in judged && judged.verdict.authentication).to.include({ spf: 'none', alignedFrom: null })
    })
  })

  describe('DKIM', () => {
    /** A message whose signature covers only the beginning of its body (l=). */
    async function partlySigned(raw: Buffer): Promise<Buffer> {
      const key = { signingDomain: 'here.test', selector: 'r', privateKey: keys.rsa.privateKeyPem }
      const { signatures } = await mailauthSign(raw, { ...key, signatureData: [{ ...key, maxBodyLength: 8 }] })
      return Buffer.concat([Buffer.from(signatures), raw, Buffer.from('Added.\r\n')])
    }
    const changed = (raw: Buffer) => Buffer.from(raw.toString('latin1').replace('Hello', 'Hallo'), 'latin1')
    const cases: readonly (readonly [string, string, (raw: Buffer) => Promise<Buffer>])[] = [
      ['RSA', 'pass', (raw) => signed(raw, 'here.test')],
      ['Ed25519', 'pass', (raw) => signed(raw, 'here.test', 'e')],
      ['a body that was changed', 'fail', async (raw) => changed(await signed(raw, 'here.test'))],
      ['another key', 'fail', (raw) => signed(raw, 'here.test', 'wrong')],
      ['no key', 'permerror', (raw) => signed(raw, 'here.test', 'absent')],
      ['a key that was revoked', 'permerror', (raw) => signed(raw, 'here.test', 'revoked')],
      ['a DNS that does not answer', 'temperror', (raw) => signed(raw, 'here.test', 'down')],
      [
        'no sense',
        'neutral',
        async (raw) => Buffer.concat([Buffer.from('DKIM-Signature: v=1; a=rsa-sha256; d=here.test; s=r\r\n'), raw]),
      ],
      ['a part that anybody may add to', 'policy', partlySigned],
    ]
    for (const [name, result, made] of cases) {
      it(`${result}: ${name}`, async () => {
        const { trust } = await taken({ client: elsewhere, raw: await made(letter('a@here.test')) })
        expect(trust?.dkim).to.deep.equal([{ domain: 'here.test', result }])
        expect(trust?.alignedFrom).to.equal(result === 'pass' ? 'here.test' : null)
      })
    }
    it('of somebody else authenticates nobody', async () => {
      const { trust } = await taken({ client: elsewhere, raw: await signed(letter('a@unrelated.test'), 'here.test') })
      expect(trust?.dkim).to.deep.equal([{ domain: 'here.test', result: 'pass' }])
      expect(trust?.alignedFrom).to.equal(null)
    })
    it('of a domain above counts', async () => {
      const { trust } = await taken({ client: elsewhere, raw: await signed(letter('a@mail.here.test'), 'here.test') })
      expect(trust?.alignedFrom).to.equal('mail.here.test')
    })
    it('verifies eight signatures of many, the author’s own first', async () => {
      const asked = dns.asked.length
      const others = Array.from(
        { length: 30 },
        (_, n) => `DKIM-Signature: v=1; a=rsa-sha256; d=d${n}.test; s=s; h=from; bh=x; b=y\r\n`,
      )
      const raw = Buffer.concat([Buffer.from(others.join('')), await signed(letter('a@here.test'), 'here.test')])
      const { trust } = await taken({ client: elsewhere, raw })
      expect(trust?.alignedFrom).to.equal('here.test')
      expect(trust?.dkim.filter(({ result }) => result === 'policy')).to.have.length(8)
      expect(dns.asked.length - asked).to.be.lessThan(20)
    })
  })

  describe('DMARC', () => {
    const cases = [
      ['passes by SPF', 'a@here.test', here, 'none', '250', 'INBOX'],
      ['none without a record', 'a@soft.test', elsewhere, 'none', '250', 'INBOX'],
      ['reject', 'a@strict.test', elsewhere, 'fail', '550 5.7.1', null],
      ['reject for a domain below', 'a@mail.strict.test', elsewhere, 'fail', '550 5.7.1', null],
      ['quarantine', 'a@careful.test', elsewhere, 'fail', '250', 'Spam'],
      ['a policy of none', 'a@watching.test', elsewhere, 'fail', '250', 'INBOX'],
      ['sp for a domain below', 'a@below.parent.test', elsewhere, 'fail', '250', 'Spam'],
      ['np for a domain below that does not exist', 'a@no.parent.test', elsewhere, 'fail', '550 5.7.1', null],
      ['t=y: one step weaker', 'a@tried.test', elsewhere, 'fail', '250', 'Spam'],
      ['pct=0: one step weaker', 'a@never.test', elsewhere, 'fail', '250', 'Spam'],
      ['the DNS down: deferred', 'a@dark.test', elsewhere, 'temperror', '451 4.4.3', null],
    ] as const
    for (const [name, from, client, dmarc, reply, folder] of cases) {
      it(name, async () => {
        const raw = letter(from)
        const { text } = await send({ from, client, raw })
        expect(text).to.match(new RegExp(`^${reply} `))
        if (folder === null) return
        const message = await taken({ from, client, raw }) // a repeat: the same message
        expect(message.trust?.dmarc).to.equal(dmarc)
        expect(message.folder).to.equal(folder)
      })
    }
    it('passes by DKIM', async () => {
      const { trust } = await taken({ client: elsewhere, raw: await signed(letter('a@strict.test'), 'strict.test') })
      expect(trust).to.include({ dmarc: 'pass', alignedFrom: 'strict.test' })
    })
    it('takes only the very domain where the author asks for that', async () => {
      const { trust } = await taken({ from: 'a@exact.test', client: here, raw: letter('a@exact.test') })
      expect(trust).to.include({ dmarc: 'pass', alignedFrom: 'exact.test' })
      expect((await send({ from: 'a@mail.exact.test', client: here, raw: letter('a@exact.test') })).text).to.match(
        /^550 /,
      )
    })
    it('is deferred when a signature of the author cannot be verified now', async () => {
      const raw = await signed(letter('a@strict.test'), 'strict.test', 'down')
      expect((await send({ client: elsewhere, raw })).text).to.match(/^451 4\.4\.3 /)
    })
    it('is not deferred for a sender that is authenticated although its policy is not known', async () => {
      const { trust } = await taken({ from: 'a@dark.test', client: here, raw: letter('a@dark.test') })
      expect(trust).to.include({ dmarc: 'temperror', alignedFrom: 'dark.test' })
    })
    it('counts the strictest of several authors', async () => {
      const raw = letter('a@here.test')
        .toString()
        .replace('From: Someone <a@here.test>', 'From: a@here.test, b@strict.test')
      expect((await send({ from: 'a@here.test', client: here, raw })).text).to.match(/^550 5\.7\.1 /)
    })
    it('authenticates none of two From fields', async () => {
      const { trust } = await taken({
        from: 'a@here.test',
        raw: letter('a@here.test', { headers: 'From: b@unrelated.test\r\n' }),
      })
      expect(trust).to.include({ dmarc: 'permerror', alignedFrom: null })
    })
  })

  describe('ARC', () => {
    const sealed = async (selector: string) => {
      const raw = letter('a@unrelated.test')
      const seal = {
        signingDomain: 'list.test',
        selector,
        privateKey: keys.rsa.privateKeyPem,
        cv: 'none',
        authResults: 'list.test; none',
      }
      return Buffer.concat([await sealMessage(raw, seal), raw])
    }
    const cases: readonly (readonly [string, string, () => Promise<Buffer>])[] = [
      ['none', 'no chain', async () => letter('a@unrelated.test')],
      ['pass', 'a chain', () => sealed('r')],
      ['fail', 'a chain over another body', async () => Buffer.concat([await sealed('r'), Buffer.from('more\r\n')])],
      [
        'fail',
        'half a chain',
        async () =>
          Buffer.concat([
            Buffer.from('ARC-Seal: i=1; a=rsa-sha256; cv=none; d=list.test; s=r; b=x\r\n'),
            letter('a@x.test'),
          ]),
      ],
      ['temperror', 'a key that cannot be looked up now', () => sealed('down')],
    ]
    for (const [result, name, made] of cases) {
      it(`${result}: ${name}`, async () => {
        const { trust } = await taken({ client: elsewhere, raw: await made() })
        expect(trust?.arc).to.equal(result)
      })
    }
  })

  describe('trace', () => {
    it('repeats nothing that the sender wrote and that looks like a result', async () => {
      const from = '"x; dkim=pass header.d=bank.test; y"@here.test'
      const { id } = await taken({ from, raw: letter('a@here.test') })
      const what = { address: service.address, messageId: id, trace: true }
      const shown = (await rawMessage(service.ctx, service.principal, what)).content.toString()
      const [, results = ''] = /^Authentication-Results: ([\s\S]*?)\r\n(?=\S)/m.exec(shown) ?? []
      expect(results).to.match(
        /^mx\.mailroom\.test;\s+spf=pass \(192\.0\.2\.1 is a permitted sender\)\s+smtp\.mailfrom=here\.test;/,
      )
      expect(results).not.to.match(/dkim=pass|bank/)
    })

    it('stands in front, without what was forged in our name; the raw bytes stay as they came', async () => {
      const forged = 'Authentication-Results: mx.mailroom.test;\r\n dkim=pass header.d=bank.test\r\n'
      const foreign = 'Authentication-Results: mx.other.test; dkim=pass\r\n'
      const raw = letter('a@here.test', { headers: foreign + forged })
      const { id } = await taken({ from: 'a@here.test', raw })
      const read = async (trace: boolean) =>
        (await rawMessage(service.ctx, service.principal, { address: service.address, messageId: id, trace })).content
      expect((await read(false)).equals(raw)).to.equal(true)
      const shown = (await read(true)).toString()
      expect(shown).to.match(
        /^Return-Path: <a@here\.test>\r\nDelivered-To: \S+\r\nAuthentication-Results: mx\.mailroom\.test;\r\n\tspf=pass [^;]*;\r\n\tdmarc=none[^;]*\r\nReceived: from client\.test \(\[192\.0\.2\.1\]\)\r\n/,
      )
      expect(shown.endsWith(raw.toString().replace(forged, ''))).to.equal(true)
      expect(shown).not.to.include('bank.test')
    })
    it('is the only one in our name for readers to whom a bare CR ends a line', async () => {
      const raw = letter('a@here.test', { headers: 'X: y\rAuthentication-Results: mx.mailroom.test; dkim=pass\r\n' })
      const { id } = await taken({ from: 'a@here.test', raw })
      const shown = await rawMessage(service.ctx, service.principal, {
        address: service.address,
        messageId: id,
        trace: true,
      })
      const lines = shown.content.toString().split(/\r\n|\r|\n/)
      expect(lines.filter((line) => line.startsWith('Authentication-Results: mx.mailroom.test'))).to.have.length(1)
      expect(lines).to.include('X: y')
    })
    it('refuses mail that is full of them', async () => {
      const raw = letter('a@here.test', {
        headers: 'Authentication-Results: mx.mailroom.test; x\r\nX: y\r\n'.repeat(101),
      })
      expect((await send({ raw })).text).to.match(/^550 5\.7\.1 /)
    })
  })

  describe('trust', () => {
    it('tells the first contact once', async () => {
      const raw = () => letter('stranger@unrelated.test')
      const both = await Promise.all([taken({ raw: raw() }), taken({ raw: raw() })])
      expect(both.filter(({ trust }) => trust?.firstContact).length).to.equal(1)
      expect((await taken({ raw: raw() })).trust?.firstContact).to.equal(false)
    })
    it('tells an answer that would go elsewhere', async () => {
      const { trust } = await taken({ raw: letter('a@here.test', { headers: 'Reply-To: a@evil.test\r\n' }) })
      expect(trust?.replyToMismatch).to.equal(true)
    })
    it('takes neighbours below the shared domain for strangers', async () => {
      const headers = 'Reply-To: x@neighbour.agents.localhost\r\n'
      const { trust } = await taken({ raw: letter('a@other.agents.localhost', { headers }) })
      expect(trust?.replyToMismatch).to.equal(true)
    })
    it('tells a name that is not the address’s', async () => {
      const raw = letter('a@here.test').toString().replace('Someone', '"ceo@bank.test"')
      expect((await taken({ raw })).trust?.displayNameSpoof).to.equal(true)
    })
  })

  describe('lists', () => {
    const lists = (change: Partial<MailboxLists>) =>
      noticed(() => setLists(service.ctx, owner, { ...change, address: service.address }))
    afterEach(() => lists({ receiveAllow: [], receiveBlock: [] }))

    const cases: readonly (readonly [string, Partial<MailboxLists>, Mail, boolean])[] = [
      [
        'block the author',
        { receiveBlock: ['a@here.test'] },
        { from: 'x@y.test', raw: letterOf('a@here.test') },
        false,
      ],
      [
        'block the author’s domain',
        { receiveBlock: ['here.test'] },
        { from: 'x@y.test', raw: letterOf('a@here.test') },
        false,
      ],
      ['block the envelope', { receiveBlock: ['y.test'] }, { from: 'x@y.test', raw: letterOf('a@here.test') }, false],
      [
        'block whoever else is an author',
        { receiveBlock: ['b@there.test'] },
        { raw: letterOf('a@here.test>, Other <b@there.test') },
        false,
      ],
      ['block all tags of an author', { receiveBlock: ['a@here.test'] }, { raw: letterOf('a+news@here.test') }, false],
      ['block domains below', { receiveBlock: ['*.here.test'] }, { raw: letterOf('a@mail.here.test') }, false],
      [
        'do not block the domain itself with those below',
        { receiveBlock: ['*.here.test'] },
        { raw: letterOf('a@here.test') },
        true,
      ],
      ['do not block others', { receiveBlock: ['here.test'] }, { raw: letterOf('a@nothere.test') }, true],
      [
        'allow an authenticated author',
        { receiveAllow: ['here.test'] },
        { from: 'a@here.test', raw: letterOf('a@here.test') },
        true,
      ],
      [
        'do not allow an author who is not',
        { receiveAllow: ['here.test'] },
        { client: elsewhere, from: 'a@here.test', raw: letterOf('a@here.test') },
        false,
      ],
      [
        'do not allow others',
        { receiveAllow: ['y.test'] },
        { from: 'a@here.test', raw: letterOf('a@here.test') },
        false,
      ],
      [
        'do not allow an author beside one who is listed',
        { receiveAllow: ['here.test'] },
        { from: 'a@here.test', raw: letterOf('a@here.test>, Other <b@there.test') },
        false,
      ],
      [
        'block before they allow',
        { receiveAllow: ['here.test'], receiveBlock: ['a@here.test'] },
        { from: 'a@here.test', raw: letterOf('a@here.test') },
        false,
      ],
    ]
    for (const [name, change, mail, isTaken] of cases) {
      it(name, async () => {
        await lists(change)
        expect((await send(mail)).text).to.match(isTaken ? /^250 / : /^550 5\.7\.1 /)
      })
    }
    it('defer a listed author that cannot be authenticated now', async () => {
      await lists({ receiveAllow: ['here.test'] })
      const raw = await signed(letter('a@here.test'), 'here.test', 'down')
      expect((await send({ client: elsewhere, raw })).code).to.equal(451)
    })
    it('put it into Spam when another recipient takes it', async () => {
      const other = service.address.replace('agent@', 'other@')
      await noticed(() => createMailbox(service.ctx, owner, { address: other }))
      await lists({ receiveBlock: ['here.test'] })
      expect((await send({ raw: letter('both@here.test') }, [service.address, other])).code).to.equal(250)
      const folderIn = async (address: string) =>
        (await listMessages(service.ctx, owner, { address, from: 'both@here.test', limit: 1 })).items[0]?.folder
      expect(await folderIn(service.address)).to.equal('Spam')
      expect(await folderIn(other)).to.equal('INBOX')
    })
  })

  describe('spam', () => {
    const mark = async (messageId: string, spam: boolean) => {
      const marking = () => markSpam(service.ctx, service.principal, { address: service.address, messageId, spam })
      return (await noticed(marking)).folder
    }
    it('that was marked goes to Spam from then on, until it is marked as none', async () => {
      const mail = () => ({ from: 'shop@here.test', raw: letter('shop@here.test') })
      const first = await taken(mail())
      expect(first.folder).to.equal('INBOX')
      expect(await mark(first.id, true)).to.equal('Spam')
      const second = await taken(mail())
      expect(second.folder).to.equal('Spam')
      expect(await mark(second.id, false)).to.equal('INBOX')
      expect((await taken(mail())).folder).to.equal('INBOX')
      expect(await mark(first.id, false)).to.equal('INBOX')
    })
    it('of a score above the threshold goes to Spam, below it does not', async () => {
      expect((await taken({ raw: letter('a@here.test', { body: 'score 5.9\r\n' }) })).folder).to.equal('INBOX')
      expect((await taken({ raw: letter('a@here.test', { body: 'score 6\r\n' }) })).folder).to.equal('Spam')
    })
    it('of a good sender stays out of it, if that is really the sender', async () => {
      const mail = (client: string) => ({
        client,
        from: 'good@here.test',
        raw: letter('good@here.test', { body: 'score 20\r\n' }),
      })
      const first = await taken(mail(here))
      expect(first.folder).to.equal('Spam')
      expect(await mark(first.id, false)).to.equal('INBOX')
      expect((await taken(mail(here))).folder).to.equal('INBOX')
      expect((await taken(mail(elsewhere))).folder).to.equal('Spam')
    })
    it('is asked for with the whole message and its envelope', async () => {
      const raw = letter('a@here.test')
      await taken({ from: 'a@here.test', raw })
      const asked = rspamd.asked.at(-1)
      expect(asked?.body.equals(raw)).to.equal(true)
      expect(asked?.headers).to.include({ ip: here, helo: 'client.test', from: 'a@here.test', rcpt: service.address })
    })
    it('is not asked for when the filter is down', async () => {
      rspamd.status = 500
      expect((await taken({ raw: letter('a@here.test', { body: 'score 20\r\n' }) })).folder).to.equal('INBOX')
      rspamd.status = 200
    })
  })

  describe('who may be answered before the account is claimed', () => {
    type FirstContact = {
      readonly client?: string
      /** Reverse-path of the envelope. */
      readonly from?: string
      readonly raw: (author: string) => Promise<Buffer> | Buffer
      readonly to?: string
    }
    const anonymous = (author: string) => letter(author)
    const written = (fields: string, raw: Buffer) => Buffer.concat([Buffer.from(fields), raw])
    const without = (field: string, raw: Buffer) =>
      Buffer.from(raw.toString('latin1').replace(new RegExp(`^${field}: .*\r\n`, 'm'), ''), 'latin1')
    const victim = 'victim@unrelated.test'
    const spam = { body: 'score 20\r\n' }

    const alias = () => service.address.replace(/^[^@]*/, 'front-door')
    /** Who the author is or seems to be; how the mail comes; and why it cannot be answered (null: it can). */
    const cases: readonly (readonly [string, string, FirstContact, RegExp | null])[] = [
      [
        'an author whose domain SPF authenticates',
        'spf@here.test',
        { client: here, from: 'x@here.test', raw: anonymous },
        null,
      ],
      [
        'one of a reverse-path with a tag',
        'verp@here.test',
        { client: here, from: 'v+1=2@here.test', raw: anonymous },
        null,
      ],
      ['one whose domain signed', 'dkim@here.test', { raw: (author) => signed(letter(author), 'here.test') }, null],
      [
        'one who signed by Ed25519',
        'ed@here.test',
        { raw: (author) => signed(letter(author), 'here.test', 'e') },
        null,
      ],
      [
        'one whose domain above signed',
        'below@mail.here.test',
        { raw: (author) => signed(letter(author), 'here.test') },
        null,
      ],
      ['one whom DMARC passes', 'dmarc@strict.test', { raw: (author) => signed(letter(author), 'strict.test') }, null],
      ['one whose server has an authenticated name', 'daemon@client.test', { client: here, raw: anonymous }, null],
      ['a program on this machine', 'local@nothing.test', { client: '127.0.0.1', raw: anonymous }, null],
      [
        'one who wrote to an alias',
        'alias@here.test',
        { client: here, from: 'x@here.test', raw: anonymous, to: 'alias' },
        null,
      ],
      [
        'one whose signature a mailing list kept',
        'member@here.test',
        { raw: async (author) => written('List-Id: <a.list.test>\r\n', await signed(letter(author), 'here.test')) },
        null,
      ],
      [
        'one who calls himself by another address',
        'called@here.test',
        {
          client: here,
          from: 'x@here.test',
          raw: (author) => Buffer.from(letter(author).toString().replace('Someone', `"${victim}"`)),
        },
        null,
      ],
      ['one whom nothing authenticates', 'nobody@nothing.test', { raw: anonymous }, /neither SPF nor DKIM/],
      ['one whom SPF fails', 'fail@here.test', { from: 'fail@here.test', raw: anonymous }, /neither SPF nor DKIM/],
      ['one whom SPF doubts', 'soft@soft.test', { from: 'soft@soft.test', raw: anonymous }, /neither SPF nor DKIM/],
      [
        'one whose letter came under an authenticated envelope of somebody else',
        'envelope@unrelated.test',
        { client: here, from: 'x@here.test', raw: anonymous },
        /neither SPF nor DKIM/,
      ],
      [
        'one whose letter somebody else signed',
        'foreign@unrelated.test',
        { raw: (author) => signed(letter(author), 'here.test') },
        /neither SPF nor DKIM/,
      ],
      [
        'one whose letter was changed after it was signed',
        'changed@here.test',
        { raw: async (author) => Buffer.concat([await signed(letter(author), 'here.test'), Buffer.from('P. S.\r\n')]) },
        /neither SPF nor DKIM/,
      ],
      [
        'one whose key cannot be looked up now',
        'later@here.test',
        { raw: (author) => signed(letter(author), 'here.test', 'down') },
        /neither SPF nor DKIM/,
      ],
      [
        'one whose letter was forwarded under a chain of ARC',
        'forwarded@unrelated.test',
        {
          raw: async (author) => {
            const raw = letter(author)
            const seal = { signingDomain: 'list.test', selector: 'r', privateKey: keys.rsa.privateKeyPem, cv: 'none' }
            return Buffer.concat([await sealMessage(raw, { ...seal, authResults: 'list.test; dkim=pass' }), raw])
          },
        },
        /neither SPF nor DKIM/,
      ],
      [
        'one for whom a mailing list wrote in its own name',
        'rewritten@unrelated.test',
        {
          raw: (author) => signed(letter('list@list.test', { headers: `X-Original-From: ${author}\r\n` }), 'list.test'),
        },
        /has not written/,
      ],
      [
        'one whom only the name of an author mentions',
        'shown@unrelated.test',
        {
          raw: (author) =>
            signed(Buffer.from(letter('a@here.test').toString().replace('Someone', `"${author}"`)), 'here.test'),
        },
        /has not written/,
      ],
      [
        'one whom a comment mentions',
        'comment@unrelated.test',
        {
          raw: (author) =>
            signed(
              Buffer.from(
                letter(`a@here.test> (${author}`)
                  .toString()
                  .replace(/>(\r\nTo)/, '$1'),
              ),
              'here.test',
            ),
        },
        /has not written/,
      ],
      ...['Reply-To', 'Sender', 'Cc', 'Resent-From'].map(
        (field) =>
          [
            `one whom ${field} names`,
            `${field.toLowerCase()}@unrelated.test`,
            {
              raw: (author: string) =>
                signed(letter('a@here.test', { headers: `${field}: ${author}\r\n` }), 'here.test'),
            },
            /has not written/,
          ] as const,
      ),
      [
        'one whom the envelope names',
        'reverse@here.test',
        { client: here, from: 'reverse@here.test', raw: () => signed(letter('a@here.test'), 'here.test') },
        /has not written/,
      ],
      [
        'one who stands first of two authors',
        'first@unrelated.test',
        { raw: (author) => signed(letter(`${author}>, Other <a@here.test`), 'here.test') },
        /neither SPF nor DKIM/,
      ],
      [
        'one who stands second of two authors',
        'second@unrelated.test',
        { raw: (author) => signed(letter(`a@here.test>, Other <${author}`), 'here.test') },
        /has not written/,
      ],
      [
        'one whom a From in front of another one names',
        'above@unrelated.test',
        { raw: async (author) => written(`From: ${author}\r\n`, await signed(letter('a@here.test'), 'here.test')) },
        /neither SPF nor DKIM/,
      ],
      [
        'one whom a second From names',
        'under@unrelated.test',
        {
          raw: (author) =>
            signed(letter('a@here.test', { headers: `From: b@here.test\r\nfrom: ${author}\r\n` }), 'here.test'),
        },
        /has not written/,
      ],
      [
        'nobody, without any From',
        'absent@here.test',
        { client: here, from: 'absent@here.test', raw: (author) => without('From', letter(author)) },
        /has not written/,
      ],
      [
        'one whom this machine relays and SPF fails',
        'relayed@here.test',
        { client: '127.0.0.1', from: 'relayed@here.test', raw: anonymous },
        /neither SPF nor DKIM/,
      ],
      [
        'one whom this machine relays and DMARC fails',
        'relayed@watching.test',
        { client: '127.0.0.1', raw: anonymous },
        /neither SPF nor DKIM/,
      ],
      [
        'one whose domain wants it put into Spam',
        'quarantined@careful.test',
        { raw: anonymous },
        /neither SPF nor DKIM/,
      ],
      [
        'one whom a filter takes for a spammer',
        'spammer@here.test',
        { raw: (author) => signed(letter(author, spam), 'here.test') },
        /only written mail that lies in Spam/,
      ],
    ]

    const later = () => ({ ...service.ctx, clock: { now: () => timeAfter(new Date(), 10 * minuteMs) } })
    const arrived: string[] = []

    before(() => createAlias(service.ctx, owner, { alias: alias(), targets: [service.address] }))

    /** Delivers a mail. Returns its id. */
    async function write(author: string, { client = elsewhere, from, raw, to }: FirstContact): Promise<string> {
      const { text } = await send({ client, from, raw: await raw(author) }, [
        to === 'alias' ? alias() : service.address,
      ])
      const id = /msg_[0-9a-z]{26}/.exec(text)?.[0]
      if (id === undefined) throw new Error(`not taken: ${text}`)
      arrived.push(id)
      return id
    }

    /** Why the mailbox may not write to an address while the account is unclaimed; null if it may. */
    async function obstacle(to: string, { ctx = service.ctx, inReplyTo }: { ctx?: Context; inReplyTo?: string } = {}) {
      const account = { ...service.principal.account, states: ['unclaimed'] as const }
      const what = { address: service.address, to: [{ name: '', address: to }], text: 'Hi', inReplyTo }
      const [decided] = (await dryRunMessage(ctx, { ...service.principal, account }, what)).recipients
      expect(decided?.decision).to.equal(decided?.reason === null ? 'send' : 'claim_required')
      return decided?.reason ?? null
    }

    for (const [name, author, mail, reason] of cases)
      it(`${reason === null ? '' : 'not '}${name}`, async () => {
        expect(await obstacle(author), 'before').to.match(/has not written/)
        const inReplyTo = await write(author, mail)
        for (const told of [await obstacle(author), await obstacle(author, { inReplyTo })])
          if (reason === null) expect(told).to.equal(null)
          else expect(told).to.match(reason)
      })

    it('and the same ones when their letters are known as contacts', async () => {
      await announceArrivals(service.ctx, await toldOf(service.ctx, arrived))
      for (const [name, author, , reason] of cases) {
        const told = await obstacle(author, { ctx: later() })
        if (reason === null) expect(told, name).to.equal(null)
        else expect(told, name).to.match(reason)
      }
    })

    it('one whose true letter came among forged ones', async () => {
      for (const client of [elsewhere, here, elsewhere])
        await write('both@here.test', { client, from: 'both@here.test', raw: anonymous })
      expect(await obstacle('both@here.test')).to.equal(null)
      await announceArrivals(service.ctx, await toldOf(service.ctx, arrived.slice(-3)))
      expect(await obstacle('both@here.test', { ctx: later() })).to.equal(null)
    })

    it('one whose letter is moved out of Spam, and not while it is there or in Trash from there', async () => {
      const author = 'moved@here.test'
      const messageId = await write(author, { raw: (from) => signed(letter(from, spam), 'here.test') })
      await announceArrivals(service.ctx, await toldOf(service.ctx, [messageId]))
      const move = (folder: string) =>
        changeMessage(service.ctx, service.principal, { address: service.address, messageId, folder })
      for (const [folder, isAnswered] of [
        ['trash', false],
        ['archive', true],
        ['trash', true],
        ['inbox', true],
        ['spam', false],
      ] as const) {
        await move(folder)
        const told = [await obstacle(author, { ctx: later() }), await obstacle(author, { inReplyTo: messageId })]
        expect(
          told.map((each) => each === null),
          folder,
        ).to.deep.equal([isAnswered, isAnswered])
      }
    })

    it('one whose letter was deleted for good, unless it came into Spam', async () => {
      for (const [author, content, isAnswered] of [
        ['deleted@here.test', {}, true],
        ['deleted-spam@here.test', spam, false],
      ] as const) {
        const messageId = await write(author, { raw: (from) => signed(letter(from, content), 'here.test') })
        await announceArrivals(service.ctx, await toldOf(service.ctx, [messageId]))
        const which = { address: service.address, messageId, permanent: true }
        await deleteMessage(service.ctx, service.principal, which)
        expect((await obstacle(author, { ctx: later() })) === null, author).to.equal(isAnswered)
      }
    })

    it('another mailbox here, which the service knows', async () => {
      const neighbour = service.address.replace(/^[^@]*/, 'neighbour')
      await createMailbox(service.ctx, owner, { address: neighbour })
      const to = [{ name: '', address: service.address }]
      await sendMessage(service.ctx, owner, { address: neighbour, to, subject: 'From next door', text: 'Hi' })
      await eventually('the letter is there', async () => {
        const { items } = await listMessages(service.ctx, owner, {
          address: service.address,
          from: neighbour,
          limit: 1,
        })
        return items.length > 0
      })
      expect(await obstacle(neighbour)).to.equal(null)
    })
  })

  describe('reports about a domain', () => {
    const domain = 'reported.example'
    let to: string
    before(async () => {
      const { accountId } = service.principal
      await createDomain(service.ctx, { domain, accountId, verified: true })
      await createDomain(service.ctx, { domain: 'gone.example', accountId, verified: true })
      await service.ctx.store.domains.deleteOne({ _id: 'gone.example' })
      to = reportAddressOf(service.ctx, domain)
    })

    const now = Date.now()
    const seconds = (ms: number) => Math.floor((now + ms) / 1_000)
    /** A report about yesterday. */
    const report = (fields: Parameters<typeof feedback>[0] = {}) =>
      feedback({ domain, begin: seconds(-2 * dayMs), end: seconds(-dayMs), ...fields })
    const gzip = (xml: string): Attached => ({ type: 'application/gzip', name: 'r.xml.gz', bytes: gz(xml) })
    const tls = (fields: object = {}): Attached => {
      const [from, until] = [-2 * dayMs, -dayMs].map((ms) => new Date(now + ms).toISOString())
      return {
        type: 'application/tlsrpt+gzip',
        name: 'r.json.gz',
        bytes: gz(tlsReport({ domain, from: from!, until: until!, ...fields })),
      }
    }
    const mail = (files: readonly Attached[], from = 'reports@here.test') => mailWith(files, { from, to })
    const kept = (reportId: string) => service.ctx.store.domainReports.find({ reportId }).toArray()

    it('are kept, each once', async () => {
      const raw = mail([gzip(report({ id: 'a', org: 'here' })), gzip(report({ id: 'b' })), tls({ id: 'c' })])
      for (const time of ['first', 'second'])
        expect((await send({ raw: await signed(raw, 'here.test') }, [to])).text, time).to.match(
          /^250 2\.6\.0 report accepted/,
        )
      const found = (await Promise.all(['a', 'b', 'c'].map(kept))).flat()
      expect(found.map(({ reportId, kind }) => [reportId, kind])).to.deep.equal([
        ['a', 'dmarc'],
        ['b', 'dmarc'],
        ['c', 'tls'],
      ])
      const { accountId } = service.principal
      expect(found[0]).to.deep.include({ accountId, domain, reporter: 'here.test', organisation: 'here', omitted: 0 })
      expect(found[0]?.kind === 'dmarc' && found[0].rows[0]).to.include({ source: '192.0.2.10', count: 1, dkim: true })
    })

    it('are of the one who sent them: nobody takes the id of a report of another', async () => {
      for (const from of ['reports@here.test', 'reports@list.test'])
        await send(
          { client: elsewhere, raw: await signed(mail([gzip(report({ id: 'same' }))], from), from.split('@')[1]!) },
          [to],
        )
      expect((await kept('same')).map(({ reporter }) => reporter).sort()).to.deep.equal(['here.test', 'list.test'])
    })

    it('are kept beside a mailbox that gets the mail', async () => {
      const raw = await signed(mail([gzip(report({ id: 'both' }))]), 'here.test')
      expect((await send({ raw }, [to, service.address])).text).to.match(/^250 2\.6\.0 msg_/)
      expect(await kept('both')).to.have.length(1)
    })

    it('are kept with the domain that they are about, whichever address comes first', async () => {
      const { accountId } = service.principal
      await createDomain(service.ctx, { domain: 'second.example', accountId, verified: true })
      const second = reportAddressOf(service.ctx, 'second.example')
      const files = [gzip(report({ id: 'first' })), gzip(report({ id: 'other', domain: 'second.example' }))]
      for (const [n, to2] of [
        [second, to],
        [to, second],
      ].entries())
        expect((await send({ raw: await signed(mail(files.slice(0, n + 1)), 'here.test') }, to2)).code).to.equal(250)
      const found = [...(await kept('first')), ...(await kept('other'))]
      expect(found.map((each) => each.domain)).to.deep.equal([domain, 'second.example'])
    })

    it('are nothing that a mailbox is refused for', async () => {
      const { text } = await send({ raw: await signed(letter('a@here.test'), 'here.test') }, [to, service.address])
      expect(text).to.match(/^250 2\.6\.0 msg_/)
    })

    const spfOnly = (raw: Buffer): Mail => ({ from: 'bounce@here.test', raw })
    const bomb = gz(Buffer.alloc(30 * 1024 * 1024, ' '))
    const refused: readonly (readonly [string, () => Promise<Mail> | Mail, RegExp])[] = [
      [
        'without a signature, from elsewhere',
        () => ({ client: elsewhere, raw: mail([gzip(report())]) }),
        /authenticated/,
      ],
      [
        'of an author whom nobody vouches for',
        async () => ({ raw: await signed(mail([gzip(report())], 'reports@google.test'), 'here.test') }),
        /authenticated/,
      ],
      ['a TLS report without a signature (RFC 8460 3)', () => spfOnly(mail([tls()])), /signature/],
      [
        'about another domain',
        async () => ({ raw: await signed(mail([gzip(report({ domain: 'other.example' }))]), 'here.test') }),
        /not about reported\.example/,
      ],
      [
        'about a sub-domain',
        async () => ({ raw: await signed(mail([gzip(report({ domain: `sub.${domain}` }))]), 'here.test') }),
        /not about/,
      ],
      [
        'a TLS report about another domain',
        async () => ({ raw: await signed(mail([tls({ domain: 'other.example' })]), 'here.test') }),
        /not about/,
      ],
      [
        'about days to come',
        async () => ({ raw: await signed(mail([gzip(report({ end: seconds(3 * dayMs) }))]), 'here.test') }),
        /period/,
      ],
      [
        'that ends before it begins',
        async () => ({ raw: await signed(mail([gzip(report({ end: seconds(-3 * dayMs) }))]), 'here.test') }),
        /period/,
      ],
      [
        'about half a year',
        async () => ({ raw: await signed(mail([gzip(report({ begin: seconds(-180 * dayMs) }))]), 'here.test') }),
        /period/,
      ],
      [
        'about last year',
        async () => ({
          raw: await signed(
            mail([gzip(report({ begin: seconds(-366 * dayMs), end: seconds(-365 * dayMs) }))]),
            'here.test',
          ),
        }),
        /too long ago/,
      ],
      ['a letter', async () => ({ raw: await signed(letter('a@here.test'), 'here.test') }), /no report/],
      [
        'an archive that becomes too large',
        async () => ({
          raw: await signed(mail([{ type: 'application/gzip', name: 'a.gz', bytes: bomb }]), 'here.test'),
        }),
        /too large/,
      ],
    ]
    for (const [name, made, reason] of refused)
      it(`refuses: ${name}`, async () => {
        const before = await service.ctx.store.domainReports.countDocuments({})
        const { text } = await send(await made(), [to])
        expect(text)
          .to.match(/^550 5\.7\.1 This address only takes DMARC and TLS reports/)
          .and.match(reason)
        expect(await service.ctx.store.domainReports.countDocuments({})).to.equal(before)
      })

    it('asks for another try when the DNS does not say who sent it', async () => {
      const raw = await signed(mail([gzip(report({ id: 'dark' }))], 'reports@list.test'), 'list.test', 'down')
      expect((await send({ client: elsewhere, raw }, [to])).text).to.match(/^451 4\.3\.0 .*right now/)
      expect(await kept('dark')).to.deep.equal([])
    })

    it('a DMARC report that SPF alone authenticates is kept', async () => {
      expect((await send(spfOnly(mail([gzip(report({ id: 'spf' }))])), [to])).code).to.equal(250)
      expect(await kept('spf')).to.have.length(1)
    })

    it('takes a bounded number from one reporter in a day, and more later', async () => {
      const [like] = await kept('a')
      await service.ctx.store.domainReports.insertMany(
        Array.from({ length: 50 }, (_, n) => ({
          ...like!,
          _id: `many ${n}`,
          reportId: `many ${n}`,
          receivedAt: new Date(),
        })),
      )
      const raw = await signed(mail([gzip(report({ id: 'one more' }))]), 'here.test')
      expect((await send({ raw }, [to])).text).to.match(/^452 4\.2\.2 Too many reports/)
      expect(await kept('one more')).to.deep.equal([])
      const { modifiedCount } = await service.ctx.store.domainReports.updateMany(
        { _id: /^many/ },
        { $set: { receivedAt: new Date(now - 2 * dayMs) } },
      )
      expect(modifiedCount).to.equal(50)
      expect((await send({ raw }, [to])).code).to.equal(250)
    })

    for (const [name, address] of [
      ['the digest of another domain', () => to.replace(domain, 'here.test')],
      ['of a domain that is not ours', () => reportAddressOf(service.ctx, 'elsewhere.example')],
      ['of a domain that is gone', () => reportAddressOf(service.ctx, 'gone.example')],
      ['a wrong digest', () => to.replace(/-./, (found) => (found === '-0' ? '-1' : '-0'))],
    ] as const)
      it(`there is no such address: ${name}`, async () => {
        const session = await SmtpClient.from(service.smtp, here)
        await session.say('MAIL FROM:<>')
        expect((await session.say(`RCPT TO:<${address()}>`)).text).to.match(/^550 5\.1\.1/)
        session.destroy()
      })
  })

  describe('a virus', () => {
    const cases = [
      ['is refused', 'VIRUS\r\n', '550 5.7.1'],
      ['is not in ordinary mail', 'harmless\r\n', '250'],
      ['may be in mail when the scanner fails: deferred', 'ERROR\r\n', '451 4.3.0'],
      ['may be in mail when the scanner does not answer: deferred', 'SILENCE\r\n', '451 4.3.0'],
      ['is not looked for in mail that is too large', `VIRUS\r\n${`${'x'.repeat(990)}\r\n`.repeat(1_010)}`, '250'],
    ] as const
    for (const [name, body, reply] of cases) {
      it(name, async () => {
        expect((await send({ raw: letter('a@here.test', { body }) })).text).to.match(new RegExp(`^${reply} `))
      })
    }
  })
})

/** A letter for the tables of cases, which are built before the address of the service is known. */
function letterOf(from: string): string {
  return `From: Someone <${from}>\r\nSubject: listed\r\n\r\nHello ${Math.random()}.\r\n`
}
