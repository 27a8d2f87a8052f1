import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request as askHttp, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
/** The transport: revisions beside each other on one endpoint, what is refused, streams, and questions to a person. */
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as CurrentStdio } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { announceArrivals } from '../../core/receive/announce.ts'
import { toldOf } from '../documents.ts'
import { eventually } from '../eventually.ts'
import { openFaultyGateway } from '../peers/faulty-gateway.ts'
import type { Json } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant, watchWaits } from '../start/door.ts'

const current = '2026-07-28'
const meta = (declared: Json = {}): Json => ({
  'io.modelcontextprotocol/protocolVersion': current,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': declared,
})
const asksForms = { elicitation: { form: {} } }

type Progress = { readonly progress: number; readonly total?: number }
type Told = { readonly status: number; readonly headers: Headers; readonly body: Answer }
type Answer = {
  readonly id?: unknown
  readonly result: Json & {
    readonly structuredContent?: Json
    readonly inputRequests?: Json
    readonly requestState?: string
  }
  readonly error: { readonly code: number; readonly message: string; readonly data?: Json }
}

describe('mcp protocol', () => {
  let door: Door
  let tenant: Tenant
  let closing: (() => Promise<unknown>)[] = []

  before(async () => {
    door = await openDoor({ progressMs: 20 })
    tenant = await makeTenant(door, { name: 'tenant' })
  })
  afterEach(async () => {
    await Promise.all(closing.map((close) => close()))
    closing = []
  })
  after(() => door?.close())

  const post = (
    body: unknown,
    headers: Record<string, string> = {},
    { key = tenant.key, signal }: { key?: string; signal?: AbortSignal } = {},
  ) =>
    fetch(`${door.http}/api/mcp`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: signal ?? null,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key,
        ...headers,
      },
    })
  const tell = async (...given: Parameters<typeof post>): Promise<Told> => {
    const response = await post(...given)
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer }
  }
  const headersOf = (method: string, params: Json): Record<string, string> => {
    const name = params.name ?? params.uri
    return {
      'mcp-protocol-version': current,
      'mcp-method': method,
      ...(typeof name === 'string' &&
        ['tools/call', 'prompts/get', 'resources/read'].includes(method) && { 'mcp-name': name }),
    }
  }
  /** A request of the newest revision. */
  const ask = (method: string, params: Json = {}, { declared = {}, id = 7 }: { declared?: Json; id?: unknown } = {}) =>
    tell({ jsonrpc: '2.0', id, method, params: { _meta: meta(declared), ...params } }, headersOf(method, params))

  describe('2026-07-28', () => {
    it('says what it is', async () => {
      const { status, body } = await ask('server/discover')
      expect(status).to.equal(200)
      expect(body.result).to.deep.include({
        supportedVersions: [current],
        resultType: 'complete',
        cacheScope: 'private',
      })
      expect(body.result.capabilities).to.have.keys('tools', 'resources', 'prompts', 'completions')
      const info = (body.result._meta as Json)['io.modelcontextprotocol/serverInfo'] as Json
      expect(info).to.include({ name: 'mailroom', title: 'Mailroom', websiteUrl: door.ctx.baseUrl })
      const [icon] = info.icons as Json[]
      const picture = await fetch(String(icon?.src).replace(door.ctx.baseUrl, door.http))
      expect([picture.status, picture.headers.get('content-type')]).to.deep.equal([200, 'image/svg+xml; charset=utf-8'])
    })

    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
      it(`${method} says how long it lasts, and is the same each time`, async () => {
        const { body } = await ask(method)
        expect(body.result).to.include({ resultType: 'complete', cacheScope: 'private' })
        expect(body.result.ttlMs).to.be.a('number')
        expect((await ask(method)).body).to.deep.equal(body)
      })

    const plain = { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { _meta: meta() } }
    const call = { ...plain, method: 'tools/call', params: { name: 'list_mailboxes', arguments: {}, _meta: meta() } }
    const refused: readonly (readonly [string, unknown, Record<string, string>, number, number])[] = [
      ['no Mcp-Method', plain, { 'mcp-protocol-version': current }, 400, -32020],
      ['another Mcp-Method', plain, { 'mcp-protocol-version': current, 'mcp-method': 'ping' }, 400, -32020],
      [
        'another version in the header',
        plain,
        { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'tools/list' },
        400,
        -32020,
      ],
      ['no Mcp-Name', call, { 'mcp-protocol-version': current, 'mcp-method': 'tools/call' }, 400, -32020],
      [
        'another Mcp-Name',
        call,
        { 'mcp-protocol-version': current, 'mcp-method': 'tools/call', 'mcp-name': 'send_message' },
        400,
        -32020,
      ],
      [
        'an unknown version',
        { ...plain, params: { _meta: { ...meta(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } } },
        { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' },
        400,
        -32022,
      ],
      [
        'no _meta',
        { ...plain, params: {} },
        { 'mcp-protocol-version': current, 'mcp-method': 'tools/list' },
        400,
        -32602,
      ],
      ...['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'tasks/get', 'no/such'].map(
        (method): [string, unknown, Record<string, string>, number, number] => [
          `the method ${method}`,
          { ...plain, method },
          { 'mcp-protocol-version': current, 'mcp-method': method },
          404,
          -32601,
        ],
      ),
      ['a batch', [plain], { 'mcp-protocol-version': current, 'mcp-method': 'tools/list' }, 400, -32600],
      [
        'arguments that are none',
        { ...call, params: { ...call.params, arguments: [] } },
        { 'mcp-protocol-version': current, 'mcp-method': 'tools/call', 'mcp-name': 'list_mailboxes' },
        400,
        -32602,
      ],
    ]
    for (const [name, body, headers, status, code] of refused)
      it(`${name}: ${status}, ${code}`, async () => {
        const told = await tell(body, headers)
        expect([told.status, told.body.error.code]).to.deep.equal([status, code])
        expect(told.body.id).to.equal(Array.isArray(body) ? null : 'a')
        expect(told.body.error.message).not.to.match(/zod|expected object|invalid_type/i)
      })

    it('a name that no header can have is encoded', async () => {
      const name = 'l\u00ebs_mailboxes'
      const header = `=?base64?${Buffer.from(name).toString('base64')}?=`
      const body = { ...call, params: { ...call.params, name } }
      const told = await tell(body, { 'mcp-protocol-version': current, 'mcp-method': 'tools/call', 'mcp-name': header })
      expect(told.body.error).to.include({ code: -32602, message: `There is no tool ${name}.` })
    })
  })

  const malformed: readonly (readonly [string, string, Json])[] = [
    ['a call of nothing', 'tools/call', {}],
    ['a call whose name is a number', 'tools/call', { name: 1 }],
    ['a resource without an address', 'resources/read', {}],
    ['a prompt whose argument is an object', 'prompts/get', { name: 'triage_inbox', arguments: { mailbox: {} } }],
    ['a completion of nothing', 'completion/complete', { ref: { type: 'ref/prompt', name: 'x' } }],
    [
      'a completion of no prompt',
      'completion/complete',
      { ref: { type: 'ref/prompt' }, argument: { name: 'mailbox', value: '' } },
    ],
    [
      'a completion of no resource',
      'completion/complete',
      { ref: { type: 'ref/resource', name: 'x' }, argument: { name: 'address', value: '' } },
    ],
    ['a call whose task is a number', 'tools/call', { name: 'list_mailboxes', task: 5 }],
    ['a cursor that is a number', 'resources/list', { cursor: 1 }],
    ['a cursor of a list that comes whole', 'tools/list', { cursor: 'none' }],
  ]
  for (const [name, method, params] of malformed)
    it(`${name} is refused in words of ours, in each revision`, async () => {
      const now = await ask(method, params)
      const before = await tell({ jsonrpc: '2.0', id: 7, method, params })
      expect([now.status, before.status]).to.deep.equal([400, 200])
      for (const { body } of [now, before]) {
        expect([body.id, body.error.code]).to.deep.equal([7, -32602])
        expect(body.error.data).to.include({ code: 'validation_error' })
        expect(body.error.message).to.match(/^"params[."]/)
      }
    })

  const plain = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta() } }
  const noMessages: readonly (readonly [string, unknown, string])[] = [
    ['a fraction as id', { ...plain, id: 1.5 }, 'message.id'],
    ['no value as id', { ...plain, id: null }, 'message.id'],
    ['another version of JSON-RPC', { ...plain, jsonrpc: '1.0' }, 'message.jsonrpc'],
    ['a method that is a number', { ...plain, method: 7 }, 'message.method'],
    ['no method', { jsonrpc: '2.0', id: 7 }, 'message.method'],
    ['a list as parameters', { ...plain, method: 'ping', params: [] }, 'message.params'],
    ['a text', 'tools/list', 'message'],
  ]
  for (const [name, message, param] of noMessages)
    it(`${name} is no message, in each revision, and it is said why`, async () => {
      for (const headers of [undefined, headersOf('tools/list', {})]) {
        const { status, body } = await tell(JSON.stringify(message), headers)
        expect([status, body.error.code], JSON.stringify(body)).to.deep.equal([400, -32600])
        expect(body.error.data).to.include({ code: 'validation_error', param })
      }
    })

  it('a token of progress that is an object is named', async () => {
    const { status, body } = await tell({ ...plain, params: { _meta: { progressToken: {} } } })
    expect([status, body.error.code, body.id]).to.deep.equal([400, -32600, 7])
    expect(body.error.data).to.include({ param: 'message.params._meta.progressToken' })
  })

  it('a cursor of no page is named as its client named it', async () => {
    const { body } = await ask('resources/list', { cursor: 'none' })
    expect(body.error.code).to.equal(-32602)
    expect(body.error.data).to.include({ code: 'validation_error', param: 'params.cursor' })
  })

  const clientInfo = { name: 'test', version: '1' }
  const beginnings: readonly (readonly [string, Json, string])[] = [
    ['a revision that is a number', { protocolVersion: 7, capabilities: {}, clientInfo }, 'params.protocolVersion'],
    ['no capabilities', { protocolVersion: '2025-11-25', clientInfo }, 'params.capabilities'],
    [
      'a capability that is a number',
      { protocolVersion: '2025-11-25', capabilities: { elicitation: 5 }, clientInfo },
      'params.capabilities.elicitation',
    ],
    [
      'a client without a name',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} },
      'params.clientInfo.name',
    ],
    [
      'an icon that is a number',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { ...clientInfo, icons: [5] } },
      'params.clientInfo.icons[0]',
    ],
    [
      'a way to show forms that is a text',
      { protocolVersion: '2025-11-25', capabilities: { elicitation: { form: { applyDefaults: 'x' } } }, clientInfo },
      'params.capabilities.elicitation.form.applyDefaults',
    ],
    [
      'tasks that are a number',
      { protocolVersion: '2025-11-25', capabilities: { tasks: { requests: 5 } }, clientInfo },
      'params.capabilities.tasks.requests',
    ],
  ]
  for (const [name, params, param] of beginnings)
    it(`a session does not begin with ${name}`, async () => {
      const { headers, body } = await tell({ jsonrpc: '2.0', id: 7, method: 'initialize', params })
      expect([body.id, body.error.code]).to.deep.equal([7, -32602])
      expect(body.error.data).to.include({ code: 'validation_error', param })
      expect(headers.has('mcp-session-id')).to.equal(false)
    })

  it('batches ended with revision 2025-06-18', async () => {
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'ping' }]
    expect((await post(batch)).status).to.equal(200)
    expect((await post(batch, { 'mcp-protocol-version': '2025-03-26' })).status).to.equal(200)
    for (const version of ['2025-06-18', '2025-11-25']) {
      const { status, body } = await tell(batch, { 'mcp-protocol-version': version })
      expect([status, body.error.code]).to.deep.equal([400, -32600])
    }
  })

  it('too many requests are told in the protocol: of a call in its result, of all else with 429', async () => {
    const slow = await makeTenant(door, { name: 'slow', agentsPlan: 'free', plan: null })
    const list = (method: string, params: Json) =>
      tell({ jsonrpc: '2.0', id: 'x', method, params }, {}, { key: slow.key })
    let told = await list('prompts/list', {})
    for (let n = 0; n < 700 && told.status === 200; n++) told = await list('prompts/list', {})
    expect([told.status, told.body.id, told.body.error.data?.code]).to.deep.equal([429, 'x', 'rate_limited'])
    expect(Number(told.headers.get('retry-after'))).to.be.within(1, 60)
    const call = await list('tools/call', { name: 'list_mailboxes', arguments: {} })
    expect([call.status, call.body.result.isError]).to.deep.equal([200, true])
    expect(call.body.result.structuredContent).to.include({ code: 'rate_limited' })
    expect(call.body.result.structuredContent?.retryAfter).to.be.within(1, 60)
  })

  describe('official clients', () => {
    const url = () => new URL('/api/mcp', door.http)
    const requestInit = () => ({ headers: { authorization: `Bearer ${tenant.key}` } })

    async function connectCurrent() {
      const client = new CurrentClient(
        { name: 'test', version: '1' },
        { capabilities: {}, versionNegotiation: { mode: { pin: current } } },
      )
      await client.connect(new CurrentTransport(url(), { requestInit: requestInit() }))
      closing.push(() => client.close())
      return client
    }
    async function connectEarlier(capabilities: Json = {}) {
      const client = new EarlierClient({ name: 'test', version: '1' }, { capabilities })
      await client.connect(new EarlierTransport(url(), { requestInit: requestInit() }))
      closing.push(() => client.close())
      return client
    }

    it('of the newest revision: tools, resources, prompts, completion', async () => {
      const client = await connectCurrent()
      expect((await client.listTools()).tools.length).to.be.above(30)
      expect((await client.listResources()).resources.map(({ name }) => name)).to.include(tenant.address)
      expect((await client.listPrompts()).prompts.map(({ name }) => name)).to.include('triage_inbox')
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'triage_inbox' },
        argument: { name: 'mailbox', value: 'AGENT' },
      })
      expect(completion.values).to.deep.equal([tenant.address])
      const result = await client.callTool({ name: 'list_mailboxes', arguments: {} })
      expect(result.structuredContent).to.include({ success: true })
    })

    it('of the one before: the same', async () => {
      const client = await connectEarlier()
      expect(client.getServerVersion()).to.include({ name: 'mailroom', title: 'Mailroom' })
      expect((await client.listTools()).tools.length).to.be.above(30)
      expect((await client.listResourceTemplates()).resourceTemplates).to.have.length(4)
      const { messages } = await client.getPrompt({ name: 'triage_inbox', arguments: { mailbox: tenant.address } })
      expect(messages.map(({ content }) => content.type)).to.deep.equal(['text', 'resource_link'])
    })

    for (const [name, connect] of [
      ['newest', () => connectCurrent()],
      ['earlier', () => connectEarlier()],
    ] as const)
      it(`${name}: a wait tells that it goes on, and ends with its mail`, async () => {
        const client = await connect()
        const heard: number[] = []
        const { entered } = watchWaits(door.ctx)
        const waiting = client.callTool(
          { name: 'wait_for_message', arguments: { mailbox: tenant.address, timeout: 50 } },
          // The earlier client takes the schema of the result second.
          ...((name === 'newest' ? [] : [undefined]) as []),
          { onprogress: ({ progress, total }: Progress) => heard.push(progress, Number(total)) } as never,
        )
        await eventually('it tells', () => entered() > 0 && heard.length >= 4)
        const id = await deliver(door.ctx, { to: tenant.address, raw: `Subject: ${name}\n\nhere\n` })
        const { structuredContent } = await waiting
        expect((structuredContent as { message: Json }).message).to.include({ message_id: id })
        expect(heard.filter((_, n) => n % 2 === 0)).to.deep.equal(
          heard.filter((_, n) => n % 2 === 0).toSorted((a, b) => a - b),
        )
        expect(heard[1]).to.equal(50)
      })

    it('a person is asked before a mail to a stranger, in the earlier revision too', async () => {
      const client = await connectEarlier(asksForms)
      const asked: string[] = []
      let answer: Json = { action: 'decline' }
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message)
        return answer as never
      })
      const letter = { mailbox: tenant.address, to: 'first@remote.example', subject: 'Hi', text: 'Hello' }
      const send = async () => (await client.callTool({ name: 'send_message', arguments: letter })) as Answer['result']
      expect((await send()).structuredContent).to.include({ code: 'forbidden' })
      answer = { action: 'accept', content: { confirm: true } }
      expect((await send()).structuredContent).to.include({ success: true, status: 'queued' })
      expect(asked).to.deep.equal(
        Array(2).fill(`${tenant.address} has never exchanged mail with first@remote.example. Send this mail to them?`),
      )
    })

    it('a call that is cancelled while a person is asked does nothing, whatever the person answers', async () => {
      const initialize = {
        protocolVersion: '2025-11-25',
        capabilities: asksForms,
        clientInfo: { name: 't', version: '1' },
      }
      const begun = await tell({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initialize })
      const session = {
        'mcp-session-id': String(begun.headers.get('mcp-session-id')),
        'mcp-protocol-version': '2025-11-25',
      }
      const letter = { mailbox: tenant.address, to: 'stopped@remote.example', subject: 'Hi', text: 'Stopped' }
      const params = { name: 'send_message', arguments: letter }
      const stream = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session)
      let told = ''
      const whole = (async () => {
        for await (const chunk of stream.body!) told += Buffer.from(chunk).toString()
      })()
      await eventually('the person is asked', () => told.includes('elicitation/create'))
      const { id } = JSON.parse(/^data: (.*elicitation.*)$/m.exec(told)?.[1] ?? '{}')
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
      const yes = { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } }
      for (const message of [cancel, yes]) expect((await post(message, session)).status).to.equal(202)
      await whole
      expect(told).not.to.include('structuredContent')
      expect(await door.ctx.store.emails.countDocuments({ 'recipients.email': letter.to })).to.equal(0)
    })
  })

  describe('mailroom mcp', () => {
    const program = { command: process.execPath, args: ['cli/main.ts', 'mcp'], stderr: 'pipe' as const }
    const environment = (key: string, url = door.http) =>
      ({ ...process.env, MAILROOM_URL: url, MAILROOM_API_KEY: key }) as Record<string, string>
    const letter = (to: string) => ({ mailbox: tenant.address, to, subject: 'Hi', text: 'Hello' })

    it('carries the newest revision: calls, questions, subscriptions and what is cancelled', async () => {
      const client = new CurrentClient(
        { name: 'test', version: '1' },
        { capabilities: asksForms, versionNegotiation: { mode: { pin: current } } },
      )
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }))
      await client.connect(new CurrentStdio({ ...program, env: environment(tenant.key) }))
      closing.push(() => client.close())
      expect((await client.listTools()).tools.length).to.be.above(30)
      const sent = await client.callTool({ name: 'send_message', arguments: letter('stdio@remote.example') })
      expect(sent.structuredContent).to.include({ success: true, status: 'queued' })
      const uri = `mailroom://mailbox/${encodeURIComponent(tenant.address)}`
      const heard: string[] = []
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
      const listening = await client.listen({ resourceSubscriptions: [uri] })
      const { entered } = watchWaits(door.ctx)
      const own = new AbortController()
      const params = { name: 'wait_for_message', arguments: { mailbox: tenant.address, timeout: 55 } }
      const waiting = client.callTool(params, { signal: own.signal }).catch((error: unknown) => error)
      await eventually('it waits', () => entered() === 1)
      own.abort()
      expect(await waiting).to.be.an('error')
      await eventually('it hears', async () => {
        const id = await deliver(door.ctx, { to: tenant.address, raw: `Subject: s\n\n${Math.random()}\n` })
        await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
        return heard.includes(uri)
      })
      await listening.close()
    })

    it('is started as its page says, in whatever folder a client does that', async () => {
      const samples = [...(await readFile('docs/mcp.md', 'utf8')).matchAll(/^```json\n([\s\S]*?)^```$/gm)]
      const settings = samples.map(([, json = '']) => JSON.parse(json).mcpServers?.mailroom)
      const { command, args } = settings.find((each) => each?.command !== undefined)
      const cwd = await mkdtemp(path.join(tmpdir(), 'mailroom-elsewhere-'))
      const own = args.map((argument: string) => argument.replace('/srv/mailroom', process.cwd()))
      const client = new CurrentClient({ name: 'test', version: '1' })
      await client.connect(new CurrentStdio({ command, args: own, cwd, env: environment(tenant.key), stderr: 'pipe' }))
      closing.push(
        () => client.close(),
        () => rm(cwd, { recursive: true }),
      )
      expect((await client.listTools()).tools.length).to.be.above(30)
    })

    it('carries the revisions before, and tells a refusal in the protocol', async () => {
      const client = new EarlierClient({ name: 'test', version: '1' })
      await client.connect(new EarlierStdio({ ...program, env: environment(tenant.key) }))
      closing.push(() => client.close())
      expect((await client.listTools()).tools.length).to.be.above(30)
      for (const [env, said] of [
        [environment('svc_live_wrong'), 'key'],
        [environment(tenant.key, 'http://127.0.0.1:1'), 'http://127.0.0.1:1/ does not answer'],
      ] as const) {
        const refused = new EarlierClient({ name: 'test', version: '1' })
        const failure = await refused.connect(new EarlierStdio({ ...program, env })).catch((error: unknown) => error)
        expect(String(failure)).to.include(said)
        await refused.close()
      }
    })

    it('tells of a call whose stream is cut before the answer', async () => {
      const gateway = await openFaultyGateway(door.http)
      closing.push(() => gateway.close())
      const env = environment(tenant.key, gateway.http)
      const earlier = new EarlierClient({ name: 'test', version: '1' })
      await earlier.connect(new EarlierStdio({ ...program, env }))
      const newest = new CurrentClient(
        { name: 'test', version: '1' },
        { versionNegotiation: { mode: { pin: current } } },
      )
      await newest.connect(new CurrentStdio({ ...program, env }))
      closing.push(() => Promise.all([earlier.close(), newest.close()]))
      const params = { name: 'wait_for_message', arguments: { mailbox: tenant.address, timeout: 55 } }
      const goOn = new Set<string>()
      const options = (name: string) => ({ onprogress: () => void goOn.add(name), timeout: 20_000 })
      const calls = [
        earlier.callTool(params, undefined, options('earlier')),
        newest.callTool(params, options('newest')),
      ].map((call) => call.catch(String))
      await eventually('both go on', () => goOn.size === 2)
      gateway.cut()
      for (const told of await Promise.all(calls)) expect(told).to.include('was cut before the answer')
      expect((await earlier.listTools()).tools.length).to.be.above(30)
    })

    it('goes on to watch after a service that was away and started again', async () => {
      const gateway = await openFaultyGateway(door.http)
      const restarted = await door.another()
      const client = new EarlierClient({ name: 'test', version: '1' })
      const heard: string[] = []
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
      await client.connect(new EarlierStdio({ ...program, env: environment(tenant.key, gateway.http) }))
      closing.push(
        () => client.close(),
        () => gateway.close(),
        () => restarted.close(),
      )
      const hears = (at: Pick<Door, 'ctx'>) =>
        eventually('it hears', async () => {
          const id = await deliver(at.ctx, { to: tenant.address, raw: `Subject: s\n\n${Math.random()}\n` })
          await announceArrivals(at.ctx, await toldOf(at.ctx, [id]))
          return heard.splice(0).includes('mailroom://events')
        })
      await client.subscribeResource({ uri: 'mailroom://events' })
      await hears(door)
      gateway.lead(restarted.http)
      gateway.next(...Array(3).fill({ status: 503 }))
      gateway.cut()
      await hears(restarted)
    })

    it('answers what came before its input was closed', async () => {
      const { command, args } = program
      const child = spawn(command, args, { env: environment(tenant.key), stdio: ['pipe', 'pipe', 'inherit'] })
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'shell', version: '1' } }
      child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
      const answer = JSON.parse(await text(child.stdout)) as { readonly id: number; readonly result: Json }
      expect(answer).to.include({ id: 1 })
      expect(answer.result).to.include({ protocolVersion: '2025-11-25' })
    })

    it('finds a server below a path of its host, and the endpoint itself', async () => {
      const proxy = createServer((request, response) => {
        const [, path] = /^\/mail(\/.*)$/.exec(request.url ?? '') ?? []
        if (path === undefined) return void response.writeHead(404).end()
        const { method, headers } = request
        const asked = askHttp(`${door.http}${path}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(response)
        })
        request.pipe(asked)
      }).listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      closing.push(async () => {
        proxy.closeAllConnections()
        proxy.close()
      })
      const below = `http://127.0.0.1:${(proxy.address() as { port: number }).port}/mail`
      for (const url of [below, `${below}/?readonly=true`, `${below}/api/mcp`, `${door.http}/api/mcp?readonly=true`]) {
        const client = new EarlierClient({ name: 'test', version: '1' })
        await client.connect(new EarlierStdio({ ...program, env: environment(tenant.key, url) }))
        const names = (await client.listTools()).tools.map(({ name }) => name)
        await client.close()
        expect(names, url).to.include('read_message')
        expect(names.includes('send_message'), url).to.equal(!url.includes('readonly'))
      }
    })

    it('passes on what its URL asks for', async () => {
      const client = new EarlierClient({ name: 'test', version: '1' })
      const env = environment(tenant.key, `${door.http}?tools=read_message,send_message&readonly=true`)
      await client.connect(new EarlierStdio({ ...program, env }))
      closing.push(() => client.close())
      expect((await client.listTools()).tools.map(({ name }) => name)).to.deep.equal(['read_message'])
    })
  })

  it('closing the stream of a call ends the call', async () => {
    const { entered } = watchWaits(door.ctx)
    const own = new AbortController()
    const params = { name: 'wait_for_message', arguments: { mailbox: tenant.address, timeout: 55 } }
    const response = await post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: { ...meta(), progressToken: 'p' } } },
      headersOf('tools/call', params),
      { signal: own.signal },
    )
    expect(response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
    expect(response.headers.get('x-accel-buffering')).to.equal('no')
    const first = await response.body!.getReader().read()
    expect(Buffer.from(first.value!).toString()).to.include('"progressToken":"p"')
    await eventually('it waits', () => entered() === 1)
    own.abort()
    // With room for one wait only, the next is let in when the first has ended.
    const { http } = door.ctx.settings.limits
    const { waitsPerKey } = http
    Object.assign(http, { waitsPerKey: 1 })
    await deliver(door.ctx, { to: tenant.address, raw: 'Subject: there\n\nit is\n' })
    const given = { mailbox: tenant.address, since: '2000-01-01T00:00:00Z' }
    await eventually('the wait has ended', async () => {
      const { body } = await ask('tools/call', { name: 'wait_for_message', arguments: given })
      return body.result.isError !== true
    })
    Object.assign(http, { waitsPerKey })
  })

  describe('questions to a person', () => {
    const call = (name: string, given: Json, rest: Json = {}, declared: Json = asksForms, key?: string) =>
      tell(
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: given, ...rest, _meta: meta(declared) },
        },
        headersOf('tools/call', { name }),
        { key },
      )
    const yes = { confirm: { action: 'accept', content: { confirm: true } } }
    const letter = (to: string) => ({ mailbox: tenant.address, to, subject: 'Hi', text: 'Hello' })

    it('a send to a stranger is asked for once, and done when the answer is yes', async () => {
      const given = letter('new@remote.example')
      const { body } = await call('send_message', given)
      expect(body.result).to.include({ resultType: 'input_required' })
      expect(JSON.stringify(body.result.inputRequests)).to.include('new@remote.example')
      const { requestState } = body.result
      const done = await call('send_message', given, { inputResponses: yes, requestState })
      expect(done.body.result.structuredContent).to.include({ success: true, status: 'queued' })
      await eventually('they have written', async () => {
        const { result } = (await call('get_contacts', { mailbox: tenant.address, q: 'new@' })).body
        const { contacts = [] } = result.structuredContent as { contacts?: readonly Json[] }
        return contacts.length === 1
      })
      const next = await call('send_message', { ...given, text: 'Once more' })
      expect(next.body.result.structuredContent).to.include({ success: true })
    })

    it('an answer is a send to whom it goes, also where its arguments name nobody', async () => {
      const known = { mailbox: tenant.address, to: 'known@remote.example', subject: 'Hi', text: 'Hello' }
      const { requestState } = (await call('send_message', known)).body.result
      await call('send_message', known, { inputResponses: yes, requestState })
      await door.ctx.background.done(tenant.accountId)
      const arrived = async (fields: string) => {
        const raw = `From: known@remote.example\nTo: ${tenant.address}\n${fields}Subject: q\n\n${Math.random()}\n`
        const id = await deliver(door.ctx, { to: tenant.address, raw })
        return { mailbox: tenant.address, inReplyTo: id, text: 'Yes' }
      }
      const asked = async (given: Json) => JSON.stringify((await call('send_message', given)).body.result.inputRequests)
      expect(await asked(await arrived('Reply-To: elsewhere@remote.example\n'))).to.include('elsewhere@remote.example')
      const copied = await arrived('Cc: third@remote.example\n')
      expect(await asked({ ...copied, replyAll: true })).to.include('third@remote.example')
      const { structuredContent } = (await call('send_message', copied)).body.result
      expect(structuredContent).to.include({ success: true })
    })

    const answers: readonly (readonly [string, Json, Json])[] = [
      ['declined', { confirm: { action: 'decline' } }, { code: 'forbidden' }],
      ['cancelled', { confirm: { action: 'cancel' } }, { code: 'forbidden' }],
      ['accepted without the yes', { confirm: { action: 'accept', content: {} } }, { code: 'forbidden' }],
      ['accepted with a text', { confirm: { action: 'accept', content: { confirm: 'true' } } }, { code: 'forbidden' }],
    ]
    for (const [name, inputResponses, expected] of answers)
      it(`${name}: nothing is done`, async () => {
        const given = letter('never@remote.example')
        const { requestState } = (await call('send_message', given)).body.result
        const { body } = await call('send_message', given, { inputResponses, requestState })
        expect(body.result.structuredContent).to.include(expected)
      })

    it('asks again for an answer that is missing, and takes none without its state', async () => {
      const given = letter('never@remote.example')
      const { requestState } = (await call('send_message', given)).body.result
      for (const rest of [{ requestState }, { requestState, inputResponses: { other: {} } }, { inputResponses: yes }])
        expect((await call('send_message', given, rest)).body.result.resultType).to.equal('input_required')
    })

    it('takes a state for its own call, key and time alone', async () => {
      const given = letter('never@remote.example')
      const { requestState = '' } = (await call('send_message', given)).body.result
      const other = await makeTenant(door, { name: `other${Date.now()}` })
      const changed = `${requestState.slice(0, -2)}xx`
      const tries: readonly [string, Json, string, string | undefined][] = [
        ['send_message', { ...given, to: 'else@remote.example' }, requestState, undefined],
        ['send_message', { ...given, text: 'Changed' }, requestState, undefined],
        ['send_message', given, changed, undefined],
        ['send_message', given, 'x', undefined],
        ['send_message', given, '', undefined],
        ['send_message', given, requestState, other.key],
      ]
      for (const [name, args, state, key] of tries) {
        const { body } = await call(name, args, { inputResponses: yes, requestState: state }, asksForms, key)
        expect(body.error?.code, JSON.stringify(body)).to.equal(-32602)
      }
      door.advance(10 * 60_000 + 1)
      const late = await call('send_message', given, { inputResponses: yes, requestState })
      expect(late.body.error.code).to.equal(-32602)
    })

    const drafted = async (to: string) => {
      const { structuredContent } = (await call('create_draft', letter(to))).body.result
      return { mailbox: tenant.address, draft_id: structuredContent?.message_id }
    }

    it('is asked again if a draft has got other recipients meanwhile', async () => {
      const draft = await drafted('agreed@remote.example')
      const { requestState } = (await call('send_draft', draft)).body.result
      await call('update_draft', { ...draft, to: 'other@remote.example', text: 'Something else' })
      const again = (await call('send_draft', draft, { inputResponses: yes, requestState })).body.result
      expect(again.resultType, JSON.stringify(again)).to.equal('input_required')
      expect(JSON.stringify(again.inputRequests)).to.include('other@remote.example').and.not.include('agreed@')
      const declined = { inputResponses: { confirm: { action: 'decline' } }, requestState: again.requestState }
      expect((await call('send_draft', draft, declined)).body.result.structuredContent).to.include({
        code: 'forbidden',
      })
      const agreed = { inputResponses: yes, requestState: again.requestState }
      const sent = (await call('send_draft', draft, agreed)).body.result.structuredContent
      expect(sent?.recipients).to.deep.equal([{ email: 'other@remote.example', status: 'queued' }])
    })

    it('is not asked about a draft that was sent: the call has the result of the first one', async () => {
      const draft = await drafted('once@remote.example')
      const { requestState } = (await call('send_draft', draft)).body.result
      const agreed = { inputResponses: yes, requestState }
      const { id } = (await call('send_draft', draft, agreed)).body.result.structuredContent ?? {}
      for (const rest of [agreed, {}])
        expect((await call('send_draft', draft, rest)).body.result.structuredContent).to.include({ id, replayed: true })
    })

    it('is asked before the Trash is emptied and a message or a draft is gone for good, and not for less', async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: 'Subject: old\n\nold\n' })
      const message = { mailbox: tenant.address, message_id: id }
      const mailbox = { mailbox: tenant.address }
      expect((await call('delete_message', { ...message, permanent: true })).body.result.resultType).to.equal(
        'input_required',
      )
      expect((await call('empty_trash', mailbox)).body.result.resultType).to.equal('input_required')
      const moved = await call('delete_message', message)
      expect(moved.body.result.structuredContent).to.include({ deleted: true, folder: 'Trash' })
      expect((await call('delete_message', message)).body.result.resultType).to.equal('input_required')
      const draft = await drafted('kept@remote.example')
      const asked = (await call('delete_draft', draft)).body.result
      expect(asked.resultType).to.equal('input_required')
      const deleted = await call('delete_draft', draft, { inputResponses: yes, requestState: asked.requestState })
      expect(deleted.body.result.structuredContent).to.include({ deleted: true })
      const { code } = (await call('delete_draft', draft)).body.result.structuredContent ?? {}
      expect(code).to.equal('not_found')
      const { requestState } = (await call('empty_trash', mailbox)).body.result
      const emptied = await call('empty_trash', mailbox, { inputResponses: yes, requestState })
      expect(emptied.body.result.structuredContent).to.include({ success: true })
    })

    it('is asked before a DNS record is touched at the risk of mail, by what the record is', async () => {
      const zone = { domain: 'tenant.example' }
      const { records = [] } = (await call('list_dns_records', zone)).body.result.structuredContent as {
        records?: readonly { readonly id: string; readonly type: string }[]
      }
      const record = { ...zone, record_id: records.find(({ type }) => type === 'MX')?.id }
      const added = { ...zone, type: 'MX', name: '@', value: '20 mx.elsewhere.example' }
      const asked = async (name: string, given: Json) => {
        const { inputRequests } = (await call(name, given)).body.result
        return (inputRequests as { readonly confirm: { readonly params: Json } }).confirm.params.message
      }
      expect(await asked('create_dns_record', { ...added, force: true })).to.equal(
        'Add the MX record @ "20 mx.elsewhere.example" to tenant.example? Mail of the domain may change or stop.',
      )
      expect(await asked('update_dns_record', { ...record, ttl: 60, force: true })).to.match(
        /^Change the MX record tenant\.example ".+" of tenant\.example\?/,
      )
      expect(await asked('delete_dns_record', { ...record, force: true })).to.match(/^Delete the MX record /)
      for (const [name, given] of [
        ['create_dns_record', added],
        ['delete_dns_record', record],
      ] as const)
        expect((await call(name, given)).body.result.structuredContent).to.include({ code: 'conflict' })
      const { requestState } = (await call('delete_dns_record', { ...record, force: true })).body.result
      const done = await call('delete_dns_record', { ...record, force: true }, { inputResponses: yes, requestState })
      expect(done.body.result.structuredContent).to.include({ deleted: true })
    })

    for (const [name, declared] of [
      ['no form', {}],
      ['links alone', { elicitation: { url: {} } }],
    ] as const)
      it(`a client that can show ${name} is not asked`, async () => {
        const { body } = await call('send_message', letter(`${name.replace(' ', '')}@remote.example`), {}, declared)
        expect(body.result.structuredContent).to.include({ success: true })
      })

    it('what is refused anyway is not asked', async () => {
      const unknown = await call('send_message', { ...letter('never@remote.example'), color: 'red' })
      expect(unknown.body.result.structuredContent).to.include({ code: 'validation_error', param: 'color' })
      const forward = { mailbox: tenant.address, message_id: `msg_${'0'.repeat(26)}`, to: 'never@remote.example' }
      const gone = await call('forward_message', forward)
      expect(gone.body.result.structuredContent).to.include({ code: 'not_found' })
      const dry = await call('send_message', { ...letter('never@remote.example'), dryRun: true })
      expect(dry.body.result.structuredContent).to.include({ dryRun: true })
    })
  })
})
