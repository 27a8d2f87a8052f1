/**
 * Live events of the account. Browsers open few connections to one host, so only one window of a browser reads the event stream
 * and passes the events on to the others. The SDK resumes a stream where it was cut.
 */
import { ApiError } from '../../sdk/errors.ts'
import type { EventType, MailroomEvent } from '../../sdk/generated/types.ts'
import { mailroom } from './client.ts'
import { session } from './session.svelte.ts'

type Listener = { readonly types: readonly EventType[]; hear(event: MailroomEvent): void }

const listeners = new Set<Listener>()
/** The pause after a refused stream, so that a service that has too many streams is not asked again and again. */
const refusedPauseMs = 30_000

/** Receives events of the given types while a component is shown. Call it during the component's initialisation. */
export function onEvents<T extends EventType>(types: readonly T[], hear: (event: MailroomEvent<T>) => void): void {
  $effect(() => {
    const listener = { types, hear: hear as Listener['hear'] }
    listeners.add(listener)
    return () => void listeners.delete(listener)
  })
}

/** The cursor of the newest event that this window received. If it takes the stream over from another window, it resumes there. */
let heard: string | null = null
/** Stops the current listener. */
let stop = (): void => undefined

/** Starts to listen. Returns a function that stops. */
export function followEvents(): () => void {
  stop = follow()
  return () => stop()
}

/** Runs something that ends the session with the stream closed, since the stream would be refused. Listens again if it fails. */
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
  // Web Locks exist only in secure contexts; elsewhere each window reads the stream for itself.
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
      // The event of the cursor may have expired: begin with new events.
      if (error instanceof ApiError && error.statusCode === 400) heard = null
      await new Promise((resolve) => setTimeout(resolve, refusedPauseMs))
    }
  }
}
