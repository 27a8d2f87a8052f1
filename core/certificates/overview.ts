/** The state of the ordered certificates, for administrators and for metrics. */

import { Failure } from '../../schemas/failures.ts'
import { type CertificateSummary, certificateSummaries, orderAtOnce } from '../../store/certificates.ts'
import type { Context } from '../process/context.ts'

export type CertificateState = {
  readonly name: string
  readonly state: (typeof states)[number]
  readonly validTo: Date | null
  /** When the certificate is next ordered, renewed or retried. */
  readonly nextAt: Date
  /** Why the last order failed, or what the order is waiting for. */
  readonly reason: string | null
}

const states = ['valid', 'expired', 'failing', 'waiting'] as const

/** All names for which certificates are ordered, with their states. */
export async function certificateStates({ store, clock }: Context): Promise<readonly CertificateState[]> {
  const now = clock.now()
  return (await certificateSummaries(store)).map(({ _id: name, nextAt, validTo, trouble }) => ({
    name,
    state: stateOf({ validTo, trouble }, now),
    validTo: validTo ?? null,
    nextAt,
    reason: trouble?.reason ?? null,
  }))
}

function stateOf({ validTo, trouble }: Pick<CertificateSummary, 'validTo' | 'trouble'>, now: Date) {
  if (validTo !== undefined && validTo <= now) return 'expired'
  if (trouble?.kind === 'failed') return 'failing'
  return validTo === undefined ? 'waiting' : 'valid'
}

/** Sets the metric that counts certificates by state. */
export async function measureCertificates(ctx: Context): Promise<void> {
  const found = await certificateStates(ctx)
  for (const state of states)
    ctx.metrics.set('mailroom_certificates', { state }, found.filter((each) => each.state === state).length)
}

/** Makes the certificate of a name due at once, whatever failed before. Fails with `not_found` if none is ordered for the name. */
export async function renewNow({ store, clock }: Context, name: string): Promise<void> {
  if (await orderAtOnce(store, name.toLowerCase(), clock.now())) return
  throw new Failure('not_found', `No certificate is ordered for ${name}.`, {
    fix: 'Run "mailroom certificates" to see the names that have orders, or add the name to acme.names.',
  })
}
