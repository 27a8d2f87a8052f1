/**
 * Resources: the data of the reading tools, at URIs. Invariant: a resource is read by the operation of the corresponding tool, with its
 * scope, reach and limits, and text written by strangers is in a block of its own.
 */
import type { CallToolResult, ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { reachMailbox } from '../core/mailbox/mailboxes.ts'
import { mailboxOfMessage, mailboxOfThread } from '../core/read/whereabouts.ts'
import { listEvents } from '../operations/events.ts'
import { invoke } from '../operations/invoke.ts'
import { listMailboxes } from '../operations/mailboxes.ts'
import { Failure } from '../schemas/failures.ts'
import type { Mailbox } from '../schemas/mailboxes.ts'
import { notACursor } from '../schemas/refusals.ts'
import type { Scope } from '../schemas/scopes.ts'
import { runTool } from './call.ts'
import type { Caller, KnownCaller } from './caller.ts'
import type { Arguments, Page } from './offer.ts'
import { type BoundTool, bind } from './tools.ts'

const scheme = 'mailroom://'
const json = 'application/json'
const pageSize = 200

export const eventsUri = `${scheme}events`

export const templates: readonly ResourceTemplateType[] = [
  {
    name: 'mailbox',
    title: 'Mailbox',
    uriTemplate: `${scheme}mailbox/{address}`,
    description: 'The newest messages in the INBOX of a mailbox. Subscribe to it to be notified of new mail.',
    mimeType: json,
  },
  {
    name: 'message',
    title: 'Message',
    uriTemplate: `${scheme}message/{message_id}`,
    description: 'One message: its sender, text and files.',
    mimeType: json,
  },
  {
    name: 'attachment',
    title: 'Attachment',
    uriTemplate: `${scheme}attachment/{message_id}/{attachment_id}`,
    description: 'One file of a message, up to 1 MB; for a larger one, a link that works for 15 minutes.',
  },
  {
    name: 'thread',
    title: 'Conversation',
    uriTemplate: `${scheme}thread/{thread_id}`,
    description: 'One conversation, oldest message first.',
    mimeType: json,
  },
]

const events: Resource = {
  uri: eventsUri,
  name: 'events',
  title: 'Events',
  description: 'The latest events of the account, newest first. Subscribe to it to be notified of more.',
  mimeType: json,
}

export function mailboxUri(address: string): string {
  return `${scheme}mailbox/${encodeURIComponent(address)}`
}

/** The kind and the parts that a URI of ours names; null for any other URI. */
export function partsOf(uri: string): { readonly kind: string; readonly parts: readonly string[] } | null {
  if (!uri.startsWith(scheme)) return null
  try {
    const [kind = '', ...parts] = uri.slice(scheme.length).split('/').map(decodeURIComponent)
    return parts.includes('') ? null : { kind, parts }
  } catch {
    return null
  }
}

/** The resources that can be listed: the events, and the mailboxes that the key reaches. */
export async function listResources(caller: KnownCaller, cursor: string | undefined): Promise<Page<Resource>> {
  const { mailboxes, next } = await mailboxesOf(caller, cursor)
  const listed = mailboxes.map(
    ({ address, displayName }): Resource => ({
      uri: mailboxUri(address),
      name: address,
      ...(displayName !== null && { title: displayName }),
      description: `The newest messages of ${address}.`,
      mimeType: json,
    }),
  )
  const items = cursor === undefined ? [events, ...listed] : listed
  return { items, ...(next !== null && { next }) }
}

/** A page of the mailboxes that the key reaches; none for a key that may not list them. */
export async function mailboxesOf(caller: KnownCaller, cursor?: string): Promise<MailboxPage> {
  try {
    const { body } = await invoke(caller.ctx, listMailboxes, caller.principal, {
      path: {},
      peerAddress: caller.peerAddress,
      headers: caller.answerHeaders,
      hungUp: caller.hungUp,
      checkOutput: caller.checkOutput,
      isCounted: false,
      input: () => ({ limit: pageSize, ...(cursor !== undefined && { before: cursor }) }),
    })
    return body as unknown as MailboxPage
  } catch (error) {
    if (error instanceof Failure && error.code === 'insufficient_scope') return { mailboxes: [], next: null }
    if (error instanceof Failure && error.detail.param === 'before') throw notACursor('params.cursor')
    throw error
  }
}

type MailboxPage = { readonly mailboxes: readonly Mailbox[]; readonly next: string | null }

const eventsTool = bind(listEvents, {
  name: 'list_events',
  effect: 'read',
  expose: ['limit'],
  preset: { limit: 20 },
  sizedBy: 'limit',
})

/** How resources of a kind are read. `given` fails with `not_found`. */
type Reading = {
  readonly parts: number
  readonly tool: string
  given(caller: KnownCaller, parts: readonly string[]): Promise<Arguments> | Arguments
}

const readings: Readonly<Record<string, Reading>> = {
  mailbox: { parts: 1, tool: 'list_messages', given: (_, [mailbox]) => ({ mailbox, folder: 'INBOX' }) },
  message: {
    parts: 1,
    tool: 'read_message',
    given: async ({ ctx, principal }, [id = '']) => ({
      mailbox: await mailboxOfMessage(ctx, principal, id),
      message_id: id,
    }),
  },
  attachment: {
    parts: 2,
    tool: 'get_attachment',
    given: async ({ ctx, principal }, [id = '', attachment]) => ({
      mailbox: await mailboxOfMessage(ctx, principal, id),
      message_id: id,
      attachment_id: attachment,
    }),
  },
  thread: {
    parts: 1,
    tool: 'get_thread',
    given: async ({ ctx, principal }, [id = '']) => ({
      mailbox: await mailboxOfThread(ctx, principal, id),
      thread_id: id,
    }),
  },
}

/** Reads a resource; null for a URI that is not ours. Rejects as the operation does. */
export function readResource(caller: KnownCaller, uri: string): Promise<ReadResourceResult> | null {
  const found = readingOf(caller.catalogue, uri)
  if (found === null) return null
  const { bound, given } = found
  return Promise.resolve(given(caller)).then((own) => read(caller, bound, own, uri))
}

/** The scopes needed to read or watch a resource; none for a URI that is not ours. */
export function scopesOfResource(catalogue: Caller['catalogue'], uri: string): readonly Scope[] {
  return readingOf(catalogue, uri)?.bound.operation.scopes ?? []
}

/** The tool that reads a resource, and its arguments. */
function readingOf(catalogue: Caller['catalogue'], uri: string) {
  if (uri === eventsUri) return { bound: eventsTool, given: () => ({}) }
  const { kind, parts } = partsOf(uri) ?? { kind: '', parts: [] }
  const reading = Object.hasOwn(readings, kind) ? readings[kind] : undefined
  const bound = reading === undefined ? undefined : catalogue.get(reading.tool)
  if (reading?.parts !== parts.length || bound === undefined) return null
  return { bound, given: (caller: KnownCaller) => reading.given(caller, parts) }
}

async function read(caller: KnownCaller, bound: BoundTool, given: Arguments, uri: string): Promise<ReadResourceResult> {
  // A resource consists of the text of the result, so the bodies must be in it.
  const choice = { ...caller.choice, bodies: 'text' as const }
  const result = await runTool({ ...caller, choice, isCounted: false }, bound, given)
  return { contents: result.content.flatMap((block) => contentsOf(block, uri)) }
}

/** Whether the caller may be notified of changes to a resource: the events, and the mailboxes that it may read. */
export async function canSubscribe({ ctx, principal }: KnownCaller, uri: string): Promise<boolean> {
  if (uri === eventsUri) return true
  const { kind, parts } = partsOf(uri) ?? { kind: '', parts: [] }
  const [address] = parts
  if (kind !== 'mailbox' || parts.length !== 1 || address === undefined) return false
  return (
    principal.scopes.includes('mail:read') &&
    reachMailbox(ctx, principal, address).then(
      () => true,
      () => false,
    )
  )
}

/** The first text is what the service vouches for, as JSON; the block written by strangers follows. */
function contentsOf(block: CallToolResult['content'][number], uri: string): ReadResourceResult['contents'] {
  if (block.type === 'text')
    return [{ uri, mimeType: block.text.startsWith('{') ? json : 'text/plain', text: block.text }]
  return block.type === 'resource' ? [{ ...block.resource, uri }] : []
}
