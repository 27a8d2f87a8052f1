/** The HTTP door on a database of its own, in this process: every answer is checked against its declaration. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { pino } from 'pino'
import type { Dashboard } from '../../api/dashboard.ts'
import type { Readiness } from '../../api/endpoints.ts'
import { createHttpServer } from '../../api/http-server.ts'
import { createKey, type NewKey } from '../../core/access/keys.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { changeAccountPlans } from '../../core/account/plans.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { receive } from '../../core/receive/receive.ts'
import { findRecipient } from '../../core/receive/recipients.ts'
import type { Verdict } from '../../core/receive/sender-verdict.ts'
import { createMcp, type McpOptions } from '../../mcp/server.ts'
import type { AgentsPlanName, MailPlanName } from '../../schemas/plans.ts'
import { allScopes } from '../../schemas/scopes.ts'
import { databaseOf } from '../../store/open.ts'
import { type Call, client } from '../peers/rest.ts'
import { giveDomain, openSharedDomain } from './domains.ts'
import { openReadyDatabase } from './ready-database.ts'
import { contextOf } from './service.ts'

/** A process: how far its clock is ahead, and the host by which it reaches the database, if not the engine's. */
type Node = { readonly aheadMs?: () => number; readonly host?: string }

export type Door = {
  readonly http: string
  readonly ctx: Context
  /** What has been logged so far. */
  logs(): string
  /** What /readyz reports; a test may change it. */
  readiness: Readiness
  /** Resolves when this many more requests have come in, so that what is done then comes after them. */
  nextRequests(count?: number): Promise<void>
  /** Resolves when this process has received the change notes of all earlier changes. */
  noticed(): Promise<void>
  /** Moves the clock forward. */
  advance(ms: number): void
  /** Moves the clock to the next minute, because requests and recipients are counted by the minute. */
  beginMinute(): void
  /** Opens the door of another process on the same database. */
  another(node?: Node): Promise<Pick<Door, 'http' | 'ctx' | 'close'>>
  /** The socket on which the engine of the database listens. */
  readonly socket: string
  close(): Promise<void>
}

/**
 * `monitorCommands`: whether the driver emits each command (`ctx.store.db.client`); `isNamed`: whether links use localhost and the
 * port, which browsers require for passkeys; `offers`: what MCP offers in addition to the service's own; `env` adds settings.
 */
export async function openDoor({
  monitorCommands = false,
  isNamed = false,
  env = {},
  dashboard,
  offers,
  progressMs,
}: {
  monitorCommands?: boolean
  isNamed?: boolean
  env?: Readonly<Record<string, string>>
  dashboard?: Dashboard
} & Pick<McpOptions, 'offers' | 'progressMs'> = {}): Promise<Door> {
  const data = await mkdtemp(path.join(tmpdir(), 'mailroom-door-'))
  const database = await openReadyDatabase()
  let aheadMs = 0
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const door = { readiness: { ready: true, parts: {} } }
  const opened = new Set<() => Promise<void>>()
  const open = async ({ host, aheadMs: machineAheadMs = () => 0 }: Node = {}) => {
    const url = host === undefined ? database.url : `mongodb://${host}/${databaseOf(database.url)}`
    const ctx = await contextOf(
      { data, url: `${url}?monitorCommands=${monitorCommands}` },
      { now: () => new Date(Date.now() + aheadMs + machineAheadMs()) },
      log,
      env,
    )
    const server = createHttpServer(ctx, {
      readiness: async () => door.readiness,
      dashboard,
      mcp: (request) => mcp(request),
      checkOutput: true,
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = async () => {
      if (!opened.delete(close)) return
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await closeContext(ctx)
    }
    opened.add(close)
    const { port } = server.address() as AddressInfo
    if (isNamed) Object.assign(ctx, { baseUrl: `http://localhost:${port}` })
    const mcp = createMcp(ctx, { checkOutput: true, offers, progressMs })
    return { http: `http://127.0.0.1:${port}`, ctx, server, close }
  }
  const { http, ctx, server } = await open()
  await openSharedDomain(ctx)
  return Object.assign(door, {
    http,
    ctx,
    another: open,
    socket: decodeURIComponent(new URL(database.url).host),
    logs: () => lines.join(''),
    async nextRequests(count = 1) {
      for (let n = 0; n < count; n++) await once(server, 'request')
    },
    noticed: () => noticed(ctx),
    advance(ms: number) {
      aheadMs += ms
    },
    beginMinute() {
      aheadMs += minuteMs - (ctx.clock.now().getTime() % minuteMs)
    },
    async close() {
      for (const close of [...opened].toReversed()) await close()
      database.release()
      await rm(data, { recursive: true, force: true })
    },
  })
}

/** Counts how often a wait is admitted by the limits of the process. */
export function watchWaits({ settings }: Context): { entered(): number } {
  const { http } = settings.limits
  const { waits } = http
  let entered = 0
  const get = () => {
    entered += 1
    return waits
  }
  Object.defineProperty(http, 'waits', { get, enumerable: true, configurable: true })
  return { entered: () => entered }
}

let markers = 0

/** Resolves when a marker note has arrived. Notes of one writer arrive in order, so all earlier ones have arrived too. */
async function noticed({ changes }: Context): Promise<void> {
  const marker = `marker${++markers}@nowhere.example`
  const { promise: heard, resolve } = Promise.withResolvers<void>()
  const leave = changes.listen((note) => {
    if (note.kind === 'address' && note.addresses.includes(marker)) resolve()
  })
  // A listener receives only notes that are published after it began, so the marker is repeated.
  while (!(await Promise.race([heard.then(() => true), sleep(50)])))
    changes.publish({ kind: 'address', addresses: [marker] })
  leave()
}

/** Opens a door with one tenant at `tenant.example`, and a client with its account key. */
export async function openTenant(
  options: Parameters<typeof openDoor>[0] = {},
): Promise<{ door: Door; tenant: Tenant; call: Call }> {
  const door = await openDoor(options)
  const tenant = await makeTenant(door, { name: 'tenant' })
  return { door, tenant, call: client(door.http, tenant.key) }
}

export type Tenant = {
  readonly accountId: string
  readonly address: string
  readonly mailboxId: string
  readonly key: string
}

/** Creates an account as an administrator does, with a domain, a mailbox and an account key with all scopes. */
export async function makeTenant(
  { ctx, http }: Pick<Door, 'ctx' | 'http'>,
  {
    name,
    plan = 'business',
    agentsPlan = 'scale',
  }: { name: string; plan?: MailPlanName | null; agentsPlan?: AgentsPlanName | null },
): Promise<Tenant> {
  const { id: accountId } = await createAccount(ctx, { name, owner: null })
  await giveDomain(ctx, { accountId, domain: `${name}.example` })
  if (plan !== 'business' || agentsPlan !== 'scale') await changeAccountPlans(ctx, accountId, { plan, agentsPlan })
  const { apiKey: key } = await makeKey(ctx, { accountId })
  const address = `agent@${name}.example`
  const response = await fetch(`${http}/api/v1/mailboxes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ address, displayName: 'Agent' }),
  })
  if (response.status !== 201) throw new Error(`No mailbox: ${await response.text()}`)
  const recipient = await findRecipient(ctx, address)
  return { accountId, address, mailboxId: recipient.mailboxes[0]?.mailboxId ?? '', key }
}

export function makeKey(ctx: Context, key: Partial<NewKey> & Pick<NewKey, 'accountId'>) {
  return createKey(ctx, { kind: 'account', name: 'test', scopes: allScopes, mailboxIds: [], expiresAt: null, ...key })
}

/** Compiles each schema once for all clients of this process, which all receive the same schemas of many tools. */
const outputs: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema)
    const known = readers.get(text) ?? ajv.getValidator<unknown>(schema)
    readers.set(text, known)
    return known as JsonSchemaValidator<T>
  },
}
const ajv = new AjvJsonSchemaValidator()
const readers = new Map<string, JsonSchemaValidator<unknown>>()

/** Connects an MCP client with a key. It checks results against the output schemas that the server lists. */
export async function connectMcp(http: string, key: string, query = ''): Promise<Client> {
  const mcp = new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: outputs })
  const headers = { authorization: `Bearer ${key}` }
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`/api/mcp${query}`, http), { requestInit: { headers } }))
  await mcp.listTools()
  return mcp
}

/** Delivers mail as the SMTP plugins do. Returns its message id. */
export async function deliver(
  ctx: Context,
  { to, raw, from = 'sender@remote.example', verdict }: { to: string; raw: string; from?: string; verdict?: Verdict },
): Promise<string> {
  const { messageIds } = await receive(ctx, {
    raw: Buffer.from(raw.replace(/\r?\n/g, '\r\n')),
    reversePath: from,
    recipients: [await findRecipient(ctx, to)],
    peer: { address: '192.0.2.1', helo: 'remote.example', protocol: 'ESMTP', cipher: null },
    transactionId: 'test',
    verdict,
  })
  return messageIds[0] ?? ''
}
