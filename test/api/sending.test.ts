import { expect } from 'chai'
import type { Account } from '../../core/access/account-record.ts'
import { callersChanged } from '../../core/access/known-callers.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { limitsOf } from '../../core/send/send-limits.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, openTenant, type Tenant } from '../start/door.ts'

const hourMs = 3_600_000
/** The limit on the sends of an account on its first day. */
const warmUp = { day: new Date().toISOString().slice(0, 10), volume: 50 }

describe('api: sending', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  describe('sending', () => {
    const send = (body: Json, headers?: Record<string, string>) =>
      call<Json & ErrorBody>('POST', `${mailboxPath(tenant.address)}/send`, body, headers)
    const letter = {
      to: [{ name: 'Ada', address: 'ada@remote.example' }, 'bob@remote.example'],
      subject: 'Hi',
      text: 'Hello',
    }

    it('answers 202 with the id and every recipient', async () => {
      const { status, body } = await send(letter)
      expect(status).to.equal(202)
      expect(body).to.deep.include({
        success: true,
        status: 'queued',
        suppressed: [],
        recipients: [
          { email: 'ada@remote.example', status: 'queued' },
          { email: 'bob@remote.example', status: 'queued' },
        ],
      })
      expect(body.id).to.match(/^em_/)
      expect(body.message_id).to.match(/^msg_/)
    })

    it('adds the signature of the mailbox once below each message', async () => {
      const address = 'signs@tenant.example'
      const own = mailboxPath(address)
      await call('POST', '/api/v1/mailboxes', { address })
      await call('PATCH', own, { signature: 'Ann & Bob\nSales' })
      const sent = async (path: string, body?: Json) => {
        const { body: result } = await call<{ message_id: string }>('POST', `${own}/${path}`, body)
        return (await call<{ text: string; html: string | null }>('GET', `${own}/messages/${result.message_id}`)).body
      }
      const below = '-- \nAnn & Bob\nSales'
      const to = 'ada@remote.example'
      expect((await sent('send', { to, text: 'Hello\n' })).text.trimEnd()).to.equal(`Hello\n\n${below}`)
      const both = await sent('send', { to, text: 'Hello', html: '<body><p>Hello</p></body>' })
      expect(both.text).to.match(/^Hello\s+-- ?\nAnn & Bob\nSales\s*$/)
      expect(both.html).to.contain('Ann &amp; Bob')
      const question = await deliver(door.ctx, { to: address, raw: `From: ${to}\nSubject: Price?\n\nHow much?\n` })
      expect((await sent(`messages/${question}/reply`, { text: 'Ten.' })).text.trimEnd()).to.equal(`Ten.\n\n${below}`)
      const { text } = await sent(`messages/${question}/forward`, { to, text: 'See' })
      expect(text).to.match(/^See\n\n-- \nAnn & Bob\nSales\n\n-+ Forwarded message/)
      const draft = await call<{ message_id: string }>('POST', `${own}/drafts`, { to, text: `Hello\n\n${below}` })
      expect((await sent(`drafts/${draft.body.message_id}/send`)).text.trimEnd()).to.equal(`Hello\n\n${below}`)
      const inHtml = await sent('send', { to, html: '<p>Hello</p>' })
      const again = await call<{ message_id: string }>('POST', `${own}/drafts`, { to, html: inHtml.html })
      expect((await sent(`drafts/${again.body.message_id}/send`)).html).to.equal(inHtml.html)
    })

    it('keeps the content type parameters that a message or draft declares for an attachment', async () => {
      const types = ['text/calendar; charset=utf-8; method=REQUEST', 'text/plain; charset=iso-8859-1']
      const box = mailboxPath(tenant.address)
      const to = 'ada@remote.example'
      const attachments = types.map((contentType, n) => ({
        name: `file${n}`,
        contentType,
        content: Buffer.from('Gr\xfc\xdfe', 'latin1').toString('base64'),
      }))
      const made = await call<{ message_id: string }>('POST', `${box}/drafts`, { to, text: 'Hi', attachments })
      const draft = `drafts/${made.body.message_id}`
      await call('PATCH', `${box}/${draft}`, { subject: 'Changed' })
      const parts = types.map((type) => `--b\nContent-Type: ${type}\nContent-Disposition: attachment\n\nx\n`)
      const raw = `From: ${to}\nContent-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`
      const received = await deliver(door.ctx, { to: tenant.address, raw })
      const shown = await call<{ attachments: { id: string }[] }>('GET', `${box}/messages/${received}`)
      const files = shown.body.attachments.map(({ id }) => ({ messageId: received, attachmentId: id }))
      const ways = [
        [`${draft}/send`, {}],
        [`messages/${received}/forward`, { to }],
        ['send', { to, text: 'Hi', attachments: files }],
      ] as const
      for (const [path, body] of ways) {
        const sent = await call<{ message_id: string }>('POST', `${box}/${path}`, body)
        expect(sent.status, path).to.equal(202)
        const headers = { authorization: `Bearer ${tenant.key}` }
        const copy = await fetch(`${door.http}${box}/messages/${sent.body.message_id}/raw`, { headers })
        const text = (await copy.text()).replaceAll('\r\n\t', ' ')
        for (const type of types) expect(text, path).to.contain(`\r\nContent-Type: ${type}\r\n`)
      }
    })

    it('accepts attachments, up to 16 MiB of JSON', async () => {
      const content = Buffer.alloc(9 * 1024 * 1024, 'x').toString('base64')
      const { status } = await send({
        ...letter,
        attachments: [{ name: 'x.bin', contentType: 'application/octet-stream', content }],
      })
      expect(status).to.equal(202)
    })

    const file = { name: 'a.txt', contentType: 'text/plain', content: 'YQ==' }
    const refused: readonly (readonly [string, Json, number, string, string | undefined])[] = [
      ['nobody to send to', { subject: 'Hi', text: 'x' }, 400, 'validation_error', 'to'],
      ['nothing to say', { to: 'a@remote.example' }, 400, 'validation_error', 'text'],
      ['an invalid address, as text', { ...letter, to: 'a@b@c..d' }, 400, 'validation_error', 'to'],
      [
        'an invalid address, in a list',
        { ...letter, to: ['a@remote.example', 'a@b@c..d'] },
        400,
        'validation_error',
        'to[1]',
      ],
      [
        'an invalid address, as an object',
        { ...letter, cc: [{ address: 'a@b@c..d' }] },
        400,
        'validation_error',
        'cc[0].address',
      ],
      [
        'more than 50 recipients',
        { ...letter, to: Array.from({ length: 51 }, (_, n) => `p${n}@remote.example`) },
        400,
        'validation_error',
        'to',
      ],
      [
        'what is not base64',
        { ...letter, attachments: [{ ...file, content: '***' }] },
        400,
        'validation_error',
        'attachments[0].content',
      ],
      [
        '11 files',
        { ...letter, attachments: Array.from({ length: 11 }, () => file) },
        413,
        'attachments_too_large',
        undefined,
      ],
      ['an unreadable sender', { ...letter, from: 'nobody' }, 400, 'invalid_sender', undefined],
      ['a sender of others', { ...letter, from: 'a@elsewhere.example' }, 403, 'domain_not_on_account', undefined],
      ['another mailbox as sender', { ...letter, from: 'page1@tenant.example' }, 403, 'forbidden', undefined],
    ]
    for (const [name, body, status, code, param] of refused) {
      it(`refuses ${name}`, async () => {
        const answer = await send(body)
        expect([answer.status, answer.body.code, answer.body.param]).to.deep.equal([status, code, param])
      })
    }

    for (const from of ['a@elsewhere.example', 'page1@tenant.example'])
      it(`says which senders a mailbox has, to one that asks for ${from}`, async () => {
        const { fix } = (await send({ ...letter, from })).body
        expect(fix).to.equal(`Leave "from" out, or give ${tenant.address}, a plus form or an alias of it.`)
      })

    const unclaimed = { states: ['unclaimed'], plan: null, agentsPlan: 'free' } as const
    /** A send to `count` recipients, the limits that are always too small for it, and the refusal of each. */
    const sizes: readonly (readonly [
      what: string,
      account: Partial<Account>,
      recipients: number,
      never: RegExp | null,
    ])[] = [
      ['one of an unclaimed account', unclaimed, 1, null],
      ['five of an unclaimed account', unclaimed, 5, null],
      [
        'six of an unclaimed account',
        unclaimed,
        6,
        /^An unclaimed account may send 5 replies a day, .* has 6:.*\. Write to at most 5 .* or have a person open the claim link\.$/,
      ],
      ['ten a minute', { plan: 'trial', agentsPlan: null }, 10, null],
      [
        'eleven, of ten a minute',
        { plan: 'trial', agentsPlan: null },
        11,
        /^The plan has 10 recipients a minute, .* has 11: it can never pass\. Write to at most 10 .* or upgrade the plan\.$/,
      ],
      ['sixty a minute', { plan: 'growth', agentsPlan: null }, 60, null],
      ['sixty-one, of sixty a minute', { plan: 'growth', agentsPlan: null }, 61, /60 recipients a minute/],
      ['a hundred a month', { plan: 'trial', agentsPlan: null }, 100, /10 recipients a minute/],
      [
        'one more than a hundred a month',
        { plan: 'trial', agentsPlan: null },
        101,
        /^The plan has 100 sends a month, .* has 101/,
      ],
      ['three hundred a day', { plan: 'starter', agentsPlan: null }, 300, /10 recipients a minute/],
      [
        'one more than three hundred a day',
        { plan: 'starter', agentsPlan: null },
        301,
        /^The plan has 300 sends a day/,
      ],
      [
        'more than a day of a small plan, in a larger one',
        { plan: 'growth', agentsPlan: null },
        301,
        /60 recipients a minute/,
      ],
      ['what the grace allows', { plan: null, agentsPlan: 'free' }, 3_300, /10 recipients a minute/],
      ['more than the grace allows', { plan: null, agentsPlan: 'free' }, 3_301, /^The plan has 3000 emails a month/],
      ['none at all', { plan: 'trial', agentsPlan: null }, 0, null],
      ['fifty of a new account', { plan: 'business', agentsPlan: null, warmUp }, 50, null],
      ['what a new account may send only later', { plan: 'business', agentsPlan: null, warmUp }, 200, null],
      [
        'what it may never send',
        { plan: 'business', agentsPlan: null, warmUp },
        10_001,
        /^A new account warms up, .* Write to at most 10000 /,
      ],
      ['fifty from the shared domain', { plan: 'business' }, 50, null],
      [
        'one more than fifty from the shared domain',
        { plan: 'business' },
        51,
        /^The shared domain allows 50 sends a day, .* or send from a domain of your own\.$/,
      ],
    ]
    for (const [what, change, count, never] of sizes)
      it(`the refusal of a send that can never succeed says so: ${what}`, async () => {
        const account = { ...(await getAccount(door.ctx, tenant.accountId)), ...change }
        const recipients = Array.from({ length: count }, (_, n) => `r${n}@remote.example`)
        const sender = what.includes('shared domain') ? 'agent@x.agents.localhost' : tenant.address
        const limits = await limitsOf(door.ctx, account, { sender, recipients, parent: null, at: new Date() })
        for (const { refusal, by, limit } of limits) {
          const { message, fix, detail } = refusal()
          const isNever = / never /.test(message)
          expect(detail.retryAfter === null, message).to.equal(isNever)
          if (limit !== null && by <= limit)
            expect(message).to.match(/too few are left for this send; .* reset at \S+Z\.$/)
          if (isNever) expect(fix).to.match(/^Write to at most \d+ recipients/)
        }
        const told = limits.map(({ refusal }) => refusal()).find(({ message }) => / never /.test(message))
        if (never === null) expect(told?.message).to.equal(undefined)
        else expect(`${told?.message} ${told?.fix}`).to.match(never)
      })

    it('replies to the sender with the subject and thread of the message', async () => {
      const id = await deliver(door.ctx, {
        to: tenant.address,
        raw: 'From: Eve <eve@remote.example>\nSubject: Question\nMessage-ID: <q@remote.example>\n\nWhy?\n',
      })
      const message = `${mailboxPath(tenant.address)}/messages/${id}`
      const before = await call<{ thread_id: string }>('GET', message)
      const { status, body } = await call<{ thread_id: string; recipients: unknown; message_id: string }>(
        'POST',
        `${message}/reply`,
        { text: 'Because.' },
      )
      expect(status).to.equal(202)
      expect(body.recipients).to.deep.equal([{ email: 'eve@remote.example', status: 'queued' }])
      expect(body.thread_id).to.equal(before.body.thread_id)
      expect((await call('GET', `${message}?view=headers`)).body).to.include({ answered: true })
    })

    it('replies to a message with an invalid Message-ID, and leaves that out', async () => {
      const { address } = tenant
      const raw =
        'From: eve@remote.example\nMessage-ID: <wörd@remote.example>\nReferences: <root@remote.example> <ä@x.example>\n\nx\n'
      const id = await deliver(door.ctx, { to: address, raw })
      const { status, body } = await call('POST', `${mailboxPath(address)}/messages/${id}/reply`, { text: 'Yes' })
      expect(status, JSON.stringify(body)).to.equal(202)
      const copy = await call<Json>('GET', `${mailboxPath(address)}/messages/${body.message_id}`)
      expect([copy.body.in_reply_to, copy.body.references]).to.deep.equal([null, ['root@remote.example']])
      const original = await call<Json>('GET', `${mailboxPath(address)}/messages/${id}`)
      expect(copy.body.thread_id).to.equal(original.body.thread_id)
    })

    it('refuses a reply to a message without a sender, and leaves out invalid addresses', async () => {
      const replies = async (header: string, body: Json) => {
        const id = await deliver(door.ctx, { to: tenant.address, raw: `${header}\nSubject: Question\n\nWhy?\n` })
        const path = `${mailboxPath(tenant.address)}/messages/${id}/reply`
        return call<Json & { recipients?: { email: string }[] }>('POST', path, { text: 'Because.', ...body })
      }
      const to = 'To: agent@tenant.example, ann@remote.example'
      for (const from of ['', 'From: mailer\n', 'From: a..b@remote.example\n']) {
        const { status, body } = await replies(`${from}${to}`, {})
        expect([status, body.code], from).to.deep.equal([422, 'unprocessable'])
        expect(body.fix).to.include('"cc" or "bcc"')
        const told = await replies(`${from}${to}`, { cc: 'eve@remote.example' })
        expect(told.body.recipients?.map(({ email }) => email)).to.deep.equal(['eve@remote.example'])
      }
      const all = await replies(`From: eve@remote.example\n${to}\nCc: a..b@remote.example`, { all: true })
      expect(all.body.recipients?.map(({ email }) => email)).to.deep.equal(['eve@remote.example', 'ann@remote.example'])
    })

    describe('inReplyTo alone is enough', () => {
      const question =
        'From: Eve <eve@remote.example>\nTo: agent@tenant.example, Ann <ann@remote.example>\nCc: bob@remote.example\nSubject: Question\n\nWhy?\n'
      const cases: readonly (readonly [
        what: string,
        raw: string,
        given: Json,
        to: string,
        cc: string,
        subject: string,
      ])[] = [
        ['the sender', question, {}, 'eve@', '', 'Re: Question'],
        ['Reply-To', `Reply-To: desk@remote.example\n${question}`, {}, 'desk@', '', 'Re: Question'],
        ['everybody', question, { replyAll: true }, 'eve@', 'ann@ bob@', 'Re: Question'],
        ['the sender and more', question, { cc: 'carol@remote.example' }, 'eve@', 'carol@', 'Re: Question'],
        ['whom it names', question, { to: 'dan@remote.example' }, 'dan@', '', 'Re: Question'],
        [
          'those and everybody',
          question,
          { to: 'ann@remote.example', replyAll: true },
          'ann@',
          'eve@ bob@',
          'Re: Question',
        ],
        ['with a subject of its own', question, { subject: 'Other' }, 'eve@', '', 'Other'],
        ['one "Re: " is enough', question.replace('Question', 'RE: Question'), {}, 'eve@', '', 'Re: Question'],
        [
          'whom an own message went to',
          'From: agent@tenant.example\nTo: eve@remote.example\nSubject: Own\n\nx\n',
          {},
          'eve@',
          '',
          'Re: Own',
        ],
      ]
      const namesOf = (people: readonly { address: string }[]) =>
        people.map(({ address }) => address.replace('remote.example', '')).join(' ')
      for (const [what, raw, given, to, cc, subject] of cases)
        it(`a send and a draft go to ${what}`, async () => {
          const inReplyTo = await deliver(door.ctx, { to: tenant.address, raw })
          const sent = await send({ inReplyTo, text: `Because: ${what}`, ...given })
          expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
          const drafted = await call('POST', `${mailboxPath(tenant.address)}/drafts`, {
            inReplyTo,
            text: 'x',
            ...given,
          })
          for (const id of [sent.body.message_id, drafted.body.message_id]) {
            const { body } = await call<{ to: { address: string }[]; cc: { address: string }[]; subject: string }>(
              'GET',
              `${mailboxPath(tenant.address)}/messages/${id}`,
            )
            expect([namesOf(body.to), namesOf(body.cc), body.subject]).to.deep.equal([to, cc, subject])
          }
          const answered = await call('GET', `${mailboxPath(tenant.address)}/messages/${inReplyTo}`)
          expect(answered.body).to.include({ answered: true })
        })

      it('empty fields of a reply draft are filled in, and sending it marks the message as answered', async () => {
        const inReplyTo = await deliver(door.ctx, { to: tenant.address, raw: question })
        const drafts = `${mailboxPath(tenant.address)}/drafts`
        const draft = (await call('POST', drafts, { text: 'x', subject: 'Kept' })).body.message_id
        const { body } = await call('PATCH', `${drafts}/${draft}`, { inReplyTo })
        expect(body).to.deep.include({ subject: 'Kept', to: [{ name: 'Eve', address: 'eve@remote.example' }] })
        expect((await call('PATCH', `${drafts}/${draft}`, { to: [] })).body).to.deep.include({ to: [] })
        expect((await call('PATCH', `${drafts}/${draft}`, { to: 'eve@remote.example' })).status).to.equal(200)
        expect((await call('POST', `${drafts}/${draft}/send`)).status).to.equal(202)
        const answered = await call('GET', `${mailboxPath(tenant.address)}/messages/${inReplyTo}`)
        expect(answered.body).to.include({ answered: true })
      })

      const refused: readonly (readonly [what: string, given: (id: string) => Json, param: string])[] = [
        ['all of nothing', () => ({ to: 'eve@remote.example', replyAll: true }), 'replyAll'],
        ['an unknown message', () => ({ inReplyTo: 'msg_none' }), 'inReplyTo'],
        ['an empty list of recipients', (inReplyTo) => ({ inReplyTo, to: [] }), 'to'],
      ]
      for (const [what, given, param] of refused)
        it(`refuses ${what}`, async () => {
          const id = await deliver(door.ctx, { to: tenant.address, raw: question })
          const { status, body } = await send({ text: 'x', ...given(id) })
          expect([status, body.param]).to.deep.equal([400, param])
        })
    })

    it('allows twenty replies per thread and hour, however many requests are simultaneous', async () => {
      const ofTheHour = door.ctx.clock.now().getTime() % hourMs
      if (ofTheHour > hourMs - 60_000) door.advance(hourMs - ofTheHour)
      const raw = 'From: echo@remote.example\nSubject: Ping\nMessage-ID: <ping@remote.example>\n\nPing\n'
      const messageId = await deliver(door.ctx, { to: tenant.address, raw })
      const post = (verb: string, body: Json) =>
        call<ErrorBody & { error: string }>(
          'POST',
          `${mailboxPath(tenant.address)}/messages/${messageId}/${verb}`,
          body,
        )
      const answers = await Promise.all(Array.from({ length: 24 }, () => post('reply', { text: 'Pong' })))
      const refused = answers.filter(({ status }) => status !== 202)
      expect(refused.map(({ status, body }) => `${status} ${body.code}`)).to.deep.equal(
        Array.from({ length: 4 }, () => '429 send_rate_limited'),
      )
      expect(refused[0]?.body.error).to.match(/^A thread has 20 replies an hour, .* at \S+:00:00\.000Z\.$/)
      expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(1, 3_600)
      const answer = { to: 'echo@remote.example', text: 'Pong', inReplyTo: messageId }
      expect((await send(answer)).body.code).to.equal('send_rate_limited')
      // The agent may still write to other recipients, and in other threads.
      expect((await post('forward', { to: 'ada@remote.example' })).status).to.equal(202)
      expect((await send({ to: 'echo@remote.example', text: 'News' })).status).to.equal(202)
      door.advance(hourMs)
      expect((await post('reply', { text: 'Pong' })).status).to.equal(202)
    })

    it('the refusal of a reply without recipients, or with too many, says what to do', async () => {
      const badRequest = [400, 'validation_error']
      const path = `${mailboxPath(tenant.address)}/messages`
      const told = async (raw: string, body: Json, asReply = true, refused: unknown[] = badRequest) => {
        const id = await deliver(door.ctx, { to: tenant.address, raw })
        const answer = asReply
          ? await call<ErrorBody & { fix: string }>('POST', `${path}/${id}/reply`, { text: 'Yes', ...body })
          : await call<ErrorBody & { fix: string }>('POST', `${mailboxPath(tenant.address)}/send`, {
              text: 'Yes',
              inReplyTo: id,
              ...body,
            })
        expect([answer.status, answer.body.code]).to.deep.equal(refused)
        return [answer.body.param, answer.body.fix]
      }
      const nobody = 'Subject: Who?\n\nx\n'
      const fix = 'Name somebody in "cc" or "bcc", or send the answer with "inReplyTo" and "to" (POST .../send).'
      expect(await told(nobody, {}, true, [422, 'unprocessable'])).to.deep.equal([undefined, fix])
      expect((await told(nobody, { replyAll: true }, false))[0]).to.equal('to')
      const cc = Array.from({ length: 60 }, (_, n) => `p${n}@remote.example`).join(',\n ')
      const many = `From: ann@remote.example\nCc: ${cc}\nSubject: All\n\nx\n`
      expect(await told(many, { all: true })).to.deep.equal([
        'all',
        'Leave "all" out, and name those who matter in "cc".',
      ])
      expect((await told(many, { replyAll: true }, false))[0]).to.equal('replyAll')
    })

    describe('Idempotency-Key', () => {
      it('a repeat gets the first answer and sends nothing', async () => {
        const headers = { 'idempotency-key': 'order-1' }
        const first = await send(letter, headers)
        const again = await send({ text: 'Hello', subject: 'Hi', to: letter.to }, headers)
        expect(again.status).to.equal(202)
        expect(again.body).to.deep.equal(first.body)
        expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).to.deep.equal([
          null,
          'true',
        ])
      })

      it('one of two simultaneous requests sends', async () => {
        const headers = { 'idempotency-key': 'order-2' }
        const answers = await Promise.all([send(letter, headers), send(letter, headers), send(letter, headers)])
        const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.id))
        expect(ids.size).to.equal(1)
        for (const { status, body } of answers)
          if (status !== 202) expect([status, body.code]).to.deep.equal([409, 'idempotency_in_progress'])
      })

      it('with another body is refused', async () => {
        const { status, body } = await send({ ...letter, text: 'Other' }, { 'idempotency-key': 'order-1' })
        expect([status, body.code]).to.deep.equal([422, 'idempotency_key_reused'])
      })

      it('an error frees the key', async () => {
        const headers = { 'idempotency-key': 'order-3' }
        expect((await send({ ...letter, from: 'a@elsewhere.example' }, headers)).status).to.equal(403)
        expect((await send(letter, headers)).status).to.equal(202)
      })

      for (const [name, key] of [
        ['empty', ''],
        ['too long', 'k'.repeat(257)],
      ] as const) {
        it(`${name}: idempotency_key_invalid`, async () => {
          const { status, body } = await send(letter, { 'idempotency-key': key })
          expect([status, body.code]).to.deep.equal([400, 'idempotency_key_invalid'])
        })
      }

      it('authorisation comes before a replay', async () => {
        const { apiKey } = await makeKey(door.ctx, {
          accountId: tenant.accountId,
          kind: 'agent',
          scopes: ['mail:send'],
        })
        const answer = await client(door.http, apiKey)<ErrorBody>(
          'POST',
          `${mailboxPath(tenant.address)}/send`,
          letter,
          {
            'idempotency-key': 'order-1',
          },
        )
        expect(answer.body.code).to.equal('mailbox_not_found')
      })

      describe('of another API key', () => {
        type Who = 'account' | 'sender' | 'granted' | 'stranger'
        const keys: { [who in Who]?: string } = {}
        before(async () => {
          const { accountId, mailboxId } = tenant
          const scopes: Scope[] = ['mail:read', 'mail:send', 'mail:write', 'mailboxes:write']
          const agent = { accountId, kind: 'agent' as const, scopes }
          keys.account = tenant.key
          keys.sender = (await makeKey(door.ctx, { accountId, scopes: ['mail:send', 'mailboxes:write'] })).apiKey
          keys.granted = (await makeKey(door.ctx, { ...agent, mailboxIds: [mailboxId] })).apiKey
          keys.stranger = (await makeKey(door.ctx, agent)).apiKey
          await ask('stranger', 'mailbox', 0)
        })

        const mail = { to: 'ada@remote.example', subject: 'Hi', text: 'Hello' }
        const box = () => mailboxPath(tenant.address)
        const requests = {
          send: () => [`${box()}/send`, mail],
          draft: () => [`${box()}/drafts`, mail],
          folder: (n: number) => [`${box()}/folders`, { name: `Folder ${n}` }],
          email: () => ['/api/v1/emails', { ...mail, from: tenant.address }],
          shop: () => ['/api/v1/emails', { ...mail, from: 'shop@tenant.example' }],
          mailbox: (n: number) => ['/api/v1/mailboxes', { address: `box${n}@tenant.example` }],
          hook: () => ['/api/v1/webhooks', { url: 'https://example.com/hook', events: ['message.received'] }],
          suppression: (n: number) => ['/api/v1/suppressions', { email: `tired${n}@remote.example` }],
          template: (n: number) => ['/api/v1/templates', { alias: `t${n}`, subject: 's', text: 'x' }],
        } satisfies { readonly [what: string]: (n: number) => [string, Json] }

        const ask = (who: Who, what: keyof typeof requests, n: number, more: Json = {}) => {
          const [path, body] = requests[what](n)
          const headers = { 'idempotency-key': `of-another-${n}` }
          return client(door.http, keys[who])<ErrorBody & Json>('POST', path, { ...body, ...more }, headers)
        }

        const cases: readonly (readonly [keyof typeof requests, first: Who, second: Who, outcome: string])[] = [
          ['send', 'account', 'sender', 'replay'],
          ['send', 'account', 'granted', 'replay'],
          ['send', 'granted', 'account', 'replay'],
          ['send', 'account', 'stranger', 'mailbox_not_found'],
          ['draft', 'account', 'granted', 'replay'],
          ['draft', 'account', 'stranger', 'mailbox_not_found'],
          ['folder', 'account', 'granted', 'replay'],
          ['folder', 'account', 'sender', 'insufficient_scope'],
          ['email', 'account', 'granted', 'replay'],
          ['email', 'granted', 'granted', 'replay'],
          ['email', 'granted', 'account', 'replay'],
          ['email', 'account', 'stranger', 'forbidden'],
          ['shop', 'account', 'sender', 'replay'],
          ['shop', 'account', 'granted', 'forbidden'],
          ['mailbox', 'account', 'sender', 'replay'],
          ['mailbox', 'granted', 'granted', 'replay'],
          ['mailbox', 'granted', 'account', 'replay'],
          ['mailbox', 'account', 'granted', 'idempotency_key_reused'],
          ['mailbox', 'granted', 'stranger', 'idempotency_key_reused'],
          ['hook', 'granted', 'granted', 'replay'],
          ['hook', 'granted', 'account', 'replay'],
          ['hook', 'account', 'granted', 'idempotency_key_reused'],
          ['hook', 'granted', 'stranger', 'idempotency_key_reused'],
          ['hook', 'account', 'sender', 'insufficient_scope'],
          ['suppression', 'granted', 'granted', 'replay'],
          ['suppression', 'granted', 'account', 'replay'],
          ['suppression', 'account', 'granted', 'idempotency_key_reused'],
          ['template', 'account', 'sender', 'replay'],
          ['template', 'account', 'granted', 'forbidden'],
        ]
        for (const [n, [what, first, second, outcome]] of cases.entries())
          it(`${what}, first by the ${first} key, then by the ${second} key: ${outcome}`, async () => {
            const made = await ask(first, what, n + 1)
            expect(made.status, JSON.stringify(made.body)).to.be.oneOf([201, 202])
            const again = await ask(second, what, n + 1)
            const isReplay = again.headers.get('idempotent-replayed') === 'true'
            expect(isReplay ? 'replay' : again.body.code).to.equal(outcome)
            if (isReplay) expect(again.body).to.deep.equal(made.body)
          })

        it('a key without permission does not learn that the Idempotency-Key was used for another request', async () => {
          expect((await ask('account', 'email', 100)).status).to.equal(202)
          expect((await ask('account', 'email', 100, { text: 'Other' })).body.code).to.equal('idempotency_key_reused')
          expect((await ask('stranger', 'email', 100, { text: 'Other' })).body.code).to.equal('forbidden')
        })

        it('a key whose grant was withdrawn gets no replay of its own answer', async () => {
          expect((await ask('granted', 'email', 101)).status).to.equal(202)
          const { keys } = door.ctx.store
          const granted = await keys.find({ kind: 'agent', mailboxIds: tenant.mailboxId }).toArray()
          const keyIds = granted.map(({ _id }) => _id)
          await keys.updateMany({ _id: { $in: keyIds } }, { $set: { mailboxIds: [] } })
          await callersChanged(door.ctx, { keyIds })
          expect((await ask('granted', 'email', 101)).body.code).to.equal('forbidden')
        })

        it('a claim link is replayed only to the key that requested it', async () => {
          const signup = await client(door.http)<{ address: string; api_key: string }>('POST', '/api/v1/signup', {})
          const { accountId } = (await door.ctx.store.addresses.findOne({ _id: signup.body.address })) ?? {}
          const other = { accountId: String(accountId), kind: 'agent' as const, scopes: ['mail:read'] as Scope[] }
          const strangers = [await makeKey(door.ctx, other), await makeKey(door.ctx, { accountId: other.accountId })]
          const claim = async (key: string) => {
            const headers = { 'idempotency-key': 'claim' }
            const { body } = await client(door.http, key)<Json>('POST', '/api/v1/account/claim', {}, headers)
            return body.code ?? body.claim_url
          }
          const link = await claim(signup.body.api_key)
          expect(link).to.match(/^http/)
          expect(await claim(signup.body.api_key)).to.equal(link)
          expect(await Promise.all(strangers.map(({ apiKey }) => claim(apiKey)))).to.deep.equal([
            'idempotency_key_reused',
            'forbidden',
          ])
        })
      })

      it('a secret shown once is shown again by a replay, and is stored encrypted', async () => {
        const headers = { 'idempotency-key': 'hook-1' }
        const body = { url: 'https://example.com/hook', events: ['mailbox.created'] }
        const first = await call<{ secret: string }>('POST', '/api/v1/webhooks', body, headers)
        const again = await call<{ secret: string }>('POST', '/api/v1/webhooks', body, headers)
        expect(first.body.secret).to.match(/^whsec_/)
        expect(again.body.secret).to.equal(first.body.secret)
      })
    })
  })

  describe('Markdown', () => {
    type Read = Json & { text: string; html: string }
    const markdown = '**Yes**, see [it](https://b.example/x).'
    const read = async (id: unknown) => (await call<Read>('GET', `${mailboxPath(tenant.address)}/messages/${id}`)).body
    const box = () => mailboxPath(tenant.address)
    const received = () => deliver(door.ctx, { to: tenant.address, raw: 'From: a@remote.example\nSubject: Q\n\nWell?' })
    /** The message that each way of sending stores in the mailbox. */
    const ways: { readonly [way: string]: (body: Json) => Promise<Answer<Json & ErrorBody>> } = {
      send: (body) => call('POST', `${box()}/send`, { to: 'a@remote.example', ...body }),
      reply: async (body) => call('POST', `${box()}/messages/${await received()}/reply`, body),
      forward: async (body) =>
        call('POST', `${box()}/messages/${await received()}/forward`, { to: 'a@remote.example', ...body }),
      draft: (body) => call('POST', `${box()}/drafts`, body),
      'a changed draft': async (body) => {
        const { body: draft } = await call('POST', `${box()}/drafts`, { text: 'First' })
        return call('PATCH', `${box()}/drafts/${draft.message_id}`, body)
      },
      emails: (body) => call('POST', '/api/v1/emails', { from: tenant.address, to: 'a@remote.example', ...body }),
      batch: (body) =>
        call('POST', `${box()}/send-batch`, {
          subject: 's',
          recipients: [{ email: 'a@remote.example' }],
          idempotencyKey: JSON.stringify(body),
          ...body,
        }),
    }
    for (const [way, write] of Object.entries(ways))
      it(`${way} accepts it instead of text and HTML`, async () => {
        const { status, body } = await write({ markdown })
        expect(status, JSON.stringify(body)).to.be.within(200, 202)
        if (typeof body.message_id === 'string') {
          const { text, html } = await read(body.message_id)
          expect(html).to.include('<strong>Yes</strong>').and.include('href="https://b.example/x"')
          expect(text).to.include('Yes, see it <https://b.example/x>.')
        }
        for (const beside of ['text', 'html'])
          expect((await write({ markdown, [beside]: 'x' })).body, beside).to.include({
            code: 'validation_error',
            param: beside,
          })
      })
  })

  describe('account and usage', () => {
    it('an account shows its plans', async () => {
      const { body } = await call('GET', '/api/v1/account')
      expect(body).to.include({
        success: true,
        id: tenant.accountId,
        status: 'active',
        plan: 'business',
        agentsPlan: 'scale',
        sandbox: false,
      })
    })

    it('usage counts what was sent', async () => {
      const { body } = await call<{ sends: { used: number }; batch: Json }>('GET', '/api/v1/usage')
      expect(body.sends.used).to.be.above(0)
      expect(body.batch).to.deep.equal({ recipientsPerCall: 1000, recipientsPerMinute: 240 })
    })
  })
})
