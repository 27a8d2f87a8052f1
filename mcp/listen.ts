/**
 * Streams on which clients receive notices of changes: `subscriptions/listen` of revision 2026-07-28, and before that the stream of a
 * session, requested by GET.
 */
import { InMemoryServerEventBus, METHOD_NOT_FOUND, type ServerEvent } from '@modelcontextprotocol/server'
import type { McpAnswer, McpRequest } from '../operations/http.ts'
import { isEventStream } from '../operations/registry.ts'
import { beginCurrent } from './current.ts'
import type { Serving } from './handlers.ts'
import { canSubscribe, type Listening, openNotices } from './notices.ts'
import { refuse, refuseFor, serverError } from './refusals.ts'
import { type Sessions, sessionHeader } from './sessions.ts'

/** How often a quiet stream sends a sign of life, because proxies drop idle connections. */
const keepAliveMs = 15_000
const needsKey = 'Listening needs a key: call sign_up, and listen at /api/mcp with the key that it returns.'

/** Answers `subscriptions/listen`: first acknowledges what the client may watch, then sends notices until either side ends the stream. */
export async function answerListen(
  request: McpRequest,
  { body, listening, serving }: { body: unknown; listening: Listening; serving: Serving },
): Promise<McpAnswer> {
  const { caller, offers } = listening
  if (caller.principal === null) return refuse(body, { status: 404, code: METHOD_NOT_FOUND, message: needsKey })
  const narrowed = structuredClone(body) as ListenRequest
  const { notifications } = narrowed.params
  const wanted = notifications.resourceSubscriptions ?? []
  const watched = await Promise.all(wanted.map((uri) => canSubscribe(caller, offers, uri)))
  const uris = wanted.filter((_, n) => watched[n])
  if (wanted.length > 0) notifications.resourceSubscriptions = uris
  const notices = await openNotices(listening).catch((error: unknown) => refuseFor(caller.ctx, body, error))
  if ('status' in notices) return notices
  const bus = new InMemoryServerEventBus()
  const { answer, close } = await beginCurrent(request, { body: narrowed, caller, serving, bus })
  const stream = answer.body
  if (!isEventStream(stream)) {
    notices.close()
    return answer
  }
  void notices.tell(() => uris, bus.publish.bind(bus)).then(close)
  const leave = () => {
    notices.close()
    stream.close()
  }
  return { ...answer, body: { pieces: stream.pieces, close: leave } }
}

type ListenRequest = { readonly params: { readonly notifications: { resourceSubscriptions?: readonly string[] } } }

const messageOf = (event: ServerEvent) =>
  ({
    tools_list_changed: { method: 'notifications/tools/list_changed' },
    prompts_list_changed: { method: 'notifications/prompts/list_changed' },
    resources_list_changed: { method: 'notifications/resources/list_changed' },
    resource_updated: {
      method: 'notifications/resources/updated',
      params: { uri: event.kind === 'resource_updated' ? event.uri : '' },
    },
  })[event.kind]

/** Answers GET: the stream of a session, with notices of changed lists and of the resources that the session has subscribed to. */
export async function answerGet(
  { headers }: McpRequest,
  { listening, sessions }: { listening: Listening; sessions: Sessions },
): Promise<McpAnswer> {
  const { caller } = listening
  const { principal } = caller
  if (principal === null)
    return refuse(null, { status: 405, code: serverError, message: needsKey, headers: { Allow: 'POST' } })
  const named = headers[sessionHeader.toLowerCase()]
  if (typeof named !== 'string' || !headers.accept?.includes('text/event-stream'))
    return refuse(null, {
      status: 405,
      code: serverError,
      message: 'GET is answered with the stream of a session, to a client that accepts text/event-stream.',
      headers: { Allow: 'POST' },
    })
  const session = `${principal.keyId} ${named}`
  const notices = await openNotices(listening).catch((error: unknown) => refuseFor(caller.ctx, null, error))
  if ('status' in notices) return notices
  const { readable, writable } = new TransformStream<string, string>()
  const writer = writable.getWriter()
  const write = (text: string) => void writer.write(text).catch(notices.close)
  const alive = setInterval(() => write(': keep-alive\n\n'), keepAliveMs).unref()
  const forget = sessions.listens(session, notices.close)
  // Sent at once, so that the stream is open before the client's next request.
  write(': open\n\n')
  const told = notices.tell(
    () => sessions.subscribed(session),
    (event) => write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...messageOf(event) })}\n\n`),
  )
  void told.then(async () => {
    clearInterval(alive)
    forget()
    await writer.close().catch(() => undefined)
  })
  return { status: 200, headers: {}, body: { pieces: readable, close: notices.close } }
}
