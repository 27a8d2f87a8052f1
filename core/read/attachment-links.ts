/**
 * Links that open one thing without a key until they expire. A link carries what it leads to and when it ends, under a keyed
 * digest: nothing is stored, nobody can make one up, and it is dead as soon as the thing is gone.
 */
import { timingSafeEqual } from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { findMessage } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { reachMessage } from '../mailbox/messages.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { type Attached, attachmentIn } from './bodies.ts'

export type Link = { readonly url: string; readonly expiresAt: Date }
export type LinkedFile = Pick<Attached, 'name' | 'contentType' | 'content' | 'version'>

/** What a link leads to; a further kind is one more row of `openers`. */
type Target = { readonly kind: keyof typeof openers; readonly ids: readonly string[] }

/** How long a link to an attachment works (decisions.md 4, MCP results). */
const attachmentLinkMs = 15 * minuteMs
const purpose = 'link'

const openers = {
  /** Mailbox, message and attachment. */
  attachment: async (ctx: Context, [mailboxId = '', messageId = '', attachmentId = '']: readonly string[]) => {
    const message = await findMessage(ctx.store, { mailboxId, messageId })
    const [mailbox] = message === null ? [] : await findMailboxes(ctx.store, [message])
    return message === null || mailbox === undefined ? null : attachmentIn(ctx, message, attachmentId)
  },
} as const satisfies {
  readonly [kind: string]: (ctx: Context, ids: readonly string[]) => Promise<LinkedFile | null>
}

/** A link to an attachment that the key reaches, for 15 minutes. Fails with `mailbox_not_found`, `not_found`. */
export async function linkToAttachment(
  ctx: Context,
  principal: Principal,
  { address, messageId, attachmentId }: { address: string; messageId: string; attachmentId: string },
): Promise<Link> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  return makeLink(ctx, { kind: 'attachment', ids: [message.mailboxId, message._id, attachmentId] }, attachmentLinkMs)
}

/**
 * What the token of a link leads to. Fails with `not_found` alike for a token that is none, one that has expired, and one
 * whose thing is gone.
 */
export async function openLink(ctx: Context, token: string): Promise<LinkedFile> {
  const target = readToken(ctx, token)
  const file = target === null ? null : await openers[target.kind](ctx, target.ids)
  if (file === null) throw new Failure('not_found', 'The link has expired, or what it led to is gone.')
  return file
}

function makeLink(ctx: Context, { kind, ids }: Target, lifetimeMs: number): Link {
  const expiresAt = after(ctx.clock.now(), lifetimeMs)
  const said = Buffer.from([kind, expiresAt.getTime().toString(36), ...ids].join(' ')).toString('base64url')
  const token = `${said}.${ctx.secrets.tag(said, purpose).toString('base64url')}`
  return { url: `${ctx.baseUrl}/api/v1/files/${token}`, expiresAt }
}

function readToken(ctx: Context, token: string): Target | null {
  const [said = '', tag = ''] = token.split('.')
  const right = ctx.secrets.tag(said, purpose)
  const given = Buffer.from(tag, 'base64url')
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null
  const [kind = '', expires = '', ...ids] = Buffer.from(said, 'base64url').toString().split(' ')
  const isOver = Number.parseInt(expires, 36) <= ctx.clock.now().getTime()
  return isOver || !Object.hasOwn(openers, kind) ? null : { kind: kind as Target['kind'], ids }
}
