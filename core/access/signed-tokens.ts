/**
 * Tokens of links that open something without a key until they expire. A token contains its target and its expiry, signed with the
 * master key: nothing is stored, and tokens cannot be forged. Tokens that an earlier master key signed stay valid as long as that key
 * is kept.
 */
import type { Context } from '../process/context.ts'

/** What a token leads to; neither the kind nor an id contains a space. */
export type Target = { readonly kind: string; readonly ids: readonly string[] }

/** Makes a token. `purpose` keeps the tokens of one use apart from those of others. */
export function signToken(ctx: Context, purpose: string, { kind, ids }: Target, expiresAt: Date): string {
  const payload = Buffer.from([kind, expiresAt.getTime().toString(36), ...ids].join(' ')).toString('base64url')
  return `${payload}.${ctx.secrets.sign(payload, purpose).toString('base64url')}`
}

/** Reads a token that `signToken` made for the same purpose; null when the signature is wrong or the token has expired. */
export function readToken(ctx: Context, purpose: string, token: string): Target | null {
  const [payload = '', signature = ''] = token.split('.')
  if (!ctx.secrets.isSigned(payload, purpose, Buffer.from(signature, 'base64url'))) return null
  const [kind = '', expires = '', ...ids] = Buffer.from(payload, 'base64url').toString().split(' ')
  return Number.parseInt(expires, 36) <= ctx.clock.now().getTime() ? null : { kind, ids }
}
