/**
 * Notices that something changed, for streams that stay open. Invariants: they follow the numbered events of the account, so none is
 * missed while a stream is open; the right to receive them is checked again with each page of events, and at least every 20 seconds; a
 * stream ends when its key does.
 */
import type { ServerEvent } from '@modelcontextprotocol/server'
import type { Principal } from '../core/access/principal.ts'
import type { Event } from '../core/notify/event-body.ts'
import { followEvents } from '../core/notify/event-followers.ts'
import { addressInEvents } from '../core/notify/event-list.ts'
import { inTimeOf } from '../core/process/account-time.ts'
import { secondMs } from '../core/process/clock.ts'
import { Failure } from '../schemas/failures.ts'
import { type Caller, requireKnownCaller } from './caller.ts'
import { soleMailbox } from './credential.ts'
import type { Offer } from './offer.ts'
import { eventsUri, partsOf } from './resources.ts'

/** Most events that are read at once. */
const pageMax = 100
/** How often a quiet stream checks whether it may still listen. */
const quietMs = 20 * secondMs

export type Listening = {
  readonly caller: Caller
  readonly offers: readonly Offer[]
  /** Finds the principal again. Fails if the key or the account has ended meanwhile. */
  again(): Promise<Principal>
}

export type Notices = {
  /** Sends notices of changes until either side closes it; `uris` returns the resources that are watched at that time. Never rejects. */
  tell(uris: () => Iterable<string>, notice: (event: ServerEvent) => void): Promise<void>
  close(): void
}

/**
 * Starts listening for changes from now on. Fails with `rate_limited` past the limit of the key, and with `unavailable` past that of
 * the process or while it stops.
 */
export async function openNotices({ caller, offers, again }: Listening): Promise<Notices> {
  const { principal } = requireKnownCaller(caller)
  const ctx = inTimeOf(caller.ctx, principal.accountId)
  let known = principal
  let lists = listsOf(caller, offers)
  let sole = await soleMailbox(ctx, known)
  // Changes before `tell` is called are kept, and sent first.
  const changed: ServerEvent[] = []
  let hear = (event: ServerEvent): void => void changed.push(event)
  const follower = await followEvents(
    ctx,
    {
      principal,
      async again() {
        const now = await again()
        const after = listsOf({ ...caller, principal: now }, offers)
        // The mailboxes count too: the only one is the default of an argument.
        if (after.tools !== lists.tools || after.mailboxes !== lists.mailboxes) hear({ kind: 'tools_list_changed' })
        if (after.mailboxes !== lists.mailboxes) hear({ kind: 'resources_list_changed' })
        lists = after
        known = now
        return now
      },
    },
    { limit: pageMax },
  )
  return {
    async tell(uris, notice) {
      hear = notice
      for (const event of changed) notice(event)
      try {
        while (!follower.isClosed()) {
          const { events } = await follower.next(quietMs)
          for (const event of noticesOf(events, uris())) notice(event)
          if (!events.some(changesMailboxes)) continue
          const after = await soleMailbox(ctx, known)
          if (after !== sole) notice({ kind: 'tools_list_changed' })
          sole = after
        }
      } catch (error) {
        if (!(error instanceof Failure)) ctx.log.warn({ err: error }, 'a subscription ended')
      } finally {
        follower.close()
      }
    },
    close: follower.close,
  }
}

/** Whether the caller can be notified of changes to a resource. */
export async function canSubscribe(caller: Caller, offers: readonly Offer[], uri: string): Promise<boolean> {
  for (const offer of offers) if (await offer.canSubscribe(caller, uri)) return true
  return false
}

/** The facts that the lists of a caller depend on. */
function listsOf(caller: Caller, offers: readonly Offer[]): { readonly tools: string; readonly mailboxes: string } {
  const tools = offers.flatMap((offer) => offer.tools(caller)).map(({ name }) => name)
  return { tools: JSON.stringify(tools), mailboxes: JSON.stringify(caller.principal?.mailboxIds) }
}

const changesMailboxes = ({ type }: Event) => type === 'mailbox.created' || type === 'mailbox.deleted'

function noticesOf(events: readonly Event[], uris: Iterable<string>): readonly ServerEvent[] {
  if (events.length === 0) return []
  const received = new Set(events.flatMap(({ type, data }) => (type === 'message.received' ? [data.mailbox] : [])))
  const updated = [...uris].filter((uri) => {
    if (uri === eventsUri) return true
    const { kind, parts } = partsOf(uri) ?? { kind: '', parts: [] }
    return kind === 'mailbox' && received.has(addressInEvents(parts[0] ?? ''))
  })
  const lists = events.some(changesMailboxes)
  return [
    ...updated.map((uri): ServerEvent => ({ kind: 'resource_updated', uri })),
    ...(lists ? [{ kind: 'resources_list_changed' } as const] : []),
  ]
}
