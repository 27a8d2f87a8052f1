/**
 * What follows from a check of a domain's DNS: who has verified it, and which records are broken. Invariants: if two checks end at
 * once, only one is recorded. News for the owner is stored in the domain's document before its event is recorded, so a crash loses
 * none. A record is never called broken if it was never right, nor on the word of one resolver at one time.
 */
import { deriveId, idAt } from '../../schemas/ids.ts'
import { freeSlot } from '../../store/accounts.ts'
import type { DomainClaimDoc, DomainDoc, DomainNews, RecordLook, Watched } from '../../store/documents/domains.ts'
import {
  changeDomain,
  findClaim,
  findDomain,
  forgetNews,
  insertDomain,
  noteLook,
  removeClaim,
} from '../../store/domains.ts'
import { giveZone } from '../../store/zones.ts'
import { recordEvents } from '../notify/events.ts'
import { after, dayMs, hourMs, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { zoneChanged } from '../zones/served-zones.ts'
import { domainTaken, noDomain, readOnly } from './claims.ts'
import { keysAfter } from './dkim-rotation.ts'
import { dnsRecords, domainRecord, publishedOf } from './domain-record.ts'
import { keepPublished } from './kept-records.ts'
import { checkRecords, type Looked } from './look.ts'
import { recordsToPublish } from './records-to-publish.ts'

/** Pauses between checks: the first after a change, and the longest. Each is half as long again as the one before. */
const pauseFirstMs = 5 * minuteMs
const pauseMaxMs = 6 * hourMs
const pauseGrowth = 1.5
/** Random share by which a pause is longer or shorter, so that domains are not all checked at once. */
const jitter = 0.2
/** If only one resolver answers, it must report a record as wrong twice, this far apart. */
const secondLookMs = minuteMs
const suspectPauseMs = 2 * minuteMs

/**
 * Checks the DNS of an account's domain at once. Returns its state after that. Fails with `domain_not_found`, `conflict` (another
 * account has verified it, or it is a free domain).
 */
export async function verifyDomain(
  ctx: Context,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<DomainDoc | DomainClaimDoc> {
  const found = await findOwn(ctx, { accountId, domain })
  if (found === null) throw noDomain(domain)
  if (!('domain' in found) && found.parent !== null) throw readOnly(domain)
  return checkDomain(ctx, found)
}

/** The domain of an account, or its claim; null if it has neither. */
export async function findOwn(
  ctx: Context,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<DomainDoc | DomainClaimDoc | null> {
  const inUse = await findDomain(ctx.store, domain)
  if (inUse?.accountId === accountId && inUse.status !== 'removed') return inUse
  return findClaim(ctx.store, { accountId, domain })
}

/** Checks a domain or claim and acts on the result. Fails with `conflict` if another account has verified a claimed domain. */
export async function checkDomain(ctx: Context, doc: DomainDoc | DomainClaimDoc): Promise<DomainDoc | DomainClaimDoc> {
  const { accountId, backend, watch } = doc
  const published = publishedOf(doc)
  // If another server keeps the zone and does not answer, the check reports the records that are missing there.
  await keepPublished(ctx, { ...published, accountId, backend }).catch((error: unknown) =>
    ctx.log.warn({ err: error, domain: published.domain }, 'the records of a domain could not be written'),
  )
  const looked = await checkRecords(ctx, published.domain, recordsToPublish(ctx, published))
  const at = ctx.clock.now()
  const looks = looked.map((each) => lookAfter(each, watch?.looks ?? [], at))
  return 'domain' in doc ? claimAfter(ctx, doc, { looks, looked, at }) : domainAfter(ctx, doc, { looks, at })
}

type Result = { readonly looks: readonly RecordLook[]; readonly at: Date }

/** The state of a record after a check. If no resolver answered, it is unchanged. */
function lookAfter({ record, verdicts }: Looked, before: readonly RecordLook[], at: Date): RecordLook {
  const { purpose, required } = record
  const last = before.find((look) => look.purpose === purpose)
  const nothing = { purpose, found: [], ok: false, fix: null, wasOk: false, wrongSince: null, broken: false }
  const answered = verdicts.filter((verdict) => verdict !== null)
  const right = answered.find(({ ok }) => ok)
  if (right !== undefined) return { ...nothing, found: right.found, ok: true, wasOk: true }
  const [wrong] = answered
  if (wrong === undefined) return last ?? { ...nothing, fix: 'No DNS resolver answered. Check again in some minutes.' }
  const wrongSince = last?.wrongSince ?? at
  const isAgreed = answered.length > 1 || after(wrongSince, secondLookMs) <= at
  const wasOk = last?.wasOk ?? false
  return { ...nothing, ...wrong, wasOk, wrongSince, broken: last?.broken === true || (required && wasOk && isAgreed) }
}

/** Turns a claim whose required records are all right into the account's domain, if it is the first. Fails with `conflict`. */
async function claimAfter(
  ctx: Context,
  claim: DomainClaimDoc,
  { looks, looked, at }: Result & { readonly looked: readonly Looked[] },
): Promise<DomainDoc | DomainClaimDoc> {
  const { accountId, domain, watch } = claim
  const isComplete = looked.every(({ record }, n) => !record.required || looks[n]?.ok === true)
  if (isComplete) return takeDomain(ctx, claim, { looks, at })
  const inUse = await findDomain(ctx.store, domain)
  if (inUse !== null && inUse.accountId !== accountId) throw domainTaken(domain)
  const next = watchAfter(watch, { looks, at })
  await changeDomain(ctx.store, { accountId, domain, isClaim: true }, { watch: next }, watch.rev)
  return { ...claim, watch: next }
}

/** Makes a claim the account's domain; the insert is the commit point. If a crash cuts off the rest, the next check repeats it. */
async function takeDomain(ctx: Context, claim: DomainClaimDoc, { looks, at }: Result): Promise<DomainDoc> {
  const { _id: _, accountId, domain, watch, ...rest } = claim
  const doc: DomainDoc = {
    ...rest,
    _id: domain,
    accountId,
    parent: null,
    status: 'verified',
    verifiedAt: at,
    watch: { ...watchAfter(watch, { looks, at }), pauseMs: 0, dueAt: after(at, pauseFirstMs) },
    untold: [{ type: 'domain.verified', at }],
  }
  const isFirst = await insertDomain(ctx.store, doc)
  const inUse = isFirst ? doc : await findDomain(ctx.store, domain)
  if (inUse?.accountId !== accountId) throw domainTaken(domain)
  await giveZone(ctx.store, domain, accountId)
  // The account had both a claim and the domain, which an administrator may have added. The claim goes, and so does its slot.
  if ((await removeClaim(ctx.store, { accountId, domain })) && !isFirst)
    await freeSlot(ctx.store, accountId, 'ownDomains')
  await zoneChanged(ctx, { domain, accountId })
  await tellNews(ctx, inUse)
  return inUse
}

/** Records the state of a domain after a check, and announces what has changed. */
async function domainAfter(ctx: Context, doc: DomainDoc, { looks, at }: Result): Promise<DomainDoc> {
  const { _id: domain, accountId, watch, dkim } = doc
  const wasBroken = new Set(watch?.looks.flatMap(({ purpose, broken }) => (broken ? [purpose] : [])))
  const isBroken = looks.some(({ broken }) => broken)
  const isMended = doc.status === 'broken' && !isBroken
  const news: readonly DomainNews[] = [
    ...looks.flatMap(({ purpose, broken }) =>
      broken && !wasBroken.has(purpose) ? [{ type: 'domain.dns_broken', at, purpose } as const] : [],
    ),
    ...(isMended ? [{ type: 'domain.verified', at } as const] : []),
  ]
  const expiry = expiryNews(doc, at)
  const keys = await keysAfter(ctx, doc, { looks, at })
  const set = {
    status: isBroken ? 'broken' : 'verified',
    watch: watchAfter(watch, { looks, at, isNew: news.length > 0 || keys !== dkim }),
    ...(keys !== dkim && { dkim: keys }),
    ...(isMended && { verifiedAt: at }),
    ...(expiry !== null && { expiryTold: expiry.told }),
  } as const
  const all = expiry === null ? news : [...news, expiry.news]
  const written = await noteLook(ctx.store, { domain, accountId }, { rev: watch?.rev ?? 0, set, news: all })
  // Another check was recorded in the meantime.
  if (written === null) return (await findDomain(ctx.store, domain)) ?? doc
  if (keys !== dkim) await keepPublished(ctx, { ...publishedOf(written), accountId, backend: doc.backend })
  await tellNews(ctx, written)
  return written
}

/** When the DNS is checked next: soon after a change and while something is in doubt, then less and less often. */
function watchAfter(
  before: Watched | undefined,
  { looks, at, isNew = false }: Result & { readonly isNew?: boolean },
): Watched {
  const isSuspect = looks.some(({ wasOk, ok, broken }) => wasOk && !ok && !broken)
  const grown = Math.min(Math.max((before?.pauseMs ?? 0) * pauseGrowth, pauseFirstMs), pauseMaxMs)
  const pauseMs = isSuspect ? suspectPauseMs : isNew ? pauseFirstMs : grown
  const share = 1 + jitter * (2 * Math.random() - 1)
  return { looks, lookedAt: at, dueAt: after(at, Math.round(pauseMs * share)), pauseMs, rev: (before?.rev ?? 0) + 1 }
}

/** Days before the end of a registration at which its owner is notified. */
const expiryDays = [7, 30] as const

/** The notice about the end of a domain's registration; null if none is due. */
function expiryNews({ expiresAt, expiryTold }: DomainDoc, at: Date) {
  if (expiresAt === undefined || expiresAt <= at) return null
  const days = expiryDays.find((each) => after(expiresAt, -each * dayMs) <= at)
  if (days === undefined) return null
  const isSame = expiryTold?.at.getTime() === expiresAt.getTime()
  if (isSame && expiryTold !== undefined && expiryTold.days <= days) return null
  return { told: { at: expiresAt, days }, news: { type: 'domain.expiring', at } as const }
}

/** Records the events for a domain's unannounced news, and then removes the news. Safe to repeat. */
export async function tellNews(ctx: Context, doc: DomainDoc): Promise<void> {
  const { _id: domain, accountId, untold = [] } = doc
  if (untold.length === 0 || accountId === null) return
  const data = domainRecord(ctx, doc)
  await recordEvents(
    ctx,
    untold.map(({ type, at, purpose }) => {
      const [record] = purpose === undefined ? [] : dnsRecords(ctx, doc, purpose)
      return {
        _id: deriveId('evt', idAt('evt', at), [accountId, domain, type, purpose].join(' ')),
        accountId,
        type,
        createdAt: at,
        mailbox: null,
        mailboxId: null,
        domain,
        data: { ...data, ...(record !== undefined && { record }) },
      }
    }),
  )
  await forgetNews(ctx.store, domain, untold)
}
