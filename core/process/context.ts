/** What every function of core is given: settings, store, time, log, secrets, and the request it serves. */
import { hostname } from 'node:os'
import path from 'node:path'
import type { Logger } from 'pino'
import type { Settings } from '../../schemas/settings.ts'
import { type ArrivalWriter, createArrivalWriter } from '../../store/arrivals.ts'
import { type ChangeFeed, createChangeFeed } from '../../store/changes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { openStore, type Store } from '../../store/open.ts'
import { claimState } from '../../store/records.ts'
import { answersPolicy, createResolver, type Resolver } from '../dns/resolver.ts'
import { createParsing, type Parsing } from '../parsing/parsing.ts'
import { type Clock, systemClock } from './clock.ts'
import { createKept } from './kept.ts'
import { createLog } from './log.ts'
import { openSecrets, type Secrets } from './secrets.ts'

/**
 * What is given to every function of core: first what the process has, then what belongs to one request or transaction.
 *
 * Besides, a process has one of each of these (core/process/per-process.ts), which the modules named keep for themselves:
 * - groups that are written together (core/process/group-commit.ts): access/audit, deliver/outcomes, notify/events,
 *   send/allowance, send/commit, send/open-allowances, send/settle
 * - questions that are asked together (core/process/batched-lookup.ts): access/principal, deliver/suppressions,
 *   mailbox/domains, mailbox/mailboxes, mailbox/storage-limit, mailbox/threading, receive/recipient-cache, receive/trust
 * - what was found out lately (core/process/kept.ts): mailbox/domains, notify/webhooks, process/likely-answers,
 *   read/bodies-cache, receive/received-counts, receive/recipient-cache, receive/trust, search/block-cache
 * - counts of a minute: access/request-rates, wait/patterns
 * - what is under way: deliver/outbox, deliver/outcomes, notify/webhook-post (connections), read/bodies (memory),
 *   upkeep/quota-recount, wait/waiters
 */
export type Context = {
  readonly settings: Settings
  readonly store: Store
  readonly arrivals: ArrivalWriter
  readonly changes: ChangeFeed
  readonly parsing: Parsing
  readonly resolver: Resolver
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Secrets
  /** Where the API is reached from outside, without a slash at the end. */
  readonly baseUrl: string
  readonly hostname: string
  /** Of this request or transaction; '' outside one. */
  readonly requestId: string
  /** When this request came in; null outside one. */
  readonly requestedAt: Date | null
  /** The same for every try of a request under one Idempotency-Key: what is made gets its id from it. Null without a key. */
  readonly onceId: string | null
  /** What the door asked for before it knew who asks; null when it asked for nothing. */
  readonly likelyMailbox: LikelyMailbox | null
}

/** A mailbox that was asked for early: for one taker, since what is reached after a change must be read after it. */
export type LikelyMailbox = { take(): Promise<MailboxDoc | null> | null }

/**
 * Opens the context of a process. `role` names it in logs and to the database. Rejects when `settings.mongodbUrl` is unset,
 * nothing answers there, or the database was sealed with the key of another data folder.
 */
export async function openContext({
  settings,
  role,
  log,
  clock = systemClock,
}: {
  settings: Settings
  role: string
  log?: Logger
  clock?: Clock
}): Promise<Context> {
  if (settings.mongodbUrl === null)
    throw new Error('No database: set MONGODB_URL, or start the service, which brings its own.')
  const logger = log ?? createLog(settings, role)
  const [store, secrets] = await Promise.all([
    openStore({ url: settings.mongodbUrl, role }),
    openSecrets(settings.data),
  ])
  await requireSameKey(store, secrets, settings.data)
  const now = () => clock.now()
  const changes = createChangeFeed(store, { now, onError: (error) => logger.warn({ err: error }, 'change feed') })
  return {
    settings,
    store,
    arrivals: createArrivalWriter(store, now),
    changes,
    parsing: createParsing({ onError: (error) => logger.warn({ err: error }, 'a message could not be read') }),
    resolver: createResolver(settings.resolver, createKept(clock, answersPolicy)),
    clock,
    log: logger,
    secrets,
    baseUrl: (settings.baseUrl ?? `http://${settings.http.host}:${settings.http.port}`).replace(/\/+$/, ''),
    hostname: settings.hostname ?? hostname(),
    requestId: '',
    requestedAt: null,
    onceId: null,
    likelyMailbox: null,
  }
}

/**
 * One key seals what all nodes of a deployment keep in the database. Rejects when the database was sealed with another one:
 * signing keys, webhook secrets and replays could not be opened.
 */
async function requireSameKey(store: Store, { fingerprint }: Secrets, dataFolder: string): Promise<void> {
  if ((await claimState(store, 'masterKey', fingerprint)) === fingerprint) return
  await store.close()
  const file = path.join(dataFolder, 'secrets', 'master.key')
  throw new Error(
    `${file} is not the key that this database was sealed with. Copy secrets/master.key from the data folder of a node that uses the database, and start again.`,
  )
}

/** Writes what waits and closes the store. */
export async function closeContext(ctx: Context): Promise<void> {
  await ctx.arrivals.flush()
  await ctx.changes.close()
  await ctx.parsing.close()
  await ctx.store.close()
}

/** The same context for one request: its id is on every log line. */
export function withRequest(ctx: Context, requestId: string): Context {
  return { ...ctx, requestId, requestedAt: ctx.clock.now(), log: ctx.log.child({ requestId }) }
}
