import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { runCommand } from '../../cli/command-line.ts'
import { administrator } from '../../core/access/principal.ts'
import { createAccount, getAccount } from '../../core/account/accounts.ts'
import { raiseLimit } from '../../core/account/plans.ts'
import { reportAddressOf } from '../../core/deliverability/report-address.ts'
import { reverseQuestion } from '../../core/deliverability/reverse-names.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { createPartner } from '../../core/partner/partners.ts'
import { closeContext } from '../../core/process/context.ts'
import { serviceVersion } from '../../operations/version.ts'
import { verifyWebhook } from '../../sdk/verify-webhook.ts'
import { eventually } from '../eventually.ts'
import { startCutProxy } from '../peers/cut-proxy.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { startObjectStore } from '../peers/object-store.ts'
import { startSmtpSink, startWebhookReceiver } from '../peers/receivers.ts'
import { client, type Json, mailboxPath } from '../peers/rest.ts'
import { contextOf, inContext, type Service, startService } from '../start/service.ts'

const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))

type Ended = {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly records: readonly Json[]
}

function ended(code: number | null, out: string, err: string): Ended {
  const lines = out.startsWith('{') ? out.trim().split('\n') : []
  return { code, out, err, records: lines.map((line) => JSON.parse(line) as Json) }
}

describe('the command line', () => {
  let service: Service
  let account: string
  let dns: NameServer

  before(async () => {
    dns = await startNameServer({})
    dns.ttlSeconds = 0
    service = await startService({ env: { MAILROOM_RESOLVER: JSON.stringify([dns.address]) } })
  })
  after(async () => {
    await service?.dispose()
    await dns?.stop()
  })

  const surroundings = (env: Record<string, string>) => ({ ...process.env, MAILROOM_DATA: service.data, ...env })

  /** Runs the command line in this process. */
  async function mailroom(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    let out = ''
    let err = ''
    const code = await runCommand(args, {
      env: surroundings(env),
      out: (text) => {
        out += text
      },
      err: (text) => {
        err += text
      },
    })
    return ended(code, out, err)
  }

  /** Runs the command line in a process of its own. */
  async function program(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    const child = spawn(process.execPath, [bin, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: surroundings(env),
    })
    const [out, err] = [text(child.stdout), text(child.stderr)]
    const [code] = (await once(child, 'close')) as [number | null]
    return ended(code, await out, await err)
  }

  async function done(args: readonly string[]): Promise<readonly Json[]> {
    const { code, err, records } = await mailroom(args)
    expect(code, err).to.equal(0)
    expect(err).to.equal('')
    return records
  }

  it('makes an account with its domain, mailbox and key, which work at once', async () => {
    const [made] = await done(['account', 'create', 'acme', '--owner', 'Owner@people.test', '--plan', 'none'])
    expect(made).to.include({
      name: 'acme',
      owner: 'owner@people.test',
      plan: null,
      agentsPlan: 'scale',
      status: 'active',
    })
    account = String(made?.id)
    const [domain] = await done(['domain', 'create', 'ACME.test', '--account', account, '--verified'])
    expect(domain).to.include({ domain: 'acme.test', status: 'verified' })
    expect(JSON.stringify(domain?.records)).to.contain('v=DKIM1').and.not.contain('PRIVATE')
    const [mailbox] = await done(['mailbox', 'create', account, 'desk@acme.test', '--name', 'Desk'])
    expect(mailbox).to.include({ address: 'desk@acme.test', displayName: 'Desk', createdBy: null })
    const [[key], [agent]] = await Promise.all([
      done(['key', 'create', account, '--scopes', 'mail:read, mailboxes:read', '--days', '0.5']),
      done(['key', 'create', account, '--kind', 'agent', '--mailboxes', 'desk@acme.test', '--name', 'robot']),
    ])
    expect(key).to.include({ kind: 'account' }).and.to.not.have.property('hash')
    expect(Date.parse(String(key?.expiresAt)) - Date.now()).to.be.within(11 * 3_600_000, 12 * 3_600_000)
    for (const made of [key, agent]) {
      const listed = await client(service.http, String(made?.apiKey))<{ mailboxes: Json[] }>('GET', '/api/v1/mailboxes')
      expect(listed.body.mailboxes.map(({ address }) => address)).to.deep.equal(['desk@acme.test'])
    }
    const [, revoked] = await Promise.all([
      done(['key', 'revoke', account, String(agent?.id)]),
      mailroom(['key', 'revoke', account, 'key_nobody']),
    ])
    expect([revoked.code, revoked.err]).to.deep.equal([
      1,
      'There is no active key key_nobody. Use the id of a key of this account that is not revoked (key_...).\n',
    ])
    expect((await client(service.http, String(agent?.apiKey))('GET', '/api/v1/account')).status).to.equal(401)
  })

  it('lists records as one line of JSON each, and never shows a secret again', async () => {
    const [accounts, domains, keys, mailboxes, audit] = await Promise.all([
      done(['account', 'list']),
      done(['domain', 'list', account]),
      done(['key', 'list', account]),
      done(['mailbox', 'list', account]),
      done(['audit', 'verify', account]),
    ])
    expect(accounts.map(({ name }) => name)).to.deep.equal(['acme', 'postmaster'])
    expect(domains.map(({ domain }) => domain)).to.deep.equal(['acme.test'])
    expect(keys).to.have.length(2)
    expect(JSON.stringify(keys)).to.not.contain('svc_live_').and.not.contain('hash')
    expect(mailboxes.map(({ address }) => address)).to.deep.equal(['desk@acme.test'])
    // The audit has the domain, the mailbox, two keys and the revocation of one; what else was asked is not audited.
    expect(audit[0]).to.deep.include({ entries: 5, first: 1, broken: null })
  })

  it('suspends and pauses an account by its name, and ends either independently of the other', async () => {
    const [key] = await done(['key', 'create', 'acme'])
    const status = async () => {
      const { body } = await client(service.http, String(key?.apiKey))<Json>('GET', '/api/v1/account')
      return body.code ?? body.status
    }
    const steps: readonly (readonly [args: readonly string[], record: Json, status: string])[] = [
      [['account', 'suspend', 'acme', 'spam'], { suspended: true }, 'account_suspended'],
      [['account', 'suspend', 'acme', 'spam'], { suspended: false }, 'account_suspended'],
      [['account', 'pause', 'acme', 'unpaid', '--partner'], { paused: true }, 'account_suspended'],
      [['account', 'unsuspend', account], { unsuspended: true }, 'paused'],
      [['account', 'unsuspend', account], { unsuspended: false }, 'paused'],
      [['account', 'resume', 'acme'], { resumed: false }, 'paused'],
      [['account', 'resume', 'acme', '--partner'], { resumed: true }, 'active'],
      [['account', 'pause', 'acme', 'bounces'], { paused: true }, 'active'],
      [['account', 'resume', 'acme'], { resumed: true }, 'active'],
    ]
    for (const [args, record, expected] of steps) {
      expect(await done(args), args.join(' ')).to.deep.equal([{ account, ...record }])
      expect(await status(), args.join(' ')).to.equal(expected)
    }
  })

  it('checks the audit of an account that was erased', async () => {
    const [made = {}] = await done(['account', 'create', 'passing'])
    const id = String(made.id)
    await done(['key', 'create', id])
    await done(['account', 'erase', id, '--confirm', 'passing'])
    expect((await done(['audit', 'verify', id]))[0]).to.include({ entries: 1, broken: null })
  })

  it('gives a key a new secret', async () => {
    const [key] = await done(['key', 'create', 'acme', '--name', 'rotating'])
    const [rotated] = await done(['key', 'rotate', 'acme', String(key?.id)])
    expect(rotated?.id).to.equal(key?.id)
    const ask = async (apiKey: unknown) => (await client(service.http, String(apiKey))('GET', '/api/v1/account')).status
    expect([await ask(key?.apiKey), await ask(rotated?.apiKey)]).to.deep.equal([401, 200])
  })

  it('changes plans and raises limits, which a running service applies at once', async () => {
    const [made] = await done(['account', 'create', 'small', '--plan', 'none', '--agents-plan', 'free'])
    const id = String(made?.id)
    const [key] = await done(['key', 'create', id])
    const rate = async () => {
      const { headers } = await client(service.http, String(key?.apiKey))('GET', '/api/v1/account')
      return headers.get('ratelimit-limit')
    }
    expect(await rate()).to.equal('120')
    for (const [args, limit] of [
      [['account', 'plan', id, '--agents-plan', 'scale'], '600'],
      [['account', 'plan', id, '--agents-plan', 'developer', '--plan', 'pro'], '300'],
      [['account', 'raise', id, 'requestsPerMinute', '350'], '350'],
      [['account', 'plan', id, '--agents-plan', 'none'], '350'],
      [['account', 'raise', id, 'requestsPerMinute', 'plan'], '120'],
    ] as const) {
      await done(args)
      expect(await rate(), args.join(' ')).to.equal(limit)
    }
    const [own] = await done(['account', 'plan', id, '--agents-plan', 'free', '--plan', 'none'])
    expect(own).to.include({ plan: null, agentsPlan: 'free' })
    const domain = ['domain', 'create', 'small.test', '--account', id]
    expect((await mailroom(domain)).err).to.match(/^The plan includes no domains of its own\. Take a larger plan, or/)
    await done(['account', 'raise', id, 'ownDomains', '1'])
    expect((await done(domain))[0]).to.include({ domain: 'small.test' })
    expect(await done(['account', 'phone', id])).to.deep.equal([{ account: id, phoneVerified: true }])
    expect((await done(['account', 'list']))[0]).to.include({ id, phoneVerified: true })
  })

  const refusals: readonly (readonly [args: (account: string) => readonly string[], says: RegExp])[] = [
    [() => ['account', 'create', 'x'.repeat(201)], /^"name" has more than 200 characters\./],
    [() => ['account', 'create', '\u200b'], /^"name" must be one line of text that is not blank/],
    [() => ['partner', 'create', '\u00ad\u200b'], /^"name" must be one line of text that is not blank/],
    [() => ['account', 'create', 'x', '--owner', 'nobody'], /^"nobody" is not an email address\. Write .*user@domain/],
    [() => ['domain', 'expires', 'acme.test', '2027-02-29'], /^"2027-02-29" is no day. Write it as 2027-03-31.$/],
    [
      () => ['domain', 'create', 'acme.test', '--account', 'acc_nobody'],
      /^There is no account acc_nobody\. Use an id from "mailroom account list"/,
    ],
    ...[[], ['--verified']].map(
      (more) =>
        [
          (id: string) => ['domain', 'create', 'acme.test', '--account', id, ...more],
          /^The domain acme\.test is already in use\. Choose another domain/,
        ] as const,
    ),
    [
      (id) => ['domain', 'create', 'x.agents.localhost', '--account', id],
      /is the shared domain or below it\. Add a domain of your own\.$/,
    ],
    [
      (id) => ['mailbox', 'create', id, 'desk@acme.test'],
      /^The address desk@acme\.test is already in use\. Choose another/,
    ],
    [(id) => ['key', 'create', id, '--days', 'soon'], /^--days "soon" is not a number of days\. Give a number above 0/],
    [
      (id) => ['key', 'create', id, '--scopes', 'mail:wirte'],
      /^Unknown value of --scopes "mail:wirte"; known are mail:read.* Write "mail:write" instead/,
    ],
    [
      (id) => ['account', 'export', id, '--to', '/nowhere/at-all'],
      /^There is no folder \/nowhere\. Create it first, or name a place in an existing folder\.$/,
    ],
    [(id) => ['account', 'plan', id, '--plan', 'gold'], /known are trial, .*, business, none\. Give one of these\.$/],
    [() => ['account', 'create', 'two\nlines'], /^"name" must be one line of text .* without control characters/],
    [
      () => ['partner', 'key', 'nobody'],
      /^There is no partner nobody\. Use a name or an id from "mailroom partner list"/,
    ],
    [(id) => ['account', 'pause', id, ' ', '--partner'], /^The argument "reason" is empty\./],
    [(id) => ['account', 'pause', id, '\u200b'], /^"reason" .* characters/],
    [(id) => ['account', 'suspend', id, 'two\nlines'], /^"reason" .* without control characters/],
    [(id) => ['account', 'suspend', id, 'x'.repeat(501)], /^"reason" .* 500 characters/],
    [() => ['account', 'suspend', 'nobody', 'spam'], /^There is no account nobody\. Use an id from/],
    [(id) => ['key', 'rotate', id, 'key_nobody'], /^There is no valid key key_nobody\. Use the id/],
    [(id) => ['key', 'create', id, '--name', 'a\tb'], /^"name" must be one line of text .* without control characters/],
    [(id) => ['key', 'create', id, '--name', '\u200b'], /^"name" must be one line of text that is not blank/],
    [(id) => ['key', 'create', id, '--name', '\u202ek'], /^"name" must be one line of text/],
    [(id) => ['key', 'create', id, '--scopes', ','], /^--scopes names no scope\. Name scopes/],
    [() => ['account', 'create', 'x', '--plan', 'gorwth'], /Write "growth" instead of "gorwth"\.$/],
    [(id) => ['key', 'create', id, '--mailboxes', 'desk@acme.test'], /Add --kind agent, or leave --mailboxes out\.$/],
    [
      () => ['audit', 'verify', 'acc_nobody'],
      /^There is no account acc_nobody\. Use an id from "mailroom account list"/,
    ],
    [() => ['account', 'plan', 'acc_nobody', '--plan', 'pro'], /^There is no account acc_nobody\. Use an id/],
    [(id) => ['account', 'plan', id], /^No plan is named\. Add --plan, --agents-plan, or both\.$/],
    [
      (id) => ['account', 'plan', id, '--agents-plan', 'pro'],
      /^Unknown value of --agents-plan "pro".*, none\. Give one of these\.$/,
    ],
    [(id) => ['account', 'approval', id, 'maybe'], /known are none, required\. Give one of these\.$/],
    [(id) => ['drive', 'put', id, 'here', '', 'there'], /^The argument "files" is empty\. Write it as in/],
    [(id) => ['export', 'mbox', id, 'desk@acme.test', '--to', ''], /^The option "--to" is empty\. .* "--to <folder>"/],
    [() => ['db', 'verify', '/none/engine.db'], /^There is no file \/none\/engine\.db\. Fix what the error names/],
    [
      () => ['domain', 'sts', 'acme.test', 'strict'],
      /^Unknown value of mode "strict"; known are none, testing, enforce, default\. Give one of these\.$/,
    ],
    [() => ['account', 'raise', 'acc_nobody', 'inboxes', '5'], /^There is no account acc_nobody\. Use an id/],
    [(id) => ['account', 'raise', id, 'inbox', '5'], /^Unknown value of figure "inbox".* Write "inboxes" instead/],
    [(id) => ['account', 'raise', id, 'inboxes', 'many'], /^"many" is not a figure\. Give a whole number/],
    [(id) => ['account', 'raise', id, 'inboxes', '1.5'], /^"1\.5" is not a figure\./],
    [(id) => ['account', 'raise', id, 'inboxes', '1e99'], /^"1e99" is not a figure\./],
    [(id) => ['account', 'raise', id, 'inboxes', '9'.repeat(20)], /is not a figure\./],
    [(id) => ['account', 'raise', id, 'inboxes', ''], /^The argument "number" is empty\./],
    [
      () => ['account', 'phone', ''],
      /^The argument "account" is empty\. Write it as in "mailroom account phone \[options\] <account>"\.$/,
    ],
    [() => ['account', 'suspend', '', 'spam'], /^The argument "account" is empty\./],
    [() => ['domain', 'reports', '\t'], /^The argument "domain" is empty\./],
    [() => ['db', 'backup', ''], /^The argument "file" is empty\. Write it as in "mailroom db backup/],
    [() => ['db', 'verify', ''], /^The argument "file" is empty\. Write it, or leave it out\.$/],
    [(id) => ['account', 'export', id, '--to', ''], /^The option "--to" is empty\. Write it as "--to <folder>"\.$/],
    [
      () => ['certificates', '--renew', ''],
      /^The option "--renew" is empty\. Write its value after it, or leave it out/,
    ],
    [() => ['--config', '', 'account', 'list'], /^The option "--config" is empty\. Write its value after it, or leave/],
    [() => ['mailbox', 'create'], /missing required argument/],
    [() => ['serve', '--only', 'pop3'], /^Unknown part "pop3"; known are api, jobs, smtp, imap, dns\./],
  ]
  it('refuses invalid and empty arguments with status 1 and one line that says why', async () => {
    const all = await Promise.all(refusals.map(([args]) => mailroom(args(account))))
    for (const [at, { code, out, err }] of all.entries()) {
      const [args, says] = refusals[at]!
      const what = args(account).join(' ')
      expect([code, out], what).to.deep.equal([1, ''])
      expect(err.trim().split('\n'), what).to.have.length(1)
      expect(err.trim().replace(/^error: /, ''), what).to.match(says)
    }
  })

  it('makes test keys, whose sandbox delivers at once whatever its clock says', async () => {
    const [made] = await done(['key', 'create', account, '--test'])
    expect(String(made?.apiKey)).to.match(/^svc_test_/)
    expect(made?.domain).to.equal('acme.test.agents.localhost')
    const { err } = await mailroom(['key', 'create', String(made?.accountId), '--test'])
    expect(err).to.contain('is a sandbox')
    const other = await mailroom(['domain', 'create', 'real.test', '--account', String(made?.accountId), '--verified'])
    expect(other.err).to.contain('sandbox')
    const call = client(service.http, String(made?.apiKey))
    const inbox = `agent@${made?.domain}`
    const send = async (to: string) => {
      const { status, body } = await call('POST', `${mailboxPath(inbox)}/send`, { to, subject: to, text: 'Hi' })
      expect(status, JSON.stringify(body)).to.equal(202)
      return async () => {
        const email = await call<{ recipients: { status: string }[] }>('GET', `/api/v1/emails/${body.id}`)
        return email.body.recipients[0]?.status
      }
    }
    const soft = await send('softbounced@simulator.invalid')
    const moved = await call('POST', '/api/v1/test/clock', { advance: 3 * 86_400 })
    expect(moved.status, JSON.stringify(moved.body)).to.equal(200)
    expect(await soft()).to.equal('bounced')
    // Three days ahead, the outbound engine delivers what is due there.
    const [simulated, own] = [await send('delivered@simulator.invalid'), await send(inbox)]
    const events = () =>
      call<{ events: { sandbox: boolean; created_at: string }[] }>('GET', '/api/v1/events?type=message.received')
    const arrived = async () => {
      const statuses = [await simulated(), await own()]
      return statuses.every((status) => status === 'delivered') && (await events()).body.events.length === 1
    }
    await eventually('both deliveries and the event of the second', arrived)
    const [received] = (await events()).body.events
    expect(received?.sandbox).to.equal(true)
    expect(Date.parse(received?.created_at ?? '')).to.be.above(Date.now() + 2 * 86_400_000)
  })

  describe('listen', () => {
    const cases: readonly (readonly [what: string, args: readonly string[], said: RegExp])[] = [
      [
        'no key',
        ['--forward-to', 'http://127.0.0.1:1/'],
        /^There is no API key\. Pass --key, or set MAILROOM_API_KEY\.\n$/,
      ],
      ['a key that is none', ['--key', 'x', '--forward-to', 'http://127.0.0.1:1/'], /^.*key.*\.\n$/],
      ['no place to forward to', ['--key', 'KEY'], /^error: required option '--forward-to <url>' not specified/],
      [
        'a place that is no URL',
        ['--key', 'KEY', '--forward-to', 'hook'],
        /^"hook" is not an http or https URL\. .*--forward-to/,
      ],
      [
        'another protocol',
        ['--key', 'KEY', '--forward-to', 'ftp://127.0.0.1/'],
        /^"ftp:.* is not an http or https URL/,
      ],
      [
        'a server that is not there',
        ['--key', 'KEY', '--forward-to', 'http://127.0.0.1:1/', '--server', 'http://127.0.0.1:2'],
        /^Nothing answers at http:\/\/127\.0\.0\.1:2\/ \(\w+\)\. Try again/,
      ],
      [
        'a kind of event that is none',
        ['--key', 'KEY', '--forward-to', 'http://127.0.0.1:1/', '--events', 'message.lost'],
        /message\.lost/,
      ],
      [
        'an address that is none',
        ['--key', 'KEY', '--forward-to', 'http://127.0.0.1:1/', '--mailbox', 'nobody'],
        /"nobody" is not an email address/,
      ],
    ]
    let key: string

    before(async () => {
      const [made] = await done(['key', 'create', 'acme'])
      key = String(made?.apiKey)
    })

    for (const [what, args, said] of cases)
      it(`says what is wrong with ${what}`, async () => {
        const given = args.map((each) => (each === 'KEY' ? key : each))
        // An empty MAILROOM_URL counts as unset: the command uses the URL of the settings.
        const env = { MAILROOM_HTTP_PORT: new URL(service.http).port, MAILROOM_URL: '' }
        const { code, err } = await mailroom(['listen', ...given], env)
        expect(err).to.match(said)
        expect(code).to.equal(1)
      })

    it('posts each event to a local program, signed, including those from while the connection was down', async () => {
      const receiver = await startWebhookReceiver((count) => (count === 2 ? 500 : 200))
      const proxy = await startCutProxy(service.http)
      const listening = spawn(
        process.execPath,
        [
          bin,
          'listen',
          '--forward-to',
          receiver.url,
          '--server',
          proxy.http,
          '--events',
          'mailbox.created,mailbox.deleted',
        ],
        { stdio: ['ignore', 'pipe', 'pipe'], env: surroundings({ MAILROOM_API_KEY: key }) },
      )
      const lines: string[] = []
      createInterface({ input: listening.stdout }).on('line', (line) => lines.push(line))
      const err = text(listening.stderr)
      try {
        const secret = await eventually(
          'the secret',
          async () => /^Signing secret: (whsec_\S+)$/.exec(lines[1] ?? '')?.[1],
        )
        const make = (name: string) => done(['mailbox', 'create', 'acme', `${name}@acme.test`])
        await make('one')
        await eventually('the first', async () => receiver.requests.length === 1)
        proxy.cut()
        await make('two')
        await make('three')
        await eventually('all three', async () => receiver.requests.length === 3)
        const events = []
        for (const { body, headers } of receiver.requests) events.push(await verifyWebhook({ body, headers, secret }))
        expect(events.map(({ data }) => data.address)).to.deep.equal(
          ['one', 'two', 'three'].map((name) => `${name}@acme.test`),
        )
        await eventually('a line for each', async () => lines.length === 5)
        for (const [n, line] of lines.slice(2).entries())
          expect(line).to.match(
            new RegExp(`^\\d{4}-\\S+Z  mailbox\\.created  ${events[n]?.id}  ${n === 1 ? 500 : 200}  \\d+ ms$`),
          )
        listening.kill('SIGINT')
        const [code] = await once(listening, 'close')
        expect(code).to.equal(0)
        expect(await err).to.equal('The connection to the server ended. Trying again in 1 s.\n')
      } finally {
        listening.kill('SIGKILL')
        await Promise.all([receiver.close(), proxy.close()])
      }
    })
  })

  it('as a program, exits with the status and writes results to stdout and errors to stderr', async () => {
    const [version, help, unknown, unset, list, names, made] = await Promise.all([
      program(['--version']),
      program(['key', 'create', '--help']),
      program(['accounts']),
      program(['account', 'list'], { MAILROOM_HTTP_PORT: 'eighty' }),
      program(['account', 'list'], { MAILROOM_RESOLVER: '192.0.2.1:53,192.0.2.2:53' }),
      program(['account', 'list'], { MAILROOM_OUTBOUND_ROUTES: '*=127.0.0.1:2526' }),
      program(['account', 'create', 'elsewhere']),
    ])
    expect(version).to.include({ code: 0, out: `${serviceVersion()}\n`, err: '' })
    expect(help).to.include({ code: 0, err: '' })
    expect(help.out).to.match(/^Usage: mailroom key create \[options\] <account>$[\s\S]+^ {2}--days <days> /m)
    expect(unknown).to.include({ code: 1, out: '' })
    expect(unknown.err).to.match(/^error: unknown command 'accounts'/)
    expect(unset).to.include({ code: 1, out: '' })
    expect(unset.err).to.match(/^The environment: "MAILROOM_HTTP_PORT" must be a whole number .* Give .*\.\n$/)
    expect(list.err).to.equal(
      `The environment: "MAILROOM_RESOLVER" must be a list, and is text. Write it as MAILROOM_RESOLVER='[first, second]'.\n`,
    )
    expect(names.err).to.match(/ Write it as MAILROOM_OUTBOUND_ROUTES='\{name: value\}'\.\n$/)
    expect(made).to.include({ code: 0, err: '' })
    expect(made.records.map(({ name }) => name)).to.deep.equal(['elsewhere'])
  })

  it('lists all accounts, mailboxes and partners, however many there are and were', async () => {
    const numbers = Array.from({ length: 201 }, (_, n) => n)
    await inContext(service, async (ctx) => {
      const crowded = await createAccount(ctx, { name: 'crowded', owner: null })
      await createDomain(ctx, { domain: 'crowded.test', accountId: crowded.id, verified: true })
      for (const figure of ['inboxes', 'inboxCreationsPerDay'] as const)
        await raiseLimit(ctx, crowded.id, { figure, to: 1_000 })
      const owner = administrator(await getAccount(ctx, crowded.id))
      await Promise.all(numbers.map((n) => createMailbox(ctx, owner, { address: `box${n}@crowded.test` })))
      await Promise.all(numbers.map((n) => createPartner(ctx, { name: `partner ${n}`, email: null })))
      await Promise.all(numbers.map((n) => createAccount(ctx, { name: `gone ${n}`, owner: null })))
      await ctx.store.accounts.updateMany({ name: /^gone / }, { $set: { status: 'removed' } })
      await Promise.all(numbers.map((n) => createAccount(ctx, { name: `customer ${n}`, owner: null })))
    })
    const [accounts, mailboxes, partners] = await Promise.all([
      done(['account', 'list']),
      done(['mailbox', 'list', 'crowded']),
      done(['partner', 'list']),
    ])
    const names = (prefix: string) => numbers.map((n) => `${prefix}${n}`)
    const listed = accounts.map(({ name }) => name)
    expect(listed).to.include.members([...names('customer '), 'crowded', 'acme'])
    expect(listed.some((name) => /^(gone|partner) /.test(String(name)))).to.equal(false)
    expect(new Set(mailboxes.map(({ address }) => address))).to.deep.equal(
      new Set(names('box').map((box) => `${box}@crowded.test`)),
    )
    expect(partners.map(({ name }) => name)).to.include.members(names('partner '))
  })

  it('ends normally if nobody reads its output', async () => {
    const child = spawn(process.execPath, [bin, 'account', 'list'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: surroundings({}),
    })
    child.stdout.destroy()
    const err = text(child.stderr)
    const [code] = (await once(child, 'close')) as [number | null]
    expect([code, await err]).to.deep.equal([0, ''])
  })

  it('doctor finds no fault in a running service, and reports everything that is wrong before a start', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-doctor-'))
    const data = path.join(folder, 'nothing-yet')
    const objects = await startObjectStore()
    const ports = {
      ...objects.env,
      MAILROOM_HTTP_PORT: new URL(service.http).port,
      MAILROOM_SMTP_PORT: service.smtp.split(':')[1] ?? '',
      MAILROOM_SUBMISSION_PORT: service.submission?.split(':')[1] ?? '',
      MAILROOM_SUBMISSIONS_PORT: service.submissions?.split(':')[1] ?? '',
      // This service runs without these doors.
      MAILROOM_IMAP_PORT: 'null',
      MAILROOM_IMAPS_PORT: 'null',
      MAILROOM_DNS_PORT: 'null',
    }
    try {
      const [well, wrong, early, list] = await Promise.all([
        mailroom(['doctor'], ports),
        mailroom(['doctor'], { ...ports, MAILROOM_IMAPS_PORT: '1', MAILROOM_BLOBS_BUCKET: 'elsewhere' }),
        mailroom(['doctor'], { MAILROOM_DATA: data, MAILROOM_HTTP_PORT: '1', MAILROOM_SMTP_PORT: '1' }),
        mailroom(['account', 'list'], { MAILROOM_DATA: data }),
      ])
      // Whether DNS answers depends on the machine, not on Mailroom.
      const [looked = '', connecting] = well.out.split('\n\n')
      const found = looked.split('\n').filter((line) => !line.includes('DNS'))
      expect(found.map((line) => line.split(':')[0])).to.deep.equal(
        [
          'port http',
          'port smtp',
          'port submission',
          'port submissions',
          'certificate',
          'disk',
          'port dns',
          'database',
          'queue',
          'object store',
        ].map((what) => `ok   ${what}`),
      )
      expect(connecting)
        .to.include(`${service.http}/api/mcp`)
        .and.include(`node "${path.resolve('cli/bin.js')}" mcp`)
      expect(wrong.code).to.equal(1)
      expect(wrong.out)
        .to.match(/^BAD {2}port imaps: 127\.0\.0\.1:1 /m)
        .and.match(/^BAD {2}object store: .* the bucket elsewhere\. .* compare blobs\.bucket/m)
      expect(early.code).to.equal(1)
      for (const says of [
        /^BAD {2}port http: 127\.0\.0\.1:1 /m,
        /^BAD {2}certificate: none yet/m,
        /^BAD {2}database: The service is not running/m,
      ])
        expect(early.out).to.match(says)
      expect([list.code, list.out]).to.deep.equal([1, ''])
      expect(list.err).to.equal(
        `The service is not running on ${data}. Start it (mailroom serve), or set MAILROOM_DATA to the folder it runs on.\n`,
      )
      expect(existsSync(data)).to.equal(false)
    } finally {
      await objects.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  describe('doctor of a domain', () => {
    const sending = '203.0.114.90'
    const list = 'list.blocks.test'
    let good: NameServer['zone']
    let domainAccount: string

    before(async () => {
      const [made] = await done(['account', 'create', 'patient'])
      domainAccount = String(made?.id)
      const [{ records = [] } = {}] = (await done([
        'domain',
        'create',
        'patient.test',
        '--account',
        domainAccount,
        '--verified',
      ])) as unknown as { records?: readonly { name: string; value: string }[] }[]
      const ctx = await contextOf(service)
      const reports = reportAddressOf(ctx, 'patient.test')
      await closeContext(ctx)
      good = {
        ...Object.fromEntries(
          records
            .filter(({ name }) => name.includes('._domainkey.'))
            .map(({ name, value }) => [`TXT ${name}`, [value]]),
        ),
        'TXT patient.test': [`v=spf1 ip4:${sending} -all`],
        'TXT _dmarc.patient.test': [`v=DMARC1; p=reject; rua=mailto:${reports}`],
        'TXT _smtp._tls.patient.test': [`v=TLSRPTv1; rua=mailto:${reports}`],
        'MX patient.test': ['10 mx.patient.test'],
        'A mx.patient.test': [sending],
        'PTR 90.114.0.203.in-addr.arpa': ['mx.patient.test'],
      }
    })

    /** Runs doctor on a domain with this DNS zone. Returns the findings: what was checked, its state, and what to do. */
    async function examine(
      zone: NameServer['zone'],
      domain = 'patient.test',
      {
        door = service.smtp,
        proxies = [],
        addresses = [],
      }: { door?: string; proxies?: readonly string[]; addresses?: readonly string[] } = {},
    ) {
      dns.zone = zone
      const [host = '', port = ''] = door.split(':')
      const inbound = Number(service.smtp.split(':')[1])
      const ended = await program(['doctor', domain], {
        NODE_OPTIONS: `--import ${fileURLToPath(new URL('../peers/elsewhere.ts', import.meta.url))}`,
        TEST_ELSEWHERE: JSON.stringify({ [`${sending}:25`]: inbound, [`${host}:25`]: inbound }),
        MAILROOM_SMTP_PORT: port,
        MAILROOM_SMTP_PROXIES: JSON.stringify(proxies),
        MAILROOM_RESOLVER: JSON.stringify([dns.address]),
        MAILROOM_HOSTNAME: 'mx.patient.test',
        MAILROOM_DELIVERABILITY_BLOCKLISTS: JSON.stringify([list]),
        MAILROOM_DELIVERABILITY_ADDRESSES: JSON.stringify(addresses),
      })
      const findings = new Map<string, string>()
      for (const [, state = '', what = '', found = '', fix = ''] of ended.out.matchAll(
        /^(ok|warn|BAD) +(.+?): (.*)(?:\n +-> (.*))?$/gm,
      ))
        findings.set(what, [state, found, fix].join(' | '))
      return { ...ended, findings }
    }

    it('sends a message over SMTP, and reports as ok what is ok', async () => {
      const { code, err, out, findings } = await examine(good)
      expect([code, err], out).to.deep.equal([0, ''])
      expect(Object.fromEntries([...findings].map(([what, text]) => [what, text.split(' ')[0]]))).to.deep.equal({
        delivery: 'ok',
        TLS: 'warn',
        arrival: 'ok',
        [`SPF of ${sending}`]: 'ok',
        'DKIM rsa': 'ok',
        'DKIM ed25519': 'ok',
        DMARC: 'ok',
        addresses: 'ok',
        [`reverse name of ${sending}`]: 'ok',
        [`${list} about ${sending}`]: 'ok',
        MX: 'ok',
        'MTA-STS': 'warn',
        'DMARC policy': 'ok',
        'TLS reports': 'ok',
        'MX mx.patient.test': 'warn',
      })
      expect(findings.get('delivery')).to.match(
        /accepted the mail to check-[0-9a-z]{26}-[0-9a-f]{16}@agents\.localhost: 250 /,
      )
      expect(findings.get('arrival')).to.include('dkim=pass, dkim=pass').and.not.include('spf')
      expect(findings.get('TLS')).to.match(/SELF_SIGNED/)
      expect(findings.get('DMARC')).to.include('by DKIM and SPF')
    })

    it('knows the name of an address however the settings write it', async () => {
      const { code, findings, out } = await examine(
        {
          ...good,
          'TXT patient.test': ['v=spf1 a:mx.patient.test -all'],
          'AAAA mx.patient.test': ['2606:4700::25'],
          [`PTR ${reverseQuestion('2606:4700::25')}`]: ['mx.patient.test'],
        },
        'patient.test',
        { addresses: ['2606:4700:0:0::025', '2606:4700::2F'] },
      )
      expect(findings.get('reverse name of 2606:4700::25'), out).to.match(/^ok \| It is mx\.patient\.test/)
      expect(findings.get('reverse name of 2606:4700::2f')).to.match(/^BAD \| It has none/)
      expect(findings.get('SPF of 2606:4700::25')).to.match(/^ok/)
      expect(code).to.equal(1)
    })

    it('says for everything broken what to change', async () => {
      const wrong = Object.fromEntries(
        Object.entries(good).flatMap(([question, answers]) => {
          if (/^TXT mr\d+r\./.test(question)) return []
          return [[question, /^TXT mr\d+e\./.test(question) ? ['v=DKIM1; k=ed25519; p=AAAA'] : answers]]
        }),
      )
      const { code, findings } = await examine({
        ...wrong,
        'TXT patient.test': ['v=spf1 ip4:192.0.2.1 ~all'],
        'TXT _dmarc.patient.test': ['v=DMARC1; p=none'],
        'TXT _smtp._tls.patient.test': ['v=TLSRPTv1; rua=mailto:x@y.test', 'v=TLSRPTv1; rua=mailto:z@y.test'],
        'MX patient.test': ['10 mx.elsewhere.test'],
        'A mx.elsewhere.test': ['203.0.114.91'],
        'PTR 90.114.0.203.in-addr.arpa': ['pool-90.provider.test'],
        [`A 90.114.0.203.${list}`]: ['127.0.0.4'],
        [`TXT 90.114.0.203.${list}`]: ['https://blocks.test/why'],
      })
      expect(code).to.equal(1)
      const says: readonly (readonly [string, RegExp])[] = [
        [
          `SPF of ${sending}`,
          /^BAD .*softfail.*\| Write a:mx\.patient\.test into it, .* such as ip4:203\.0\.114\.90\.$/,
        ],
        [
          'DKIM rsa',
          /^BAD .*There is no TXT record at mr\d+r\._domainkey\.patient\.test.*\| Publish there: v=DKIM1; k=rsa; p=/,
        ],
        ['DKIM ed25519', /^BAD .*another key.*\| Publish there: v=DKIM1; k=ed25519; p=/],
        ['DMARC', /^BAD .*It fails/],
        ['DMARC policy', /^warn .*no reports come here.*\| Add rua=mailto:reports-[0-9a-f]{16}@patient\.test/],
        ['TLS reports', /^BAD .*several records.*\| Leave one: v=TLSRPTv1; rua=mailto:reports-/],
        [
          `reverse name of ${sending}`,
          /^BAD .*pool-90\.provider\.test.*\| Have the provider of the address set its PTR record to mx\.patient\.test/,
        ],
        [`${list} about ${sending}`, /^BAD .*listed: https:\/\/blocks\.test\/why/],
        [
          'MX',
          /^BAD .*mx\.elsewhere\.test, which is not this server.*\| Publish MX 10 mx\.patient\.test at patient\.test/,
        ],
        ['MX mx.elsewhere.test', /^BAD .*203\.0\.114\.91:25 does not answer.*\| Open port 25/],
      ]
      for (const [what, text] of says) expect(findings.get(what), what).to.match(text)
    })

    it('gives the full DMARC record to publish if there is none', async () => {
      const { 'TXT _dmarc.patient.test': _, ...without } = good
      const { findings } = await examine(without)
      const publish =
        /^BAD .*\| Publish TXT _dmarc\.patient\.test: v=DMARC1; p=none; rua=mailto:reports-[0-9a-f]{16}@patient\.test$/
      for (const what of ['DMARC', 'DMARC policy']) expect(findings.get(what)).to.match(publish)
    })

    it('says what to publish, set or run for the shared domain, whose records no account can request', async () => {
      const shared = 'agents.localhost'
      const servers = { 'MX agents.localhost': ['10 mx.patient.test'], 'A mx.patient.test': [sending] }
      const { findings, out } = await examine(servers, shared)
      const fixOf = (found: typeof findings, what: string) => found.get(what)?.split(' | ')[2]
      expect(fixOf(findings, `SPF of ${sending}`)).to.equal(`Publish TXT ${shared}: v=spf1 a:mx.patient.test ~all`)
      expect(fixOf(findings, 'MTA-STS')).to.match(
        /^Publish TXT _mta-sts\.agents\.localhost: v=STSv1; id=[0-9a-f]{20}; and CNAME mta-sts\.agents\.localhost: mx\.patient\.test$/,
      )
      const reports = /rua=mailto:(\S+)/.exec(fixOf(findings, 'DMARC') ?? '')?.[1]
      const half = await examine(
        {
          ...servers,
          [`TXT ${shared}`]: ['v=spf1 a:mx.patient.test ~all', 'v=spf1 -all'],
          [`TXT _mta-sts.${shared}`]: ['v=STSv1; id=1;'],
          [`TXT _dmarc.${shared}`]: [`v=DMARC1; p=none; rua=mailto:${reports}`],
        },
        shared,
      )
      expect(fixOf(half.findings, `SPF of ${sending}`)).to.equal(
        `Publish in place of all of them TXT ${shared}: v=spf1 a:mx.patient.test ~all`,
      )
      expect(fixOf(half.findings, 'MTA-STS')).to.match(
        /^Publish CNAME mta-sts\.agents\.localhost: mx\.patient\.test, and see that https:\/\/mta-sts\.agents\.localhost\/.* answers, .*https\.port/,
      )
      expect(fixOf(half.findings, 'DMARC policy')).to.include('"mailroom domain reports agents.localhost"')
      for (const text of [out, half.out]) expect(text).to.not.include('/api/v1/')
    })

    it('asks for no records below the shared domain other than its wildcards', async () => {
      const { status } = await client(service.http)('POST', '/api/v1/signup', { name: 'below' })
      expect(status).to.equal(201)
      const { findings } = await examine({ 'A mx.patient.test': [sending] }, 'below.agents.localhost')
      for (const what of ['MX', `SPF of ${sending}`, 'DMARC', 'DMARC policy'])
        expect(findings.get(what), what).to.match(/^BAD .*\| Publish [^|]*\*\.agents\.localhost/)
      expect(findings.get('DMARC')).to.match(/rua=mailto:reports-[0-9a-f]{16}@agents\.localhost$/)
      expect([...findings.keys()])
        .to.not.include.members(['MTA-STS'])
        .and.not.include.members(['TLS reports'])
    })

    it('requires nothing of DKIM keys that do not sign yet', async () => {
      await done(['domain', 'rotate-dkim', 'patient.test'])
      const { code, out, findings } = await examine(good)
      expect(code, out).to.equal(0)
      expect(out.match(/ DKIM (?:rsa|ed25519):/g)).to.have.length(2)
      for (const kind of ['rsa', 'ed25519']) expect(findings.get(`DKIM ${kind}`)).to.match(/^ok /)
    })

    it('sends the message to another address with --to', async () => {
      const sink = await startSmtpSink()
      // The tests reach no other machine from this process, so the mail server of the domain runs here too.
      dns.zone = { ...good, 'A mx.patient.test': ['127.0.0.1'] }
      const { out } = await mailroom(['doctor', 'patient.test', '--to', 'somebody@remote.test'], {
        MAILROOM_RESOLVER: JSON.stringify([dns.address]),
        MAILROOM_HOSTNAME: 'mx.patient.test',
        MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ 'remote.test': `127.0.0.1:${sink.port}` }),
      })
      expect(out).to.match(/^ok {3}delivery: .* accepted the mail to somebody@remote\.test: 250 /m)
      expect(out)
        .to.match(/^BAD {2}TLS: .*without TLS/m)
        .and.not.include('arrival')
      expect(out).to.match(/^warn address 127\.0\.0\.1: .*no public address/m)
      expect(sink.mails.map(({ to }) => to)).to.deep.equal([['somebody@remote.test']])
      expect(sink.mails[0]?.raw.toString().match(/^DKIM-Signature:/gm)).to.have.length(2)
      await sink.close()
    })

    it('starts with the PROXY header if this machine is one of the configured proxies', async () => {
      const lines: string[] = []
      // Reads the first line, which a proxy sends, and forwards the rest to the service.
      const door = createServer((socket) => {
        socket.once('data', (first) => {
          lines.push(first.toString())
          const [host = '', port] = service.smtp.split(':')
          const onwards = connect({ host, port: Number(port) })
          socket.pipe(onwards).pipe(socket)
          for (const each of [socket, onwards]) each.on('error', () => each.destroy())
        })
      }).listen(0, '127.0.0.1')
      await once(door, 'listening')
      const { port } = door.address() as AddressInfo
      const { findings } = await examine(good, 'patient.test', { door: `127.0.0.1:${port}`, proxies: ['127.0.0.0/8'] })
      door.close()
      expect([findings.get('delivery'), findings.get('arrival')].map((text) => text?.split(' ')[0])).to.deep.equal([
        'ok',
        'ok',
      ])
      expect(lines).to.deep.equal([`PROXY TCP4 127.0.0.1 127.0.0.1 ${port} ${port}\r\n`])
    })

    it('shows the administrator the reports of receivers, also for the shared domain', async () => {
      for (const domain of ['patient.test', 'agents.localhost']) {
        const [found] = await done(['domain', 'reports', domain])
        expect(found).to.deep.include({ domain, sources: [], isComplete: true })
      }
    })

    it('says what is wrong with its arguments', async () => {
      const calls: readonly (readonly [readonly string[], RegExp])[] = [
        [['nobodys.test'], /There is no domain nobodys\.test here/],
        [['no domain'], /^"no domain" is not a valid domain/],
        [['patient.test', '--to', 'nobody'], /nobody/],
      ]
      for (const [args, text] of calls) {
        const { code, err } = await mailroom(['doctor', ...args])
        expect([code, err.split('\n').length], args.join(' ')).to.deep.equal([1, 2])
        expect(err).to.match(text)
      }
    })
  })
})
