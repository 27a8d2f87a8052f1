/** A Mailroom with mailboxes for the IMAP benches. */
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { createDomain } from '../core/domains/claims.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import { closeContext } from '../core/process/context.ts'
import { searchableUpTo } from '../core/search/sweep.ts'
import { idAt } from '../schemas/ids.ts'
import { eventually } from '../test/eventually.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import { contextOf, inContext, type Service, startService } from '../test/start/service.ts'
import type { Login } from './imap-client.ts'
import { rested } from './processes.ts'
import { createWriter } from './synthetic-mail.ts'

const domain = 'bench.example'

export type MailService = {
  readonly service: Service
  readonly port: number
  /** One for each mailbox. */
  readonly logins: readonly Login[]
  /** Delivers a message to a mailbox by SMTP; resolves with its 250. */
  deliver(to: Login): Promise<void>
  /** Resolves when the service has no work left, and the search index is known to have all messages. */
  rest(): Promise<void>
}

/** How long to wait for the index: a sweep checks it once a minute, for mail up to half a minute before. */
const indexedWithinMs = 180_000

/** Starts a service with this many mailboxes that accepts `connections` connections from this machine. The caller disposes of it. */
export async function startMailService({
  mailboxes,
  connections,
}: {
  readonly mailboxes: number
  readonly connections: number
}): Promise<MailService> {
  const service = await startService({
    only: null,
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_LIMITS_IMAP_CONNECTIONS_PER_ADDRESS: String(connections),
      MAILROOM_LIMITS_IMAP_CONNECTIONS_PER_NETWORK: String(connections),
    },
  })
  const logins = await createLogins(service, mailboxes)
  const session = await SmtpClient.hello(service.smtp)
  return {
    service,
    port: Number(service.imap?.split(':')[1]),
    logins,
    async deliver({ user }) {
      const raw = createWriter(3).message({ number: 1, address: user, when: new Date() }).toString('latin1')
      const { code, text } = await session.send([user], raw)
      if (code !== 250) throw new Error(`A message was refused: ${text}`)
    },
    async rest() {
      await rested([service.process.pid ?? 0])
      const last = idAt('msg', new Date())
      const isIndexed = () => inContext(service, async (ctx) => (await searchableUpTo(ctx)) >= last)
      await eventually('the index is known to have all', isIndexed, indexedWithinMs)
    },
  }
}

async function createLogins(service: Service, count: number): Promise<readonly Login[]> {
  const ctx = await contextOf(service)
  const account = await createAccount(ctx, { name: 'bench', owner: null })
  await createDomain(ctx, { domain, accountId: account.id, verified: true })
  const logins: Login[] = []
  for (let n = 0; n < count; n++) {
    const address = `u${n}@${domain}`
    await createMailbox(ctx, administrator(account), { address })
    logins.push({ user: address, ...(await createAppPassword(ctx, { account, address, name: 'bench' })) })
  }
  await closeContext(ctx)
  return logins
}
