/**
 * One service that is killed and started again on the same data folder, with the remote servers it talks to. Invariant:
 * between two rounds all processes run and no work is waiting.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { engineUrl } from '../../cli/instance.ts'
import { loadSettings } from '../../cli/settings.ts'
import { after, minuteMs } from '../../core/process/clock.ts'
import { type Context, openContext } from '../../core/process/context.ts'
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Service, startService } from '../start/service.ts'
import { goneWithin, killNow, processesOf } from './parts.ts'
import type { Random } from './random.ts'
import { type Remote, startRemote } from './remote.ts'

const stopMs = 25_000

export class Stage {
  readonly folder: string
  readonly remote: Remote
  readonly hooks: WebhookReceiver
  /** The service as it was last started. */
  service: Service
  /** The factor by which time limits are extended on a machine that does other work. */
  readonly patience: number
  readonly #env: Record<string, string>

  private constructor(
    made: Pick<Stage, 'folder' | 'remote' | 'hooks' | 'service' | 'patience'>,
    env: Record<string, string>,
  ) {
    this.folder = made.folder
    this.remote = made.remote
    this.hooks = made.hooks
    this.service = made.service
    this.patience = made.patience
    this.#env = env
  }

  static async open(
    random: Random,
    { patience, refusesOneIn }: { readonly patience: number; readonly refusesOneIn?: number | undefined },
  ): Promise<Stage> {
    const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-crash-'))
    const remote = await startRemote(random)
    const hooks = await startWebhookReceiver(refusesOneIn === undefined ? undefined : refusingOneIn(refusesOneIn))
    const env = {
      // Table scans are allowed, because the checks after a round read whole collections.
      ENGINE_NO_TABLE_SCAN: '0',
      MAILROOM_OUTBOUND_ROUTES: `{"remote.test": "127.0.0.1:${remote.port}"}`,
      // A short lease, so that deliveries of a dead process are tried again soon.
      MAILROOM_OUTBOUND_LEASE_SECONDS: '5',
      MAILROOM_OUTBOUND_MESSAGE_SENT_DELAY_SECONDS: '1',
      MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
      MAILROOM_LOG_LEVEL: 'warn',
    }
    // A different Node binary makes the service use a starter process, which is killed too.
    await copyFile(process.execPath, path.join(folder, 'node'))
    const service = await startService({ data: folder, env, node: path.join(folder, 'node'), only: null })
    return new Stage({ folder, remote, hooks, service, patience }, env)
  }

  place(): Service {
    return this.service
  }

  /** Starts the service again on the same folder. */
  async start(): Promise<void> {
    const node = path.join(this.folder, 'node')
    this.service = await startService({ data: this.folder, env: this.#env, node, only: null })
  }

  /**
   * A context on the database of the running service whose clock is a minute ahead, so that its sweeps see all interrupted
   * work.
   */
  contextLater(): Promise<Context> {
    const env = { ...this.#env, MAILROOM_DATA: this.folder, MONGODB_URL: engineUrl(this.folder) }
    const settings = loadSettings({ file: null, env: { ...env, MAILROOM_LOG_LEVEL: 'silent' } })
    return openContext({ settings, role: 'test', clock: { now: () => after(new Date(), minuteMs) } })
  }

  /** Stops everything and removes the folder. Processes that do not stop are killed. */
  async close(): Promise<void> {
    if (processesOf(this.folder).length > 0) this.service.process.kill('SIGTERM')
    for (const pid of await goneWithin(this.folder, stopMs * this.patience)) killNow(pid)
    await Promise.all([this.remote.close(), this.hooks.close()])
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Returns the answers of a receiver that refuses the first delivery of one in `events` events. */
function refusingOneIn(events: number): (count: number, received: Received) => number {
  const heard = new Set<unknown>()
  return (_, { headers }) => {
    const id = headers['webhook-id']
    if (heard.has(id)) return 200
    heard.add(id)
    return heard.size % events === 0 ? 500 : 200
  }
}
