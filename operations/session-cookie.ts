/** The cookie of a session (decisions.md 2, People): hidden from scripts, and not sent with cross-site requests (`SameSite=Lax`). */
import type { IncomingHttpHeaders } from 'node:http'
import type { NewSession } from '../core/access/sessions.ts'
import { secondsUntil } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'

const name = 'mailroom_session'

/** The token in the cookie of a request; null without one. */
export const sessionTokenOf = (headers: IncomingHttpHeaders): string | null => cookieOf(headers, name)

/** The value of a cookie (RFC 6265 5.4); null without it. */
export function cookieOf({ cookie = '' }: IncomingHttpHeaders, wanted: string): string | null {
  for (const pair of cookie.split(';')) {
    const [key = '', value] = pair.split('=', 2)
    if (key.trim() === wanted && value !== undefined) return value.trim()
  }
  return null
}

/** The Set-Cookie field that begins a session in a browser (RFC 6265 4.1). */
export function sessionCookie(ctx: Context, { token, endsAt }: Pick<NewSession, 'token' | 'endsAt'>): string {
  return `${name}=${token}; Max-Age=${secondsUntil(ctx.clock.now(), endsAt)}; ${attributesOf(ctx)}`
}

/** The Set-Cookie field that ends it. */
export const endedSessionCookie = (ctx: Context): string => `${name}=; Max-Age=0; ${attributesOf(ctx)}`

/** The attributes of our cookies: for all paths, hidden from scripts, and not sent with cross-site requests, except when a link is followed. */
export function attributesOf({ baseUrl }: Context): string {
  return `Path=/; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`
}
