/**
 * Links that are mailed to people. Invariants: only a hash of the token is stored; a link works once, and only until it expires;
 * opening its page changes nothing, because security scanners open every link.
 */
import { Failure } from '../../schemas/failures.ts'
import type { MailedLinkDoc, MailedLinkKind } from '../../store/documents/people.ts'
import * as store from '../../store/mailed-links.ts'
import { after, dayMs, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { hashCredential, newCredential } from '../process/secrets.ts'

type Of<K extends MailedLinkKind> = Extract<MailedLinkDoc, { readonly kind: K }>
type WithoutDates<D> = D extends MailedLinkDoc ? Omit<D, '_id' | 'createdAt' | 'expiresAt'> : never

/** The page of each kind of link, and how long the link is valid. */
const kinds: { readonly [K in MailedLinkKind]: { readonly page: string; readonly validMs: number } } = {
  verify: { page: 'verify', validMs: dayMs },
  reset: { page: 'reset', validMs: hourMs },
  invitation: { page: 'invitation', validMs: 7 * dayMs },
}

/** Makes a link. Returns its URL, which only the mail to the person may contain. */
export async function makeLink(ctx: Context, link: WithoutDates<MailedLinkDoc>): Promise<string> {
  const { page, validMs } = kinds[link.kind]
  const token = newCredential('')
  const at = ctx.clock.now()
  const dates = { createdAt: at, expiresAt: after(at, validMs) }
  await store.insertMailedLink(ctx.store, { ...link, _id: idOf(token), ...dates })
  return `${ctx.baseUrl}/${page}/${token}`
}

/** Reads the link of a token and leaves it valid. Fails with `not_found`. */
export async function readLink<K extends MailedLinkKind>(ctx: Context, kind: K, token: string): Promise<Of<K>> {
  const link = await store.findMailedLink(ctx.store, { id: idOf(token), kind, now: ctx.clock.now() })
  if (link === null) throw unknownLink()
  return link
}

const idOf = (token: string) => hashCredential(token).toString('base64url')

export const unknownLink = () =>
  new Failure('not_found', 'This link is unknown, was used, or has expired.', {
    fix: 'Ask for a new mail, and use the link in the newest one.',
  })
