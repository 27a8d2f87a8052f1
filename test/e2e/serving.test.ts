import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { getPriority, hostname, networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { pidOf } from '../../bench/processes.ts'
import { runCommand } from '../../cli/command-line.ts'
import { engineUrl } from '../../cli/instance.ts'
import { revokeKey, rotateKey } from '../../core/access/keys.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { type DnsError, query } from '../../core/dns/query.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { closeContext } from '../../core/process/context.ts'
import { processMetrics, processNames } from '../../schemas/metrics.ts'
import { eventually } from '../eventually.ts'
import { type Received, startWebhookReceiver } from '../peers/receivers.ts'
import { client, type Json, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { SmtpClient } from '../peers/smtp-client.ts'
import { type SpanCollector, startSpanCollector } from '../peers/span-collector.ts'
import { connectMcp, makeKey, makeTenant } from '../start/door.ts'
import { startEngine } from '../start/engine.ts'
import { contextOf, type ReadyLine, type Service, startService } from '../start/service.ts'

const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

/** Runs a `mailroom` command until it ends. */
const run = (args: readonly string[], env: Record<string, string>): Promise<Ended> => begin(args, env).ended

function begin(
  args: readonly string[],
  env: Record<string, string>,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (text: Buffer) => {
    out += text.toString()
  })
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString()
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }))
  return { child, ended }
}

/** The lines of a log that are not JSON. */
const plainLines = (log: string) => log.split('\n').filter((line) => line !== '' && !isObject(line))

function isObject(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}

const outcomes = ['delivered', 'bounced', 'deferred']

/** The samples of a scrape, by name with sorted labels. Fails if a metric family appears twice. */
async function scrape({ metrics }: Service): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text()
  const lines = text.trim().split('\n')
  const families = lines.filter((line) => line.startsWith('# TYPE '))
  expect(families).to.deep.equal([...new Set(families)])
  const samples = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (?=[^ ]+$)/))
  const sorted = (name: string) =>
    name.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').toSorted().join()}}`)
  return new Map(samples.map(([name = '', value]) => [sorted(name), Number(value)]))
}

describe('serving', () => {
  let service: Service
  let second: Service
  let collector: SpanCollector
  /** The data folder of a service that never listens. */
  let unheard: string
  /** All secrets that the first service was given or created; none of them may appear in its logs. */
  const secrets: string[] = []

  before(async () => {
    service = await startService({
      only: null,
      env: {
        MAILROOM_SHARED_DOMAIN: 'free.example',
        MAILROOM_HOSTNAME: 'mx.free.example',
        MAILROOM_LOG_LEVEL: 'trace',
      },
    })
    unheard = await mkdtemp(path.join(tmpdir(), 'mailroom-unheard-'))
    collector = await startSpanCollector()
    second = await startService({
      only: null,
      env: {
        MAILROOM_METRICS_PORT: '0',
        MAILROOM_TRACES_ENABLED: 'true',
        MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '50',
      },
    })
  })
  after(async () => {
    await service?.dispose()
    await second?.dispose()
    await collector?.close()
    await rm(unheard, { recursive: true, force: true })
  })

  it('refuses to start on a database sealed with another key; two processes with the same key form one service', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'mailroom-other-'))
    const env = { MAILROOM_DATA: data, MONGODB_URL: engineUrl(service.data), MAILROOM_HTTP_PORT: '0' }
    const key = path.join(data, 'secrets', 'master.key')
    const { code, err } = await run(['serve', '--only', 'api'], env)
    expect(code).to.equal(1)
    expect(err).to.include(`${key} is not the key that this database was sealed with. Copy secrets/master.key`)
    expect(err).to.match(/^service could not start: .* and start again\.$/m)
    await copyFile(path.join(service.data, 'secrets', 'master.key'), key)
    const node = await startService({ data, env: { MONGODB_URL: engineUrl(service.data) }, only: 'api' })
    expect((await fetch(`${node.http}/readyz`)).status).to.equal(200)
    await changesMasterKey(path.dirname(key))
    await endsAtOnce([service.http, node.http])
    await node.dispose()
  })

  /** Checks that the master key is rotated only once every process has the new one. `folder` is that of the other node. */
  async function changesMasterKey(folder: string): Promise<void> {
    const own = path.join(service.data, 'secrets')
    const rotate = () => run(['secrets', 'rotate'], { MAILROOM_DATA: service.data })
    const refused = await rotate()
    expect(refused.code).to.equal(1)
    expect(refused.err).to.match(
      /These processes do not have the key [0-9a-f]{16}: (smtp|service) on .+\. Give them the key/,
    )
    await copyFile(path.join(own, 'master.key'), path.join(folder, 'next.key'))
    const { code, out } = await rotate()
    expect(code).to.equal(0)
    expect(JSON.parse(out).sealedAnew).to.be.greaterThan(0)
  }

  /** Checks that a revoked or rotated key ends at once in every process, however recently it was used there. */
  async function endsAtOnce(nodes: readonly string[]): Promise<void> {
    const ctx = await contextOf(service)
    const { id: accountId } = await createAccount(ctx, { name: 'ending', owner: null })
    const make = () => makeKey(ctx, { accountId })
    const [revoked, rotated, kept] = [await make(), await make(), await make()]
    const told = ({ apiKey }: { apiKey: string }) =>
      Promise.all(
        nodes.map(async (http) => {
          const { status, body } = await client(http, apiKey)<Json>('GET', '/api/v1/account')
          return status === 200 ? 'taken' : body.code
        }),
      )
    const twice = (what: string) => nodes.map(() => what)
    for (const key of [revoked, rotated, kept]) expect(await told(key)).to.deep.equal(twice('taken'))
    await revokeKey(ctx, { accountId, keyId: revoked.key.id })
    expect(await told(revoked)).to.deep.equal(twice('invalid_api_key'))
    const fresh = await rotateKey(ctx, { accountId, keyId: rotated.key.id })
    expect(await told(rotated)).to.deep.equal(twice('invalid_api_key'))
    expect(await told(fresh)).to.deep.equal(twice('taken'))
    await suspendAccount(ctx, accountId, 'a test')
    expect(await told(kept)).to.deep.equal(twice('account_suspended'))
    await unsuspendAccount(ctx, accountId)
    expect(await told(kept)).to.deep.equal(twice('taken'))
    await closeContext(ctx)
  }

  it('prints on one line where each server listens, and null for those that do not', () => {
    const { process: _, logs, stop, dispose, ...line } = service
    expect(Object.keys(line)).to.deep.equal([
      'ready',
      'http',
      'mcp',
      'smtp',
      'submission',
      'submissions',
      'imap',
      'imaps',
      'dns',
      'metrics',
      'data',
    ])
    expect(line).to.deep.include({ ready: true, mcp: `${service.http}/api/mcp` })
    expect(service.http).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(service.smtp).to.match(/^127\.0\.0\.1:\d+$/)
    expect(path.isAbsolute(service.data)).to.equal(true)
  })

  it('answers its health checks without a key', async () => {
    for (const at of ['/healthz', '/readyz']) {
      const response = await fetch(`${service.http}${at}`)
      expect(response.status, at).to.equal(200)
    }
    const { body } = await client(service.http)<{ parts: Json }>('GET', '/readyz')
    expect(body).to.deep.equal({
      ready: true,
      parts: { engine: true, smtp: true, imap: true, dns: true, database: true, clock: true, api: true },
    })
  })

  it('answers DNS queries, and refuses those for zones that it does not serve', async () => {
    const [address = '', port] = service.dns!.split(':')
    const asked = query([{ address, port: Number(port) }], 'www.elsewhere.example', 'A')
    expect(await asked.catch(({ code }: DnsError) => code)).to.equal('EREFUSED')
  })

  it('gives DNS queries priority over other work if the system permits it', async () => {
    const wish = 'os.setPriority(os.constants.priority.PRIORITY_ABOVE_NORMAL)'
    const tried = spawn(process.execPath, ['-e', `try { ${wish} } catch {} console.log(os.getPriority())`])
    const [text] = (await once(tried.stdout, 'data')) as [Buffer]
    const dns = pidOf([service.process.pid!], 'cli/dns-main.ts')
    const threads = existsSync(`/proc/${dns}/task`) ? await readdir(`/proc/${dns}/task`) : [dns]
    for (const thread of threads) expect(getPriority(Number(thread))).to.equal(Number(text))
    const session = `/proc/${dns}/autogroup`
    if (existsSync(session)) expect(await readFile(session, 'utf8')).to.match(new RegExp(` nice ${Number(text)}\\s*$`))
    expect(getPriority(pidOf([service.process.pid!], 'cli/service-main.ts'))).to.equal(getPriority())
  })

  it('takes its settings from the environment', async () => {
    const answer = await client(service.http)<{ address: string; api_key: string }>('POST', '/api/v1/signup', {})
    expect(answer.body.address).to.match(/@agent-\w{5}\.free\.example$/)
    secrets.push(answer.body.api_key)
    expect(await greeting(service.smtp)).to.contain('mx.free.example')
  })

  it('keeps its data folder closed to other users', async () => {
    expect((await stat(service.data)).mode & 0o077).to.equal(0)
    for (const name of ['secrets', 'tls', 'engine'])
      for (const file of await readdir(path.join(service.data, name)))
        if (!file.endsWith('.sock') && !file.startsWith('cert'))
          expect((await stat(path.join(service.data, name))).mode & 0o077, `${name}/${file}`).to.equal(0)
  })

  it('refuses to start on a data folder that everybody can write to, and says what to do', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'mailroom-shared-'))
    await chmod(data, 0o1777)
    const { code, err } = await run(['serve'], { MAILROOM_DATA: data })
    expect([code, err]).to.deep.equal([
      1,
      `The folder ${data} is for all users of this machine. Set MAILROOM_DATA to a folder that nothing else uses, such as one inside it.\n`,
    ])
    await rm(data, { recursive: true })
  })

  it('offers STARTTLS with the certificate it made for its name', async () => {
    const { subject, altNames, protocol } = await startTls(service.smtp)
    expect(subject).to.equal('mx.free.example')
    expect(altNames).to.contain('mx.free.example')
    expect(protocol).to.be.oneOf(['TLSv1.2', 'TLSv1.3'])
    expect((await startTls(second.smtp)).subject).to.equal(hostname())
  })

  it('receives mail for postmaster and abuse of the shared domain, of a sub-domain and of a custom domain', async () => {
    const ctx = await contextOf(service)
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'own' })
    const empty = await createAccount(ctx, { name: 'empty', owner: null })
    await createDomain(ctx, { domain: 'empty.example', accountId: empty.id, verified: true })
    await closeContext(ctx)
    secrets.push(tenant.key)
    const signup = await client(service.http)<{ address: string; api_key: string }>('POST', '/api/v1/signup', {
      name: 'roles',
    })
    const raw = Buffer.from(
      'From: carol@remote.test\r\nSubject: Roles-geheim\r\nMessage-ID: <r@remote.test>\r\n\r\nBody-geheim\r\n',
    )
    secrets.push('Roles-geheim', 'Body-geheim')
    const deliver = (to: string) =>
      sendMail(service.smtp, { from: 'carol@remote.test', to, raw }).then(
        ({ response }) => response.slice(0, 3),
        ({ response }: { response: string }) => response.slice(0, 9),
      )
    for (const to of [
      'postmaster@free.example',
      'ABUSE@free.example',
      'Postmaster',
      'postmaster@roles.free.example',
      'abuse@roles.free.example',
      'postmaster@own.example',
      'abuse+tag@own.example',
    ])
      expect(await deliver(to), to).to.equal('250')
    for (const to of ['hostmaster@own.example', 'postmaster@remote.test', 'postmaster@nobody.free.example'])
      expect(await deliver(to), to).to.equal('550 5.1.1')
    const got = await client(service.http, tenant.key)<{ messages: Json[] }>(
      'GET',
      `${mailboxPath(tenant.address)}/messages`,
    )
    // The same bytes from the same sender are stored once in a mailbox.
    expect(got.body.messages).to.have.length(1)
    const own = await client(service.http, signup.body.api_key)<{ messages: Json[] }>(
      'GET',
      `${mailboxPath(signup.body.address)}/messages`,
    )
    expect(own.body.messages).to.have.length(1)
    secrets.push(signup.body.api_key)
  })

  it('writes no key, claim link, header or body into its logs, whatever goes wrong', async () => {
    const { body } = await client(service.http)<{ address: string; api_key: string; claim_url: string }>(
      'POST',
      '/api/v1/signup',
    )
    const call = client(service.http, body.api_key)
    const token = body.claim_url.slice(body.claim_url.lastIndexOf('/') + 1)
    secrets.push(body.api_key, token)
    await fetch(body.claim_url)
    await call('POST', `${mailboxPath(body.address)}/send`, {
      to: 'x@remote.test',
      subject: 'subject-geheim',
      text: 'text-geheim',
    })
    await call('POST', `${mailboxPath(body.address)}/send`, { to: 'x@remote.test', geheim: 'field-geheim' })
    const url = `${service.http}/api/mcp/${body.api_key}`
    await client(url)('POST', '', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'send_message', arguments: { text: 'tool-geheim' } },
    })
    await fetch(`${service.http}/api/v1/nothing/${body.api_key}?key=${body.api_key}`)
    for (const text of ['json-geheim', '{"text": "json-geheim" oops}', '{"a": "json-geheim'])
      await fetch(`${service.http}/api/v1/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': body.api_key },
        body: text,
      })
    await client(service.http, 'wrong-geheim')('GET', '/api/v1/account')
    await client(service.http)('GET', '/api/v1/account', undefined, { authorization: 'Basic basic-geheim' })
    await call('POST', '/api/v1/webhooks', {
      url: 'https://user:url-geheim@hooks.example',
      events: ['message.received'],
    })
    const raw = Buffer.from(`From: x\r\nSubject: mail-geheim\r\n\r\n${'mail-geheim '.repeat(10_000)}\r\n`)
    await sendMail(service.smtp, { from: 'x@remote.test', to: body.address, raw }).catch(() => null)
    await logInBySmtp(body)
    await client(service.http)('GET', '/api/v1/usage')
    await eventually('the line of the last request', () => service.logs().includes('"route":"/api/v1/usage"'))
    expect(service.logs()).to.contain('"route":"/api/v1/signup"')
    expectNoSecret(service.logs())
  })

  /** Logs in by each mechanism, and once at a door that offers no login. */
  async function logInBySmtp({ address, api_key: key }: { address: string; api_key: string }): Promise<void> {
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const plain = base64(`\0${address}\0${key}`)
    secrets.push(base64(key), plain)
    const said = async (door: string | null, ...lines: readonly string[]) => {
      const smtp = await SmtpClient.hello(door ?? '')
      let code = 0
      for (const line of lines) ({ code } = await smtp.say(line))
      smtp.destroy()
      return code
    }
    const { smtp, submission } = service
    expect(await said(submission, 'AUTH LOGIN', base64(address), base64(key))).to.equal(235)
    expect(await said(submission, 'AUTH PLAIN', plain)).to.equal(235)
    expect(await said(submission, `auth plain ${plain}`)).to.equal(235)
    expect(await said(submission, 'AUTH LOGIN', base64('nobody@free.example'), base64(key))).to.equal(535)
    expect(await said(submission, 'AUTH LOGIN', base64(address), 'QUIT')).to.equal(221)
    expect(await said(smtp, `AUTH PLAIN ${plain}`)).to.equal(500)
  }

  const expectNoSecret = (logs: string) => {
    for (const secret of [...secrets, 'geheim']) expect(logs.includes(secret), secret).to.equal(false)
  }

  it('keeps two instances on one machine separate', async () => {
    const one = await client(service.http)<{ api_key: string }>('POST', '/api/v1/signup', { name: 'side' })
    const two = await client(second.http)<{ api_key: string }>('POST', '/api/v1/signup', { name: 'side' })
    expect([one.status, two.status]).to.deep.equal([201, 201])
    expect((await client(second.http, one.body.api_key)('GET', '/api/v1/account')).status).to.equal(401)
  })

  it('runs in a folder with spaces and special characters in its name, and its commands find it there', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mail room, [#1] (ü)? 50% '))
    const named = await startService({ data: path.join(folder, 'my data') })
    try {
      const { body } = await client(named.http)<Json>('POST', '/api/v1/signup', { name: 'spaces' })
      const raw = Buffer.from('From: carol@remote.test\r\nSubject: Here\r\n\r\nx\r\n')
      await sendMail(named.smtp, { from: 'carol@remote.test', to: String(body.address), raw })
      const path = `${mailboxPath(String(body.address))}/messages`
      const read = await client(named.http, String(body.api_key))<{ messages: Json[] }>('GET', path)
      expect(read.body.messages.map(({ subject }) => subject)).to.deep.equal(['Here'])
      const { code, out, err } = await run(['account', 'list'], { MAILROOM_DATA: named.data })
      expect(code, err).to.equal(0)
      expect(out).to.include('"name":"spaces"')
    } finally {
      await named.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('counts the work of all its processes, and one scrape returns all of it', async () => {
    const ctx = await contextOf(second)
    const { address, key } = await makeTenant({ ctx, http: second.http }, { name: 'counted' })
    await closeContext(ctx)
    const call = client(second.http, key)
    const raw = Buffer.from('From: carol@remote.test\r\nSubject: One\r\n\r\nHi\r\n')
    const from = 'carol@remote.test'
    await sendMail(second.smtp, { from, to: address, raw })
    await sendMail(second.smtp, { from, to: 'nobody@counted.example', raw }).catch(() => null)
    for (const to of ['delivered@simulator.invalid', 'bounced@simulator.invalid', 'softbounced@simulator.invalid'])
      expect((await call('POST', `${mailboxPath(address)}/send`, { to, subject: 'Out', text: 'Hi' })).status).to.equal(
        202,
      )
    expect((await call('GET', `${mailboxPath('foreign@elsewhere.example')}/messages`)).status).to.equal(404)
    await client(second.http)('GET', '/api/v1/account')
    const samples = await eventually('all outcomes', async () => {
      const found = await scrape(second)
      return outcomes.every(
        (outcome) => found.get(`mailroom_deliveries_total{outcome="${outcome}",process="smtp"}`) === 1,
      )
        ? found
        : null
    })
    expect(samples.get('mailroom_mail_accepted_total{door="inbound",process="smtp"}')).to.equal(1)
    expect(samples.get('mailroom_smtp_refusals_total{code="550 5.1.1",process="smtp"}')).to.equal(1)
    expect(samples.get('mailroom_messages_stored_total{process="smtp"}')).to.equal(1)
    expect(samples.get('mailroom_sends_total{origin="message",process="service"}')).to.equal(3)
    expect(samples.get('mailroom_outbox_waiting{process="service"}')).to.equal(1)
    expect(
      samples.get('mailroom_requests_total{code="mailbox_not_found",operation="messages.list",process="service"}'),
    ).to.equal(1)
    expect(samples.get('mailroom_requests_total{code="missing_api_key",operation="none",process="service"}')).to.equal(
      1,
    )
    expect(samples.get('mailroom_request_seconds_count{operation="messages.send",process="service"}')).to.equal(3)
    for (const part of ['engine', 'smtp', 'service'])
      expect(samples.get(`mailroom_part_ready{part="${part}",process="supervisor"}`), part).to.equal(1)
    for (const process of ['smtp', 'service'])
      expect(samples.get(`mailroom_database_command_seconds_count{command="find",process="${process}"}`)).to.be.above(0)
    for (const name of Object.keys(processMetrics).filter((each) => !each.includes('_gc_')))
      for (const process of processNames) expect([...samples.keys()], name).to.include(`${name}{process="${process}"}`)
    // An account, mailbox or address as a label would make a time series for each.
    for (const secret of ['counted', 'agent@', 'remote.test', 'acc_', 'mbx_', 'key_', '127.0.0.1'])
      expect([...samples.keys()].join('\n')).not.to.contain(secret)
  })

  it('answers only scrapes at the metrics port, and has no such port unless it is set', async () => {
    expect(service.metrics).to.equal(null)
    for (const [method, at] of [
      ['GET', '/'],
      ['POST', '/metrics'],
      ['GET', '/api/v1/account'],
    ] as const)
      expect((await fetch(`http://${second.metrics}${at}`, { method })).status, at).to.equal(404)
  })

  it('makes one trace of a message or a request, across all processes and up to the webhook endpoint', async () => {
    const hook = await startWebhookReceiver()
    const ctx = await contextOf(second)
    const { address, key } = await makeTenant({ ctx, http: second.http }, { name: 'traced' })
    await closeContext(ctx)
    const call = client(second.http, key)
    const events = ['message.received', 'email.delivered']
    expect((await call('POST', '/api/v1/webhooks', { url: hook.url, events })).status).to.equal(201)
    const raw = Buffer.from('From: carol@remote.test\r\nSubject: Traced\r\n\r\nHi\r\n')
    await sendMail(second.smtp, { from: 'carol@remote.test', to: address, raw })
    const mcp = await connectMcp(second.http, key)
    const mail = { to: address, subject: 'By MCP', text: 'Hi' }
    await mcp.callTool({ name: 'send_message', arguments: { mailbox: address, ...mail } })
    await mcp.close()
    expect((await call('POST', `${mailboxPath(address)}/send`, { ...mail, subject: 'By REST' })).status).to.equal(202)
    const heard = (type: string) => hook.requests.filter(({ body }) => JSON.parse(body).type === type)
    await eventually(
      'all events',
      () => heard('message.received').length === 3 && heard('email.delivered').length === 2,
    )
    /** The names of the spans from a POST to the endpoint up to the first span of its trace. */
    const pathOf = ({ headers }: Received) =>
      eventually('the spans of an event', () => {
        const [, traceId, id] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(headers.traceparent)) ?? []
        const path: string[] = []
        for (let at = id; at !== ''; ) {
          const span = collector.spans.find(({ spanId }) => spanId === at)
          if (span === undefined) return null
          expect(span.traceId).to.equal(traceId)
          path.push(`${span.service.replace('mailroom-', '')} ${span.name}`)
          at = span.parentSpanId
        }
        return path
      })
    const received = ['service webhook', 'service event', 'smtp commit']
    const paths = await Promise.all(heard('message.received').map(pathOf))
    expect(paths).to.have.deep.members([
      [...received, 'smtp receive', 'smtp SMTP transaction'],
      [...received, 'smtp delivery', 'service messages.send'],
      [...received, 'smtp delivery', 'service messages.send'],
    ])
    for (const event of heard('email.delivered'))
      expect(await pathOf(event)).to.deep.equal(['service webhook', 'service event', 'service messages.send'])
    const parse = collector.spans.filter(({ name }) => name === 'parse').map(({ parentSpanId }) => parentSpanId)
    const above = collector.spans.filter(({ spanId }) => parse.includes(spanId)).map(({ name }) => name)
    expect(above).to.include.members(['receive', 'delivery'])
    const told = JSON.stringify(collector.spans.map(({ name, attributes }) => [name, attributes]))
    for (const secret of ['traced', 'remote.test', 'acc_', 'mbx_', 'msg_', '127.0.0.1'])
      expect(told).not.to.contain(secret)
    await hook.close()
  })

  it('makes no traces without the setting', async () => {
    const ctx = await contextOf(service)
    const messages = await ctx.store.messages.find().toArray()
    const events = await ctx.store.events.find().toArray()
    expect(messages.length * events.length).to.be.above(0)
    expect([...messages, ...events].filter((doc) => 'traceparent' in doc)).to.deep.equal([])
    await closeContext(ctx)
  })

  it('refuses to run twice on one data folder, and says so; the first keeps running', async () => {
    const again = await run(['serve'], {
      MAILROOM_DATA: service.data,
      MAILROOM_HTTP_PORT: '0',
      MAILROOM_SMTP_PORT: '0',
    })
    expect(again.code).to.equal(1)
    expect(again.out).to.equal('')
    expect(again.err).to.match(
      /^engine could not start: the data folder .* is in use by another process: stop that one, or .*the setting data\)\.$/m,
    )
    expect((await fetch(`${service.http}/readyz`)).status).to.equal(200)
    const mail = Buffer.from('Subject: Still here\r\n\r\nHi\r\n')
    const { response } = await sendMail(service.smtp, {
      from: 'a@remote.test',
      to: 'postmaster@free.example',
      raw: mail,
    })
    expect(response).to.match(/^250 /)
  })

  for (const [what, put, says] of [
    [
      'cannot be opened',
      (file: string) => mkdir(file, { recursive: true }),
      'unable to open database file. Give the file and its folder to the user of the service, who must be able to write both',
    ],
    [
      'is none',
      async (file: string) => {
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, 'no database '.repeat(1_000))
      },
      'file is not a database. Put a backup in its place',
    ],
  ] as const) {
    it(`names the file of a database that ${what}, and says what to change`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-file-'))
      const data = path.join(folder, 'data')
      const file = path.join(data, 'engine', 'engine.db')
      await put(file)
      const env = { MAILROOM_DATA: data, MAILROOM_HTTP_PORT: '0', MAILROOM_SMTP_PORT: '0' }
      const { code, out, err } = await run(['serve', '--only', 'api'], env)
      await rm(folder, { recursive: true, force: true })
      expect([code, out]).to.deep.equal([1, ''])
      expect(plainLines(err)).to.deep.equal([
        `engine could not start: ${file} cannot be opened: ${says}, and start again.`,
      ])
    })
  }

  describe('refuses an unknown or invalid setting, and names it', () => {
    let folder: string
    const files = {
      'mailroom.yaml': 'http:\n  prot: 8080\n',
      'broken.yaml': 'http:\n  port: [8080\nsmtp: 3\n',
      'flat.yaml': 'http: 8080\n',
    }
    const at = (file: string) => path.join(folder, file)
    const argvOf = (file?: string) => [...(file === undefined ? [] : ['--config', at(file)]), 'serve']
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'mailroom-settings-'))
      for (const [file, text] of Object.entries(files)) await writeFile(at(file), text)
    })
    after(() => rm(folder, { recursive: true, force: true }))

    type Given = { readonly file?: string; readonly env?: { readonly [variable: string]: string } }
    const cases: readonly (readonly [what: string, given: () => Given, says: RegExp])[] = [
      ['a variable', () => ({ env: { MAILROOM_HTP_PORT: '0' } }), /MAILROOM_HTP_PORT.*Set MAILROOM_HTTP_PORT instead/],
      [
        'a port in words',
        () => ({ env: { MAILROOM_HTTP_PORT: 'eighty' } }),
        /"MAILROOM_HTTP_PORT" must be a whole number from 0 to 65535, and is text\. Give/,
      ],
      [
        'a name in the file',
        () => ({ file: 'mailroom.yaml' }),
        /Unknown setting http\.prot; known are host, port, proxies\. Write "port" instead of "prot"\./,
      ],
      ['no file', () => ({ file: 'none.yaml' }), /no settings file .*none\.yaml\. Name another/],
      [
        'a folder',
        () => ({ file: '.' }),
        /cannot be read: EISDIR: .*\. Name a file with --config that this user may read, or leave --config out\./,
      ],
      [
        'a file that is not YAML',
        () => ({ file: 'broken.yaml' }),
        /broken\.yaml cannot be read: .* at line \d+, column \d+\. Write it in YAML/,
      ],
      [
        'a value in place of names',
        () => ({ file: 'flat.yaml' }),
        /"http" has no names below it\. Write "name: value" there, with one of: host, port, proxies\./,
      ],
      ['no data folder', () => ({ env: { MAILROOM_DATA: '' } }), /"MAILROOM_DATA" is empty\./],
      ['no host', () => ({ env: { MAILROOM_HTTP_HOST: '' } }), /"MAILROOM_HTTP_HOST" is empty\./],
      [
        'a key that was not filled in',
        () => ({ env: { MAILROOM_SECRETS_MASTER_KEY: '' } }),
        /"MAILROOM_SECRETS_MASTER_KEY" must be 32 random bytes in base64 or hexadecimal digits\./,
      ],
      [
        'half a URL',
        () => ({ env: { MAILROOM_BASE_URL: 'mail.example.net' } }),
        /"MAILROOM_BASE_URL" must be an http or https URL\. Write .* such as "https:/,
      ],
      [
        'a URL whose port is none',
        () => ({ env: { MAILROOM_BASE_URL: 'https://mail.example.net:99999' } }),
        /"MAILROOM_BASE_URL" must be an http or https URL\. Write .* such as "https:\/\/mail\.example\.net"/,
      ],
      [
        'a URL without a host',
        () => ({ env: { MAILROOM_BLOBS_ENDPOINT: 'http://' } }),
        /"MAILROOM_BLOBS_ENDPOINT" must be an http or https URL\. Write .* such as "https:\/\/objects\.example\.net"/,
      ],
      [
        'a domain in capitals',
        () => ({ env: { MAILROOM_SHARED_DOMAIN: 'Agents.example.net' } }),
        /"MAILROOM_SHARED_DOMAIN" must be a domain name in lower case\. Write .* such as "agents\.example\.net"/,
      ],
      [
        'a host with a longer name than the DNS has',
        () => ({ env: { MAILROOM_HOSTNAME: `${'a.'.repeat(120)}example.net` } }),
        /"MAILROOM_HOSTNAME" .*at most 249 characters/,
      ],
      [
        'a host with a longer label than the DNS has',
        () => ({ env: { MAILROOM_HOSTNAME: `${'a'.repeat(64)}.example.net` } }),
        /"MAILROOM_HOSTNAME" must be the name of a host\. Write .* such as "mail\.example\.net"/,
      ],
      [
        'one value for a list',
        () => ({ env: { MAILROOM_RESOLVER: '192.0.2.53:53' } }),
        /"MAILROOM_RESOLVER" must be a list, and is text\. Write it as MAILROOM_RESOLVER='\[first, second\]'\./,
      ],
      [
        'an invalid port',
        () => ({ env: { MAILROOM_RESOLVER: '["192.0.2.53:65536"]' } }),
        /"MAILROOM_RESOLVER\[0\]" must be a host and its port\./,
      ],
      [
        'nothing where something is needed',
        () => ({ env: { MAILROOM_OUTBOUND_CONCURRENCY: '0' } }),
        /"MAILROOM_OUTBOUND_CONCURRENCY" must be a whole number of at least 1/,
      ],
      [
        'a wait that no timer holds, which would be over at once',
        () => ({ env: { MAILROOM_OUTBOUND_REPLY_SECONDS: '2147484' } }),
        /"MAILROOM_OUTBOUND_REPLY_SECONDS" must be a whole number from 1 to 2073600; this is too high\. Lower/,
      ],
      [
        'no time to answer in',
        () => ({ env: { MAILROOM_CLAMAV_TIMEOUT_MS: '0' } }),
        /"MAILROOM_CLAMAV_TIMEOUT_MS" must be a whole number from 1 to 2073600000; this is too low\. Raise/,
      ],
      [
        'days that lead out of all dates',
        () => ({ env: { MAILROOM_KEEP_DISCARDED_DAYS: '200000000' } }),
        /"MAILROOM_KEEP_DISCARDED_DAYS" must be a whole number from 0 to 36500; this is too high\. Lower/,
      ],
      [
        'a data folder that is a file',
        () => ({ env: { MAILROOM_DATA: at('mailroom.yaml') } }),
        /The folder .*mailroom\.yaml cannot be made \(EEXIST\)\. Make it .* or set MAILROOM_DATA/,
      ],
      [
        'a host of another machine',
        () => ({ env: { MAILROOM_SMTP_PORT: '0', MAILROOM_SMTP_HOST: 'none.invalid' } }),
        /smtp\.host is none\.invalid, where this machine cannot listen \(.*\)\. Set smtp\.host to an address of this machine/,
      ],
      [
        'two doors with one port',
        () => ({ env: { MAILROOM_SMTP_PORT: '2600', MAILROOM_IMAPS_PORT: '2600' } }),
        /^smtp\.port and imaps\.port are both 2600\. Give each a port of its own\.$/m,
      ],
    ]
    for (const [what, given, says] of cases)
      it(what, async () => {
        const { file, env } = given()
        let [out, err] = ['', '']
        const code = await runCommand(argvOf(file), {
          env: { ...process.env, MAILROOM_DATA: at('data'), ...env },
          out: (text) => {
            out += text
          },
          err: (text) => {
            err += text
          },
        })
        expect([code, out]).to.deep.equal([1, ''])
        expect(err.trim().split('\n'), err).to.have.length(1)
        expect(err).to.match(says)
        expect((await readdir(folder)).sort()).to.deep.equal(Object.keys(files).sort())
      })

    it('when run as a program', async () => {
      const { code, out, err } = await run(argvOf('flat.yaml'), {})
      expect([code, out]).to.deep.equal([1, ''])
      expect(err).to.match(/"http" has no names below it/)
    })
  })

  /** Starts parts that cannot listen, on a database in the engine of the second service. Returns what they print. */
  const refused = async (part: string, env: Record<string, string>): Promise<readonly string[]> => {
    const MONGODB_URL = engineUrl(second.data).replace(/mailroom$/, 'unheard')
    const ports = { MAILROOM_HTTP_PORT: '0', MAILROOM_SMTP_PORT: '0' }
    const { code, out, err } = await run(['serve', '--only', part], {
      MAILROOM_DATA: unheard,
      MONGODB_URL,
      ...ports,
      ...env,
    })
    expect([code, out]).to.deep.equal([1, ''])
    return plainLines(err)
  }

  for (const [part, name, setting, variable] of [
    ['api', 'service', 'http.port', 'MAILROOM_HTTP_PORT'],
    ['smtp', 'smtp', 'submissions.port', 'MAILROOM_SUBMISSIONS_PORT'],
    ['api', 'metrics', 'metrics.port', 'MAILROOM_METRICS_PORT'],
    ['imap', 'imap', 'imap.port', 'MAILROOM_IMAP_PORT'],
    ['dns', 'dns', 'dns.port', 'MAILROOM_DNS_PORT'],
  ] as const)
    it(`says which port is taken, and what to change: ${name}`, async () => {
      const taken = createServer()
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
      const { port } = taken.address() as { port: number }
      try {
        expect(await refused(part, { [variable]: String(port) })).to.deep.equal([
          `${name} could not start: ${setting} is ${port}, which another program uses on 127.0.0.1 (EADDRINUSE). ` +
            `End that program, or set ${setting} (${variable}) to another port; 0 means any free one.`,
        ])
      } finally {
        taken.close()
      }
    })

  for (const [part, name, setting, variable] of [
    ['api', 'service', 'http.host', 'MAILROOM_HTTP_HOST'],
    ['smtp', 'smtp', 'smtp.host', 'MAILROOM_SMTP_HOST'],
    ['dns', 'dns', 'dns.host', 'MAILROOM_DNS_HOST'],
  ] as const)
    it(`says which host has no address here, and what to change: ${setting}`, async () => {
      const [line = '', ...others] = await refused(part, {
        MAILROOM_HTTP_PORT: '2601',
        MAILROOM_SMTP_PORT: '2602',
        [variable]: 'none.invalid',
      })
      expect(others).to.deep.equal([])
      expect(line).to.match(
        /^\w+ could not start: ([\w.]+) is none\.invalid, where this machine cannot listen \(\w+\)\. Set \1 to an address of this machine/,
      )
      expect(line).to.match(new RegExp(`^${name} could not start: ${setting} `))
    })

  for (const part of ['api', 'smtp'] as const) {
    it(`names the database that refuses its login, without the password: ${part}`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-nobody-'))
      const { code, err } = await run(['serve', '--only', part], {
        MAILROOM_DATA: folder,
        MAILROOM_HTTP_PORT: '0',
        MAILROOM_SMTP_PORT: '0',
        MONGODB_URL: 'mongodb://user:secret@127.0.0.1:1/mailroom?unknown=1',
      })
      expect(code).to.equal(1)
      expect(err)
        .to.match(
          /^\w+ could not start: The database at 127\.0\.0\.1:1 cannot be used: .* Check that the database is running there .*\.$/m,
        )
        .and.not.include('secret')
      await rm(folder, { recursive: true, force: true })
    })
  }

  it('SIGINT and SIGTERM end it with status 0 while clients are connected or stop in the middle of a message, and then nothing listens', async () => {
    const idle = await Promise.all([service, second].map(({ smtp }) => openSession(smtp)))
    const stalled = await SmtpClient.hello(second.smtp)
    await stalled.data(['postmaster@agents.localhost'])
    stalled.write('Subject: never ends')
    const started = Date.now()
    service.process.kill('SIGINT')
    const codes = await Promise.all([new Promise((resolve) => service.process.once('exit', resolve)), second.stop()])
    expect(codes).to.deep.equal([0, 0])
    // An idle session may last five minutes.
    expect(Date.now() - started).to.be.lessThan(100_000)
    expectNoSecret(service.logs())
    // This includes the logs of all processes at every level, from start to end.
    for (const each of [service, second]) {
      expect(plainLines(each.logs())).to.deep.equal([])
      expect(each.logs()).not.to.include('did not stop in time')
    }
    for (const socket of idle) socket.destroy()
    stalled.destroy()
    for (const address of [service.smtp, second.smtp, service.http.slice(7), second.http.slice(7)]) {
      const refused = await openSession(address).catch((error: NodeJS.ErrnoException) => error.code)
      expect(refused, address).to.equal('ECONNREFUSED')
    }
  })

  for (const part of ['smtp', 'imap'] as const) {
    it(`SIGTERM ends it while it starts and waits for its database: ${part}`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-starting-'))
      const silent = createServer()
      const asked = once(silent, 'connection')
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const { port } = silent.address() as { port: number }
      try {
        const starting = begin(['serve', '--only', part], {
          MAILROOM_DATA: folder,
          MAILROOM_HTTP_PORT: '0',
          MAILROOM_SMTP_PORT: '0',
          MONGODB_URL: `mongodb://127.0.0.1:${port}/mailroom`,
        })
        await asked
        starting.child.kill('SIGTERM')
        const { code, out, err } = await starting.ended
        expect([code, out]).to.deep.equal([0, ''])
        // No process waited for the database until its timeout.
        expect(err).not.to.match(/did not stop in time|MongoServerSelectionError/)
      } finally {
        silent.close()
        await rm(folder, { recursive: true, force: true })
      }
    })
  }

  it('started by npm start, ends with npm', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'mailroom-npm-'))
    const ports = { MAILROOM_HTTP_PORT: '0', MAILROOM_SMTP_PORT: '0' }
    const npm = spawn('npm', ['start'], {
      cwd: path.dirname(path.dirname(bin)),
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...ports, MAILROOM_DATA: data, MAILROOM_LOG_LEVEL: 'warn' },
    })
    try {
      const ready = await eventually('it is ready', readyLine(npm))
      npm.kill('SIGTERM')
      const address = ready.http.slice(7)
      const isGone = () =>
        openSession(address).then(
          (socket) => !socket.destroy(),
          () => true,
        )
      await eventually('nothing listens any more', isGone)
    } finally {
      // The engine stops last.
      await rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
    }
  })

  describe('started again on its data', () => {
    const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))
    let again: Service
    before(async () => {
      const env = { MAILROOM_SHARED_DOMAIN: 'free.example', ...(hasIpv6 && { MAILROOM_HTTP_HOST: '::1' }) }
      again = await startService({ data: service.data, env, only: 'api' })
    })
    after(async () => {
      expect(await again?.stop()).to.equal(0)
    })

    it('continues where it stopped', async () => {
      const [key] = secrets
      const { body } = await client(again.http, key)<{ mailboxes: Json[] }>('GET', '/api/v1/mailboxes')
      expect(body.mailboxes).to.have.length(1)
    })

    it('prints an IPv6 address that it listens on in URL form', async function () {
      if (!hasIpv6) this.skip()
      expect(again.http).to.match(/^http:\/\/\[::1\]:\d+$/)
      const { body } = await client(again.http)<Json>('POST', '/api/v1/signup', { name: 'six' })
      expect(body.mcp_url).to.equal(again.mcp)
    })
  })

  it('continues with its database after that has moved: no accepted message is missing or stored twice', async () => {
    const elsewhere = await startEngine()
    const moving = await startService({ data: second.data })
    const { body: signup } = await client(moving.http)<Json>('POST', '/api/v1/signup', { name: 'moving' })
    const { address, api_key: key } = signup as { readonly address: string; readonly api_key: string }
    const accepted: string[] = []
    let going = true
    const sending = (async () => {
      for (let n = 0; going; n++) {
        const raw = Buffer.from(`From: a@example.org\r\nTo: ${address}\r\nSubject: letter ${n}\r\n\r\n${n}\r\n`)
        await sendMail(moving.smtp, { from: 'a@example.org', to: address, raw }).then(
          () => accepted.push(`letter ${n}`),
          () => sleep(100),
        )
        await sleep(20)
      }
    })()
    const to = `mongodb://${encodeURIComponent(elsewhere.socket)}/mailroom`
    const { code, out, err } = await run(['db', 'move', to], { MAILROOM_DATA: moving.data })
    expect(code, err).to.equal(0)
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).to.include({ moved: true })
    const before = accepted.length
    await eventually('mail after the move', async () => accepted.length > before + 3)
    going = false
    await sending
    const call = client(moving.http, key)
    const list = () => call<{ messages: { subject: string }[] }>('GET', `${mailboxPath(address)}/messages?limit=100`)
    const subjects = await eventually('the mail is listed', async () => {
      // The parts of the service start one after the other.
      const answer = await list().catch(() => null)
      return answer?.status === 200 ? answer.body.messages.map(({ subject }) => subject) : null
    })
    expect(subjects.filter((subject) => subject.startsWith('letter')).toSorted()).to.include.members(
      accepted.slice(-80),
    )
    expect(new Set(subjects).size).to.equal(subjects.length)
    expect(await elsewhere.client.db('mailroom').collection('messages').countDocuments()).to.be.at.least(
      accepted.length,
    )
    // The processes from before the move are gone, so a rotation of the master key waits for none of them.
    const holders = await elsewhere.client
      .db('mailroom')
      .collection('keyHolders')
      .find({ role: { $ne: 'admin' } })
      .toArray()
    expect(holders.map(({ role }) => role).toSorted()).to.deep.equal(['service', 'smtp'])
    const rotated = await run(['secrets', 'rotate'], { MAILROOM_DATA: moving.data })
    expect(rotated.code, rotated.err).to.equal(0)
    // Node prints its version after an uncaught error.
    expect(moving.logs()).not.to.match(/^Node\.js v/m)
    await moving.stop()
    await elsewhere.stop()
  })
})

/** Returns a function that gives the ready line of a process; null until it is printed. */
function readyLine({ stdout }: ChildProcess): () => Promise<ReadyLine | null> {
  let text = ''
  stdout?.on('data', (piece: Buffer) => {
    text += piece.toString()
  })
  return async () => {
    const line = text.split('\n').find((each) => each.startsWith('{"ready":true') && each.endsWith('}'))
    return line === undefined ? null : (JSON.parse(line) as ReadyLine)
  }
}

function openSession(address: string): Promise<ReturnType<typeof connect>> {
  const [host, port] = address.split(':')
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port) })
    socket.once('error', reject).once('connect', () => resolve(socket))
  })
}

async function greeting(address: string): Promise<string> {
  const socket = await openSession(address)
  const [text] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return text.toString()
}

async function startTls(address: string): Promise<{ subject: string; altNames: string; protocol: string | null }> {
  const socket = await openSession(address)
  let heard = ''
  socket.on('data', (text: Buffer) => {
    heard += text.toString()
  })
  const say = async (line: string, answer: RegExp) => {
    if (line !== '') socket.write(`${line}\r\n`)
    await eventually(`${answer} in ${heard}`, async () => answer.test(heard))
    heard = ''
  }
  await say('', /^220 /m)
  await say('EHLO client.test', /^250 /m)
  await say('STARTTLS', /^220 /m)
  socket.removeAllListeners('data')
  const secure = connectTls({ socket, rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  const { subject, subjectaltname } = secure.getPeerCertificate()
  const protocol = secure.getProtocol()
  secure.destroy()
  return { subject: String(subject.CN), altNames: subjectaltname ?? '', protocol }
}
