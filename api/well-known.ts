/** Public answers at well-known paths, for every host name that leads to this service. */
import { takeAnonymous } from '../core/access/request-rates.ts'
import { challengeAnswer } from '../core/certificates/challenges.ts'
import { stsPolicyAt } from '../core/mailbox/sts-policy.ts'
import { Failure } from '../schemas/failures.ts'
import type { Exchange, Route } from './routes.ts'

export const wellKnownRoutes: readonly Route[] = [
  { method: 'GET', path: '/.well-known/mta-sts.txt', serve: stsPolicy },
  { method: 'GET', path: '/.well-known/acme-challenge/{token}', serve: acmeChallenge },
]

/** RFC 8461 3.3 */
async function stsPolicy(exchange: Exchange): Promise<void> {
  const { ctx, peerAddress } = exchange.state
  await takeAnonymous(ctx, peerAddress)
  const policy = await stsPolicyAt(ctx, exchange.hostname.toLowerCase())
  if (policy === null)
    throw new Failure('not_found', 'This host has no MTA-STS policy.', {
      fix: 'Send the request to mta-sts.DOMAIN, for a domain that is verified here.',
    })
  answer(exchange, policy.text)
}

/** RFC 8555 8.3 */
async function acmeChallenge(exchange: Exchange): Promise<void> {
  const { ctx, peerAddress } = exchange.state
  await takeAnonymous(ctx, peerAddress)
  answer(exchange, await challengeAnswer(ctx, exchange.params.token ?? ''))
}

function answer(exchange: Exchange, text: string): void {
  exchange.body = text
  exchange.type = 'text/plain; charset=utf-8'
}
