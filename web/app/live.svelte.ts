/**
 * What happens in the account, as it happens. Of all windows of a browser one reads the stream of events, the SDK's, which is
 * taken up again where it was cut, and tells the others: browsers open few connections to one host.
 */
import { ApiError } from '../../sdk/errors.ts'
import type { EventType, MailroomEvent } from '../../sdk/generated/types.ts'
import { mailroom } from './client.ts'
import { session } from './session.svelte.ts'

type Listener = { readonly types: readonly EventType[]; hear(event: MailroomEvent): void }

const listeners = new Set<Listener>()
/** Long enough that a service which refuses a stream, because there are too many, is not asked all the time. */
const refusedPauseMs = 30_000

/** Hears events of the given kinds while a component is shown: call it where the component begins. */
export function onEvents<T extends EventType>(types: readonly T[], hear: (event: MailroomEvent<T>) => void): void {
  $effect(() => {
    const listener = { types, hear: hear as Listener['hear'] }
    listeners.add(listener)
    return () => void listeners.delete(listener)
  })
}

/** Where the newest event stands that this window heard: whoever reads the stream after another window goes on behind it. */
let heard: string | null = null
/** How to stop what listens now. */
let stop = (): void => undefined

/** Begins to listen. Returns how to stop. */
export function followEvents(): () => void {
  stop = follow()
  return () => stop()
}

/** Does what ends the session without listening, since that would be refused then. Listens again when it fails. */
export async function withoutEvents(leave: () => Promise<void>): Promise<void> {
  stop()
  try {
    await leave()
  } catch (error) {
    stop = follow()
    throw error
  }
}

function follow(): () => void {
  const ending = new AbortController()
  const name = `mailroom.events.${session().account?.id ?? ''}`
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }) => tell(data as MailroomEvent)
  const read = () =>
    readStream(ending.signal, (event) => {
      tell(event)
      channel.postMessage(event)
    })
  // Locks are there in secure contexts only; elsewhere every window reads for itself.
  const reading = navigator.locks
    ? navigator.locks.request(name, { signal: ending.signal }, read)
    : readStream(ending.signal, tell)
  reading.catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
  })
  return () => {
    ending.abort()
    channel.close()
  }
}

function tell(event: MailroomEvent): void {
  heard = event.cursor ?? heard
  for (const { types, hear } of listeners) if (types.includes(event.type)) hear(event)
}

async function readStream(signal: AbortSignal, hear: (event: MailroomEvent) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const after = heard === null ? {} : { after: heard }
      for await (const event of mailroom.events.stream(after, { signal })) hear(event)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.statusCode === 401) return
      // Events are not kept for ever.
      if (error instanceof ApiError && error.statusCode === 400) heard = null
      await new Promise((resolve) => setTimeout(resolve, refusedPauseMs))
    }
  }
}
