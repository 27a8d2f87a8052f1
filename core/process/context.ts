/** The context that every function of core takes first: settings, store, clock, log, secrets, and the current request. */
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { authorityOf } from '../../schemas/authority.ts'
import type { Settings } from '../../schemas/settings.ts'
import { type ArrivalWriter, createArrivalWriter } from '../../store/arrivals.ts'
import { followsChanges } from '../../store/change-answers.ts'
import { type ChangeFeed, createChangeFeed } from '../../store/changes.ts'
import { openObjectStore } from '../../store/object-store.ts'
import { openStore, type Store } from '../../store/open.ts'
import { answersPolicy, createResolver, type Resolver } from '../dns/resolver.ts'
import { createExtraction, type Extraction } from '../extraction/extraction.ts'
import { createParsing, type Parsing } from '../parsing/parsing.ts'
import { type Background, createBackground } from './background.ts'
import { type Clock, systemClock } from './clock.ts'
import { type ClockSkew, createClockSkew } from './clock-skew.ts'
import { createKept } from './kept.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { createLog } from './log.ts'
import { type Metrics, noMetrics, openMetrics } from './metrics.ts'
import type { Secrets } from './secrets.ts'
import { openTestClocks, type TestClocks } from './test-clocks.ts'
import { noTracing, openTracing, type Tracing } from './tracing.ts'
import { createVitals, type Vitals } from './vitals.ts'

/** What a process is for; `admin` runs one command and ends. */
export type Role = 'service' | 'smtp' | 'imap' | 'dns' | 'admin' | 'test'

/**
 * The argument `ctx` of every function of core: first the fields of the process, then those of one request or SMTP transaction.
 *
 * In addition, a process has one of each of the following (core/process/per-process.ts), kept by the modules named:
 * - writes in groups (core/process/group-commit.ts): access/audit, access/key-use, access/login-limits,
 *   access/request-rates, deliver/outcomes, imap/append, mailbox/message-changes, notify/deliveries, notify/events,
 *   notify/outcomes, send/settle
 * - batched lookups (core/process/batched-lookup.ts): mailbox/messages, mailbox/storage-limit, mailbox/threading,
 *   read/bodies, read/newest, receive/trust
 * - caches (core/process/kept.ts): access/key-use, access/login-limits, imap/contents, mailbox/domains, notify/deliveries,
 *   read/bodies-cache, read/newest, receive/received-counts, receive/recipient-cache, receive/trust, search/block-cache, search/substring,
 *   zones/served-zones, zones/zone-keys
 * - values that other processes may change (core/process/known.ts): access/known-callers, deliver/suppressions, intake/watched,
 *   mailbox/domains, mailbox/known-folders, mailbox/known-mailboxes, mailbox/storage-limit, notify/endpoints,
 *   notify/partner-events, receive/recipient-cache, wait/arrivals
 * - requests leased from the database (core/access/request-rates.ts)
 * - counters: wait/patterns (per minute), deliverability/tls-results
 * - work in progress: access/login-limits, certificates/authority (accounts), certificates/orders, deliver/outbox,
 *   deliver/outcomes, intake/queue, lens/endpoint (connections), notify/attempt-queue, notify/attempts,
 *   notify/event-followers, notify/event-tails, notify/webhook-post (connections), oauth/client-documents (connections),
 *   oauth/provider (the authorization server), process/alarms, people/passwords (memory), imap/contents
 *   (memory), read/bodies (memory), upkeep/quota-recount, wait/waiters
 */
export type Context = {
  readonly role: Role
  readonly settings: Settings
  readonly store: Store
  readonly arrivals: ArrivalWriter
  readonly changes: ChangeFeed
  readonly background: Background
  readonly parsing: Parsing
  readonly extraction: Extraction
  readonly resolver: Resolver
  /** The clock of the account that is being served; without an account, the machine's clock. */
  readonly clock: Clock
  /** The clock for the state of the process itself: caches, lanes, alarms. */
  readonly machineClock: Clock
  /** How far the machine's clock is from the database's. */
  readonly skew: ClockSkew
  readonly testClocks: TestClocks
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly vitals: Vitals
  readonly secrets: Secrets
  /** The master keys that `secrets` uses. */
  readonly keyring: Keyring
  /** Public URL of the API, without a trailing slash. */
  readonly baseUrl: string
  readonly hostname: string
  /** Id of the current request or SMTP transaction; '' outside of one. */
  readonly requestId: string
  /** When the current request came in; null outside of one. */
  readonly requestedAt: Date | null
  /**
   * The same for every try of a request with one Idempotency-Key; ids of what the request creates are derived from it,
   * so that a repeated try creates nothing twice. Null without a key.
   */
  readonly onceId: string | null
  /** Whether an earlier try with this `onceId` may have done something. */
  readonly mayRepeat: boolean
}

/**
 * Opens the context of a process. `role` names the process in logs and to the database. Rejects when `settings.mongodbUrl` is
 * unset, when no database answers there, or when a key that the database is sealed with is missing.
 */
export async function openContext({
  settings,
  role,
  log,
  clock: machineClock = systemClock,
}: {
  settings: Settings
  role: Role
  log?: Logger
  clock?: Clock
}): Promise<Context> {
  if (settings.mongodbUrl === null)
    throw new Error('No database: set MONGODB_URL, or run "mailroom serve", which starts its own.')
  const logger = log ?? createLog(settings, role)
  const isWatched = role !== 'admin' && role !== 'test'
  const metrics = isWatched && settings.metrics.port !== null ? await openMetrics(role) : noMetrics
  const tracing = isWatched && settings.traces.enabled ? await openTracing(role) : noTracing
  const onCommand = (command: string, seconds: number) =>
    metrics.observe('mailroom_database_command_seconds', { command }, seconds)
  const store = await openStore({
    url: settings.mongodbUrl,
    role,
    objects: await openObjectStore(settings),
    ...(metrics.isOn && { onCommand }),
  })
  const skew = createClockSkew(store, machineClock, logger)
  const { clock } = skew
  const onError = (error: Error) => logger.error({ err: error }, 'master keys')
  const keyring = await openKeyring(store, { settings, role, clock, onError }).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const now = () => clock.now()
  const changes = createChangeFeed(store, {
    process: keyring.holderId,
    now,
    onError: (error) => logger.warn({ err: error }, 'change feed failed'),
  })
  if (followsChanges(role)) keyring.follow(changes)
  const testClocks = await openTestClocks(store, {
    clock,
    changes: followsChanges(role) ? changes : null,
    onError: (error) => logger.warn({ err: error }, 'test clocks could not be read; they are read again later'),
  })
  const vitals = createVitals(store, {
    name: role,
    clock,
    onError: (error) =>
      logger.debug({ err: error }, 'the vitals of this process could not be written; the next write is in a minute'),
  })
  if (isWatched) vitals.start()
  return {
    role,
    settings,
    store,
    arrivals: createArrivalWriter(store, now),
    changes,
    background: createBackground(),
    parsing: createParsing({ onError: (error) => logger.warn({ err: error }, 'a message could not be parsed') }),
    extraction: createExtraction({
      onError: (error) => logger.warn({ err: error }, 'an attachment could not be read'),
    }),
    resolver: createResolver(settings.resolver, createKept(clock, answersPolicy)),
    clock,
    machineClock: clock,
    skew,
    testClocks,
    log: logger,
    metrics,
    tracing,
    vitals,
    secrets: keyring.secrets,
    keyring,
    baseUrl: (settings.baseUrl ?? `http://${authorityOf(settings.http.host, settings.http.port)}`).replace(/\/+$/, ''),
    hostname: settings.hostname ?? hostname(),
    requestId: '',
    requestedAt: null,
    onceId: null,
    mayRepeat: false,
  }
}

/** Finishes the work that is under way, writes what is still queued, ends worker threads and processes, and closes the store. */
export async function closeContext(ctx: Context): Promise<void> {
  ctx.skew.stop()
  ctx.vitals.close()
  await ctx.background.done()
  await ctx.arrivals.flush()
  // From here on no other process waits for an answer of this one.
  await ctx.keyring.close()
  await ctx.changes.close()
  await ctx.parsing.close()
  await ctx.extraction.close()
  await ctx.store.close()
  await ctx.tracing.close()
}

/** The context for one request: its id is on every log line, and the time it came in is noted. */
export function withRequest(ctx: Context, requestId: string): Context {
  return { ...ctx, requestId, requestedAt: ctx.clock.now(), log: ctx.log.child({ requestId }) }
}
