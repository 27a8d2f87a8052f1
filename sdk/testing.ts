/**
 * Inboxes for tests of programs that send mail: each test gets an inbox of its own, which is deleted afterwards. `inboxFixtures` returns
 * fixtures for `test.extend` of Playwright and Vitest.
 */
import { Mailroom, type WaitedCode, type WaitedLink, type WaitedMessage, type WaitParams } from './mailroom.ts'
import type { MailroomOptions, RequestOptions } from './transport.ts'

export type InboxOptions = {
  /** The domain of its address. Default: the domain of a mailbox that the key reaches. */
  readonly domain?: string
  /** The beginning of its address. Default: `test`. */
  readonly prefix?: string
}

export type Inbox = {
  readonly address: string
  /** Like the client methods of the same names, for messages since the inbox was created. */
  waitForMessage(params?: WaitParams, options?: RequestOptions): Promise<WaitedMessage>
  waitForCode(params?: WaitParams, options?: RequestOptions): Promise<WaitedCode>
  waitForLink(params?: WaitParams, options?: RequestOptions): Promise<WaitedLink>
  /** Deletes it with its mail. */
  remove(): Promise<void>
}

/** Creates an inbox with an address that was never used before. */
export async function createInbox(mail: Mailroom, { domain, prefix = 'test' }: InboxOptions = {}): Promise<Inbox> {
  const at = domain ?? (await ownDomain(mail))
  const since = new Date(0)
  const { address } = await mail.mailboxes.create({ address: `${prefix}-${randomName()}@${at}`, displayName: 'Test' })
  return {
    address,
    waitForMessage: (params, options) => mail.waitForMessage(address, { since, ...params }, options),
    waitForCode: (params, options) => mail.waitForCode(address, { since, ...params }, options),
    waitForLink: (params, options) => mail.waitForLink(address, { since, ...params }, options),
    remove: async () => void (await mail.mailboxes.delete(address)),
  }
}

export type InboxFixtures = { readonly mail: Mailroom; readonly inbox: Inbox }

type Use<Value> = (value: Value) => Promise<void>

/** The fixtures `mail`, a client, and `inbox`, a fresh one for each test: `base.extend<InboxFixtures>(inboxFixtures())`. */
export function inboxFixtures(options: MailroomOptions & InboxOptions = {}): {
  readonly mail: (others: object, use: Use<Mailroom>) => Promise<void>
  readonly inbox: (others: Pick<InboxFixtures, 'mail'>, use: Use<Inbox>) => Promise<void>
} {
  return {
    // biome-ignore lint/correctness/noEmptyPattern: both runners read the fixtures that this one needs from the pattern.
    mail: async ({}, use) => {
      await use(new Mailroom(options))
    },
    inbox: async ({ mail }, use) => {
      const inbox = await createInbox(mail, options)
      try {
        await use(inbox)
      } finally {
        await inbox.remove()
      }
    },
  }
}

async function ownDomain(mail: Mailroom): Promise<string> {
  const { mailboxes } = await mail.mailboxes.list({ limit: 1 })
  const domain = mailboxes[0]?.domain
  if (domain === undefined)
    throw new TypeError('Name the "domain": the key reaches no mailbox whose domain could be used.')
  return domain
}

const randomName = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0')
