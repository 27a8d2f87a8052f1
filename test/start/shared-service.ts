/** A whole service that suites share, each with its own accounts, because starting all processes costs as much as a suite. */
import { type SunkMail, startSmtpSink } from '../peers/receivers.ts'
import { type Service, startService } from './service.ts'

export type Shared = {
  readonly service: Service
  /** Returns the mails from an address of the service that arrived at other domains. */
  mailsBy(address: string): readonly SunkMail[]
}
type Started = Shared & { end(): Promise<void> }

let shared: Promise<Started> | undefined
let users = 0

/**
 * Passes the service to a suite before its tests. The first suite of this process starts it and the last one stops it. All files
 * that import this are run by one worker (test/suite.ts).
 */
export function useSharedService(take: (shared: Shared) => void): void {
  users += 1
  before(async () => {
    shared ??= start()
    take(await shared)
  })
  after(async () => {
    users -= 1
    if (users > 0) return
    const ending = shared
    shared = undefined
    const started = await ending?.catch(() => undefined)
    await started?.end()
  })
}

async function start(): Promise<Started> {
  const sink = await startSmtpSink()
  const env = {
    MAILROOM_OUTBOUND_ROUTES: `{"*": "127.0.0.1:${sink.port}"}`,
    // All suites sign up from one IP address.
    MAILROOM_SIGNUP_PER_ADDRESS_PER_DAY: '100',
  }
  try {
    const service = await startService({ env })
    return {
      service,
      mailsBy: (address) => sink.mails.filter(({ raw }) => authorOf(raw).includes(address)),
      async end() {
        await service.dispose()
        await sink.close()
      },
    }
  } catch (error) {
    await sink.close()
    throw error
  }
}

/** Returns the From field of a mail in lower case. */
function authorOf(raw: Buffer): string {
  return /^From: .*$/im.exec(raw.toString('latin1'))?.[0].toLowerCase() ?? ''
}
