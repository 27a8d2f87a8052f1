/**
 * Requests to the administrator: to raise a limit, or to confirm a phone number. An administrator answers them, and the person gets
 * the answer by mail.
 */
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import * as store from '../../store/account-requests.ts'
import type { AccountRequestDoc } from '../../store/documents/people.ts'
import { findPerson } from '../../store/people.ts'
import { recordAudit } from '../access/audit.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { verifyPhone } from '../account/reputation.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { answerNotice } from './notices.ts'

export type AccountRequest = Omit<AccountRequestDoc, '_id' | 'following' | 'answeredBy'> & { readonly id: string }

/** Open requests that an account may have. */
const openMax = 10
/** Requests in one list of the administrator. */
const listMax = 200
/** How long a process has to carry out an answer before another one does. */
const lateMs = minuteMs

/**
 * Makes a request to the administrator. Fails with `validation_error` (no text, or no phone number to confirm) and `conflict` (too many
 * requests of the account wait for an answer).
 */
export async function makeRequest(
  ctx: Context,
  { accountId, keyId }: Principal,
  { kind, text = '', phone }: { kind: AccountRequestDoc['kind']; text?: string; phone?: string },
): Promise<AccountRequest> {
  if (kind === 'limit' && text.trim() === '') throw missing('text', 'Say which limit has to be higher, and why.')
  if (kind === 'phone' && phone === undefined) throw missing('phone', 'Give the number, such as "+33123456789".')
  if ((await store.countOpenRequests(ctx.store, accountId)) >= openMax)
    throw new Failure('conflict', `${openMax} requests of the account wait for an answer already.`, {
      fix: 'Wait until they are answered; the answer comes by mail.',
    })
  const at = ctx.clock.now()
  const doc: AccountRequestDoc = {
    _id: newId('ask', at),
    accountId,
    personId: keyId,
    kind,
    text: text.trim(),
    phone: kind === 'phone' ? (phone ?? null) : null,
    status: 'open',
    answer: null,
    createdAt: at,
    answeredAt: null,
  }
  await store.insertRequest(ctx.store, doc)
  return requestOf(doc)
}

/** The requests of an account, newest first. Fails with `validation_error` (cursor). */
export async function listRequests(
  ctx: Context,
  { accountId }: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<AccountRequest>> {
  const rows = await store.listRequests(ctx.store, {
    accountId,
    before: readIdCursor(before, 'ask'),
    limit: limit + 1,
  })
  const { items, next } = pageOf(rows, limit)
  return { items: items.map(requestOf), next }
}

/** The requests of all accounts that wait for an answer, oldest first. */
export async function openRequests(ctx: Context): Promise<readonly AccountRequest[]> {
  return (await store.listRequestsIn(ctx.store, 'open', { limit: listMax })).map(requestOf)
}

/**
 * Answers a request, once. Granting a phone number confirms it. Granting a limit raises nothing by itself: the administrator changes the
 * account's plan or figures separately. With `answeredBy`, the administrator who is signed in, the audit trail of the account records the
 * answer. Fails with `validation_error` (a refusal without a reason) and `not_found`.
 */
export async function answerRequest(
  ctx: Context,
  {
    requestId,
    isGranted,
    answer,
    answeredBy,
  }: { requestId: string; isGranted: boolean; answer: string; answeredBy?: string },
): Promise<AccountRequest> {
  if (!isGranted && answer.trim() === '')
    throw new Failure('validation_error', 'A refusal has to say why.', {
      param: 'answer',
      fix: 'Write what the person is to read, such as what to do instead.',
    })
  const status = isGranted ? 'granted' : 'refused'
  const answeredAt = ctx.clock.now()
  const change = { status, answer, answeredAt, ...(answeredBy !== undefined && { answeredBy }) } as const
  const doc = await store.answerRequest(ctx.store, requestId, change)
  if (doc === null)
    throw new Failure('not_found', `No request ${requestId} waits for an answer.`, {
      fix: 'Use the id of a request that waits (ask_...): GET /api/v1/administration/requests and "mailroom request list" list them.',
    })
  await follow(ctx, doc)
  return requestOf(doc)
}

/** Carries out answers whose process died or failed before it had done so. Returns the number of answers. */
export async function sweepAnswers(ctx: Context): Promise<number> {
  const answered = await store.findFollowing(ctx.store, after(ctx.clock.now(), -lateMs), listMax)
  for (const doc of answered) {
    try {
      await follow(ctx, doc)
    } catch (error) {
      ctx.log.error(
        { err: error, requestId: doc._id },
        'an answer to a request could not be carried out; it is tried again',
      )
    }
  }
  return answered.length
}

/** Records an answer in the audit, confirms a phone number that was granted, and sends the answer to the person. Safe to repeat. */
async function follow(ctx: Context, doc: AccountRequestDoc): Promise<void> {
  const { _id, accountId, kind, status, personId, answer, answeredBy } = doc
  if (answeredBy !== undefined)
    await recordAudit(ctx, {
      id: deriveId('aud', _id, 'answer'),
      accountId,
      keyId: answeredBy,
      action: status === 'granted' ? 'requests.grant' : 'requests.refuse',
      target: _id,
      outcome: 'done',
      address: null,
    })
  if (status === 'granted' && kind === 'phone') await verifyPhone(ctx, accountId)
  const person = await findPerson(ctx.store, personId)
  if (person !== null) {
    const notice = answerNotice(person.email, { ...doc, answer: answer ?? '' })
    await sendNotice(ctx, { ...notice, accountId }, deriveId('em', _id, 'answer'))
  }
  await store.endFollowing(ctx.store, doc)
}

function missing(param: string, fix: string): Failure {
  return new Failure('validation_error', `The request has no "${param}".`, { param, fix })
}

/** Makes the request of a document. */
export function requestOf({ _id: id, following: _, answeredBy: __, ...request }: AccountRequestDoc): AccountRequest {
  return { id, ...request }
}
