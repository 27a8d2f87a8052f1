/**
 * One-click unsubscribe links of batches (RFC 8058). The URL in List-Unsubscribe contains the account and the recipient
 * with a keyed digest: nothing is stored, links cannot be forged, and using one suppresses the recipient.
 */
import { timingSafeEqual } from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'
import { suppressUnsubscribed } from '../deliver/suppressions.ts'
import type { Context } from '../process/context.ts'

type Subscriber = { readonly accountId: string; readonly email: string }

const purpose = 'unsubscribe'

/** The header fields of a mail with an unsubscribe link. */
export function unsubscribeHeaders(ctx: Context, subscriber: Subscriber): { readonly [name: string]: string } {
  const payload = Buffer.from(`${subscriber.accountId} ${subscriber.email}`).toString('base64url')
  return {
    'List-Unsubscribe': `<${ctx.baseUrl}/unsubscribe/${payload}.${tagOf(ctx, payload)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Reads the token of a link. Fails with `not_found`. */
export function subscriberOf(ctx: Context, token: string): Subscriber {
  const [payload = '', tag = ''] = token.split('.')
  const expected = Buffer.from(tagOf(ctx, payload))
  const given = Buffer.from(tag)
  // A quoted local part may contain spaces itself.
  const [, accountId = '', email = ''] = /^(\S+) (.+)$/.exec(Buffer.from(payload, 'base64url').toString()) ?? []
  if (given.length !== expected.length || !timingSafeEqual(given, expected) || email === '')
    throw new Failure('not_found', 'This unsubscribe link is not valid.', {
      fix: 'Use the whole link, exactly as it is in the mail.',
    })
  return { accountId, email }
}

/** Suppresses the recipient for the account. Safe to repeat. Fails with `not_found`. */
export async function unsubscribe(ctx: Context, token: string): Promise<Subscriber> {
  const subscriber = subscriberOf(ctx, token)
  await suppressUnsubscribed(ctx, subscriber)
  return subscriber
}

const tagOf = ({ secrets }: Context, payload: string) => secrets.tag(payload, purpose).toString('base64url')
