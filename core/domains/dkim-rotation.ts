/**
 * Rotates the DKIM keys of a domain so that every mail can be verified. New keys are published first and sign once they have been
 * seen in the DNS. The old keys then stop signing, and stay published while mail that they signed may be on its way. Each key records
 * its state in `use`.
 */
import { Failure } from '../../schemas/failures.ts'
import type { DkimKey, DomainDoc, RecordLook } from '../../store/documents/domains.ts'
import { changeDomain } from '../../store/domains.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { newDkimKeys } from './claims.ts'
import { publishedOf } from './domain-record.ts'
import { keepPublished } from './kept-records.ts'

/** Mail waits at most 5 days in the queues of other servers (RFC 5321 4.5.4.1), and is verified when it arrives. */
const lastDays = 7

/**
 * Starts to rotate the keys of a domain. Returns the domain; the checks of its DNS then continue the rotation. Fails with `conflict`
 * while another rotation is in progress, or if the domain was changed at the same moment.
 */
export async function rotateKeys(ctx: Context, doc: DomainDoc): Promise<DomainDoc> {
  const { _id: domain, accountId, backend, dkim, watch } = doc
  if (dkim.some(({ use }) => use === 'next'))
    throw new Failure('conflict', `New keys of ${domain} are already published, but not yet seen in the DNS.`, {
      fix: 'Publish their records as "mailroom domain list" shows them; once seen, the keys sign by themselves.',
    })
  const at = ctx.clock.now()
  const change = {
    dkim: [...dkim, ...(await nextKeys(ctx, at))],
    ...(watch !== undefined && { watch: { ...watch, dueAt: at, rev: watch.rev + 1 } }),
  }
  const next = { ...doc, ...change }
  if (!(await changeDomain(ctx.store, { accountId, domain, isClaim: false }, change, watch?.rev)))
    throw new Failure('conflict', `The domain ${domain} was changed at the same moment.`, {
      fix: 'Repeat the command.',
    })
  await keepPublished(ctx, { ...publishedOf(next), accountId, backend })
  return next
}

/** The keys of a domain after a check of its DNS; the same array if nothing changes. */
export async function keysAfter(
  ctx: Context,
  { dkim, createdAt }: Pick<DomainDoc, 'dkim' | 'createdAt'>,
  { looks, at }: { readonly looks: readonly RecordLook[]; readonly at: Date },
): Promise<readonly DkimKey[]> {
  const next = dkim.filter(({ use }) => use === 'next')
  if (next.length > 0) {
    const isSeen = ({ selector }: DkimKey) => looks.some(({ purpose, ok }) => ok && purpose === `dkim ${selector}`)
    return next.every(isSeen) ? dkim.map((key) => changedOver(key, at)) : dkim
  }
  const left = dkim.filter(({ use, since = at }) => use !== 'last' || after(since, lastDays * dayMs) > at)
  if (left.length < dkim.length) return left
  const { dkimDays } = ctx.settings.domains
  const isOld = ({ since = createdAt }: DkimKey) => after(since, dkimDays * dayMs) <= at
  return dkimDays > 0 && dkim.every(isOld) ? [...dkim, ...(await nextKeys(ctx, at))] : dkim
}

/** The state of a key after the change: new keys sign, and those that signed stop. */
function changedOver(key: DkimKey, at: Date): DkimKey {
  if (key.use === 'last') return key
  const { use, ...rest } = key
  return use === 'next' ? { ...rest, since: at } : { ...rest, use: 'last', since: at }
}

async function nextKeys(ctx: Context, at: Date): Promise<readonly DkimKey[]> {
  return (await newDkimKeys(ctx, at)).map((key) => ({ ...key, use: 'next', since: at }))
}
