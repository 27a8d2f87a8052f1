/**
 * One-click unsubscription of batches (RFC 8058). The address in List-Unsubscribe names the account and the recipient under a
 * keyed digest: nothing is stored, nobody can make one up, and what it does is to suppress the recipient.
 */
import { timingSafeEqual } from 'node:crypto'
import { Failure } from '../../schemas/failures.ts'
import { insertSuppressions } from '../../store/suppressions.ts'
import type { Context } from '../process/context.ts'

type Subscriber = { readonly accountId: string; readonly email: string }

const purpose = 'unsubscribe'

/** The header fields of a mail that its recipient can unsubscribe from. */
export function unsubscribeHeaders(ctx: Context, subscriber: Subscriber): { readonly [name: string]: string } {
  const said = Buffer.from(`${subscriber.accountId} ${subscriber.email}`).toString('base64url')
  return {
    'List-Unsubscribe': `<${ctx.baseUrl}/unsubscribe/${said}.${tagOf(ctx, said)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Whom a token names. Fails with `not_found`. */
export function subscriberOf(ctx: Context, token: string): Subscriber {
  const [said = '', tag = ''] = token.split('.')
  const expected = Buffer.from(tagOf(ctx, said))
  const given = Buffer.from(tag)
  const [accountId = '', email = ''] = Buffer.from(said, 'base64url').toString().split(' ')
  if (given.length !== expected.length || !timingSafeEqual(given, expected) || email === '')
    throw new Failure('not_found', 'That is no link to unsubscribe with.')
  return { accountId, email }
}

/** Stops the account's mail to the recipient. Safe to repeat. Fails with `not_found`. */
export async function unsubscribe(ctx: Context, token: string): Promise<Subscriber> {
  const subscriber = subscriberOf(ctx, token)
  const row = { ...subscriber, reason: 'unsubscribe' as const, detail: null, at: ctx.clock.now() }
  await insertSuppressions(ctx.store, [row])
  return subscriber
}

const tagOf = ({ secrets }: Context, said: string) => secrets.tag(said, purpose).toString('base64url')
