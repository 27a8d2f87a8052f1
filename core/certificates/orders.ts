/**
 * Orders certificates. An order is stored in the database with the key of its certificate. Each run advances the orders that are
 * due, according to their state at the authority, so any process can continue where another one died. Invariants: one process at a
 * time works on a name, under a lease, and writes made after the lease was lost have no effect. A failure keeps the previous
 * certificate, and its reason is stored.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization, Order } from 'acme-client'
import { newToken } from '../../schemas/ids.ts'
import {
  type CertificateChange,
  type CertificateDoc,
  changeCertificate,
  claimCertificate,
  nextCertificateAt,
} from '../../store/certificates.ts'
import { isUnavailable } from '../../store/unwell.ts'
import { isAbsent } from '../dns/resolver.ts'
import { noteDue } from '../process/alarms.ts'
import { after, dayMs, hourMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { isWildcard, serviceNames } from '../process/service-names.ts'
import { publishTxt, withdrawTxt } from '../zones/system-records.ts'
import {
  type Authority,
  authorityAt,
  type Challenge,
  forgetAccount,
  isEnding,
  newPrivateKey,
  Refusal,
  wordsOf,
} from './authority.ts'
import { certificateOf, isFor } from './files.ts'
import { openIssued, openKey, sealKey } from './issued.ts'
import { renewalOf } from './renewal.ts'

/** Names worked on at once in one process. */
const atOnce = 4
/** Longer than the requests of one step take in the worst case. If a process dies, its name is due again after this time. */
const leaseMs = 5 * minuteMs
/** Pauses within a step, in which an authority has usually checked an answer. After them the step ends; the next one checks again. */
const pausesMs = [50, 100, 200, 400]
const pollMs = { min: 2 * secondMs, max: minuteMs }
/** An order that the authority has not finished after this time is given up. */
const orderMs = dayMs
/** Minimum time between two certificates of a name, whatever the authority suggests. */
const restMs = hourMs
/** Pauses after failures, which authorities count, mostly by the hour. */
const backOffMs = { first: 5 * minuteMs, times: 4, max: dayMs }
/** Pauses between DNS lookups for a name that has no address yet. */
const lookMs = { first: minuteMs, times: 2, max: 6 * hourMs }
/** The longest pause, whatever Retry-After says. */
const retryAfterMaxMs = 7 * dayMs

/** Advances all orders that are due. Does nothing if the settings name no authority. */
export async function advanceCertificates(ctx: Context): Promise<void> {
  const { directory } = ctx.settings.acme
  if (directory === null) return
  const underWay = workers(ctx)
  while (underWay.size < atOnce) {
    const worker = advanceDue(ctx, directory).finally(() => underWay.delete(worker))
    underWay.add(worker)
  }
  await Promise.all(underWay)
}

/** The workers of this process. An alarm may start a run while an earlier one is still working. */
const workers = perProcess(() => new Set<Promise<void>>())

/** When the next order is due; null if none is. */
export async function nextAdvance({ settings, store }: Context): Promise<Date | null> {
  return settings.acme.directory === null ? null : nextCertificateAt(store)
}

async function advanceDue(ctx: Context, directory: string): Promise<void> {
  while (!isEnding(ctx)) {
    const now = ctx.clock.now()
    const doc = await claimCertificate(ctx.store, { now, until: after(now, leaseMs), token: newToken() })
    if (doc === null) return
    await new Work(ctx, directory, doc).advance()
  }
}

/** The lease was lost: another process is working on the name. */
class LeaseLost extends Error {}

/** The work on one name, under its lease. */
class Work {
  readonly #ctx: Context
  readonly #directory: string
  readonly #name: string
  #doc: CertificateDoc

  constructor(ctx: Context, directory: string, doc: CertificateDoc) {
    this.#ctx = ctx
    this.#directory = directory
    this.#name = doc._id
    this.#doc = doc
  }

  async advance(): Promise<void> {
    try {
      const change = await this.#step()
      await this.#end(change)
      if (change.set.issued !== undefined) this.#tellIssued(change.set.issued.validTo)
    } catch (error) {
      if (error instanceof LeaseLost) return
      if (isUnavailable(error)) throw error
      await this.#end(isEnding(this.#ctx) ? this.#again(0) : this.#trouble(error)).catch((lost: unknown) => {
        if (!(lost instanceof LeaseLost)) throw lost
      })
    }
  }

  async #step(): Promise<CertificateChange> {
    const { issued, order, renew, unwantedSince } = this.#doc
    if (order?.directory === this.#directory) return this.#proceed(await this.#authority(), order)
    if (unwantedSince !== undefined) return this.#again(dayMs)
    if (issued?.directory === this.#directory && renew !== true) {
      const { isDue, nextAt } = await renewalOf(this.#ctx, { name: this.#name, issued })
      if (!isDue) return { set: { nextAt } }
    }
    if (await isNowhere(this.#ctx, this.#name)) return this.#waiting()
    return this.#begin(await this.#authority())
  }

  async #begin(authority: Authority): Promise<CertificateChange> {
    const { issued } = this.#doc
    const before = issued?.directory === this.#directory ? openIssued(this.#ctx, this.#name, issued).leaf : null
    const { url } = await authority.order(this.#name, before).catch((error: unknown) => {
      // The authority may not know the certificate that this one replaces any more.
      if (before === null || !(error instanceof Refusal) || error.isTemporary) throw error
      return authority.order(this.#name, null)
    })
    const key = sealKey(this.#ctx, this.#name, newPrivateKey())
    const order = { directory: this.#directory, url, key, at: this.#ctx.clock.now() }
    await this.#save({ order })
    return this.#proceed(authority, order)
  }

  async #proceed(
    authority: Authority,
    { url, key, at }: NonNullable<CertificateDoc['order']>,
  ): Promise<CertificateChange> {
    const ageMs = this.#ctx.clock.now().getTime() - at.getTime()
    if (ageMs > orderMs) throw new Refusal('The authority has not finished the order within a day.')
    for (const pauseMs of [...pausesMs, null]) {
      const order = await authority.readOrder(url)
      if (order.status === 'invalid') throw await refusalOf(authority, order)
      if (order.status === 'valid')
        return this.#take(await authority.download(order), openKey(this.#ctx, this.#name, key))
      if (order.status === 'pending') await this.#prove(authority, await authority.authorization(order))
      if (order.status === 'ready') await authority.finalize(order, this.#name, openKey(this.#ctx, this.#name, key))
      if (pauseMs !== null) await sleep(pauseMs)
    }
    return this.#again(Math.min(pollMs.max, Math.max(pollMs.min, ageMs / 4)))
  }

  /** Answers the challenge, unless it is already answered. */
  async #prove(authority: Authority, { status, challenges }: Authorization): Promise<void> {
    if (status !== 'pending') return
    const challenge = await this.#answer(authority, challenges)
    if (challenge.status === 'pending') await authority.answered(challenge)
  }

  /** Publishes the answer where the authority looks for it. Returns the challenge that was answered. */
  async #answer(authority: Authority, challenges: readonly Challenge[]): Promise<Challenge> {
    const [overHttp, inDns] = (['http-01', 'dns-01'] as const).map((type) =>
      challenges.find((challenge) => challenge.type === type),
    )
    if (inDns !== undefined && (isWildcard(this.#name) || this.#ctx.settings.acme.challenge === 'dns-01')) {
      if (inDns.status !== 'pending') return inDns
      const answer = await authority.answerTo(inDns)
      if (await publishTxt(this.#ctx, proofName(this.#name), [answer])) {
        await this.#save({ challenge: { type: 'dns-01', answer } })
        return inDns
      }
    }
    if (overHttp === undefined)
      throw new Refusal(
        'The authority offers no challenge that can be answered: neither http-01, nor dns-01 in a zone of ours.',
      )
    if (overHttp.status !== 'pending') return overHttp
    const answer = await authority.answerTo(overHttp)
    await this.#save({ challenge: { type: 'http-01', token: overHttp.token, answer } })
    return overHttp
  }

  /** Stores the issued certificate if it is the one that was ordered. */
  async #take(chain: string, key: string): Promise<CertificateChange> {
    const certificate = certificateOf({ key, chain }, { key: 'the order', cert: 'its answer' })
    const { leaf } = certificate
    if (!isFor(certificate, this.#name))
      throw new Refusal(`The authority issued a certificate for other names: ${leaf.subjectAltName ?? leaf.subject}`)
    const [validFrom, validTo] = [leaf.validFromDate, leaf.validToDate]
    const sealed = sealKey(this.#ctx, this.#name, key)
    const issued = { directory: this.#directory, chain, key: sealed, validFrom, validTo }
    const { nextAt: renewAt } = await renewalOf(this.#ctx, { name: this.#name, issued })
    const nextAt = new Date(Math.max(renewAt.getTime(), this.#ctx.clock.now().getTime() + restMs))
    return { set: { issued, nextAt }, drop: ['order', 'challenge', 'trouble', 'renew'] }
  }

  #waiting(): CertificateChange {
    const count = this.#countOf('waits')
    const reason = `${this.#name} has no address in the DNS yet.`
    return {
      set: {
        nextAt: after(this.#ctx.clock.now(), growing(lookMs, count)),
        trouble: { kind: 'waits', at: this.#ctx.clock.now(), count, reason },
      },
    }
  }

  /** The stored state after a failure. The order is dropped, unless the authority only failed temporarily. */
  #trouble(error: unknown): CertificateChange {
    const reason = error instanceof Error ? error.message : String(error)
    const { isTemporary, retryAfterMs, isUnknownAccount } = error instanceof Refusal ? error : new Refusal(reason)
    if (isUnknownAccount) forgetAccount(this.#ctx, this.#directory)
    const count = this.#countOf('failed')
    const [at, pauseMs] = [this.#ctx.clock.now(), Math.max(growing(backOffMs, count), retryAfterMs)]
    const nextAt = after(at, Math.min(pauseMs, retryAfterMaxMs))
    this.#ctx.log.warn({ err: error, name: this.#name, nextAt }, 'a certificate could not be ordered')
    this.#ctx.metrics.count('mailroom_certificate_orders_total', { result: 'failed' })
    return {
      set: { nextAt, trouble: { kind: 'failed', at, count, reason } },
      drop: isTemporary ? [] : ['order', 'challenge'],
    }
  }

  #countOf(kind: 'failed' | 'waits'): number {
    const { trouble } = this.#doc
    return trouble?.kind === kind ? trouble.count + 1 : 1
  }

  #again(inMs: number): CertificateChange {
    return { set: { nextAt: after(this.#ctx.clock.now(), inMs) } }
  }

  #authority(): Promise<Authority> {
    return authorityAt(this.#ctx, this.#directory)
  }

  async #save(set: CertificateChange['set']): Promise<void> {
    this.#doc = { ...this.#doc, ...set }
    if (!(await changeCertificate(this.#ctx.store, this.#doc, { set, isEnd: false }))) throw new LeaseLost()
  }

  async #end(change: CertificateChange): Promise<void> {
    if (!(await changeCertificate(this.#ctx.store, this.#doc, { ...change, isEnd: true }))) throw new LeaseLost()
    if (change.set.nextAt !== undefined) noteDue(this.#ctx, 'certificates', change.set.nextAt)
    const isOver = change.drop?.includes('challenge') === true
    const { challenge } = this.#doc
    if (isOver && challenge?.type === 'dns-01') await withdrawTxt(this.#ctx, proofName(this.#name), challenge.answer)
  }

  #tellIssued(validTo: Date): void {
    const { changes, log, metrics } = this.#ctx
    changes.publish({ kind: 'certificates', names: [this.#name] })
    metrics.count('mailroom_certificate_orders_total', { result: 'issued' })
    log.info({ name: this.#name, validTo }, 'a certificate was issued')
  }
}

/** The name of the DNS-01 record (RFC 8555 8.4). For a wildcard it is that of the domain (7.1.3). */
const proofName = (name: string) => `_acme-challenge.${isWildcard(name) ? name.slice(2) : name}`

/** Whether a name of a domain has no address: an order would fail and count against us. Names of the service are ordered anyway. */
async function isNowhere(ctx: Context, name: string): Promise<boolean> {
  if (serviceNames(ctx).includes(name)) return false
  const answers = await Promise.allSettled([ctx.resolver.resolve(name, 'A'), ctx.resolver.resolve(name, 'AAAA')])
  return answers.every((answer) => answer.status === 'rejected' && isAbsent(answer.reason))
}

/** Why an order is invalid, according to its failed challenge. */
async function refusalOf(authority: Authority, order: Order): Promise<Refusal> {
  const { challenges } = await authority.authorization(order)
  const problem = challenges.find(({ error }) => error !== undefined)?.error ?? order.error
  return new Refusal(`The order failed: ${wordsOf(problem ?? {}) ?? 'the authority gives no reason.'}`)
}

type Growth = { readonly first: number; readonly times: number; readonly max: number }

/** The pause after the nth failure, randomly a little longer or shorter, so that retries do not coincide. */
function growing({ first, times, max }: Growth, n: number): number {
  return Math.min(max, first * times ** (n - 1)) * (0.9 + 0.2 * Math.random())
}
