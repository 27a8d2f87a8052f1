/** A whole service that suites of tests share, each with accounts of its own: a start of all processes costs as much as a suite. */
import { type SunkMail, startSmtpSink } from '../peers/receivers.ts'
import { type Service, startService } from './service.ts'

export type Shared = {
  readonly service: Service
  /** The mails that arrived at other domains, of those that an address here wrote. */
  mailsBy(address: string): readonly SunkMail[]
}
type Started = Shared & { end(): Promise<void> }

let shared: Promise<Started> | undefined
let users = 0

/**
 * Hands over the service before the tests of a suite. The first suite starts it and the last ends it, of all suites that this
 * process has loaded: files that import this are run by one worker (test/suite.ts).
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
    // All suites sign up from one address.
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

/** The From field of a mail, in small letters. */
function authorOf(raw: Buffer): string {
  return /^From: .*$/im.exec(raw.toString('latin1'))?.[0].toLowerCase() ?? ''
}
