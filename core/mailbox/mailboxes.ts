/** Creates, finds, changes and deletes mailboxes. */
import { isBlank } from '../../mail/encoding/invisible-characters.ts'
import { normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { allowanceOf, type Plans } from '../../schemas/plans.ts'
import { notAnAddress } from '../../schemas/refusals.ts'
import { freeSlot, grantMailbox, takeSlot } from '../../store/accounts.ts'
import type { AddressDoc, AutoReply, MailboxDoc } from '../../store/documents/mail.ts'
import { findClaim, findDomain } from '../../store/domains.ts'
import type { NewEvent } from '../../store/events.ts'
import { insertStandardFolders } from '../../store/folders.ts'
import { endIntake } from '../../store/intake.ts'
import * as store from '../../store/mailboxes.ts'
import { mayHaveMade } from '../access/idempotency.ts'
import { callersChanged } from '../access/known-callers.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import { isAdministrator, type Principal, reaches } from '../access/principal.ts'
import { giveBackRolling, takeRolling } from '../access/usage.ts'
import { recordEvents } from '../notify/events.ts'
import { dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { currentDomain } from './domains.ts'
import { addressesChanged, mailboxAt } from './known-mailboxes.ts'
import { isServiceLocalPart } from './service-addresses.ts'
import { storageOf } from './storage-limit.ts'

export type Mailbox = {
  readonly id: string
  readonly accountId: string
  readonly address: string
  readonly domain: string
  readonly kind: 'agent' | 'person'
  readonly displayName: string | null
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly signature: string | null
  readonly autoReply: AutoReply | null
  readonly storage: { readonly usedBytes: number; readonly limitBytes: number }
  /** Advice to the caller, present while recipients see only the address and no name. */
  readonly hint?: string
}

const displayNameMax = 200
const noNameHint = 'Recipients see only the address: set displayName so that they see a name.'

/** Lists the mailboxes that the key may reach, newest first. Fails with `validation_error` (cursor). */
export async function listMailboxes(
  ctx: Context,
  principal: Principal,
  { limit, before = null }: { limit: number; before?: string | null },
): Promise<Page<Mailbox>> {
  const docs = await store.listMailboxes(ctx.store, {
    accountId: principal.accountId,
    only: principal.mailboxIds,
    before: readIdCursor(before, 'mbx'),
    limit: limit + 1,
  })
  const page = pageOf(docs, limit)
  return { items: await mailboxesOf(ctx, page.items, principal.account), next: page.next }
}

/**
 * Creates a mailbox on one of the account's domains. Fails with `validation_error`, `domain_not_on_account`,
 * `domain_not_verified`, `forbidden` (kind), `plan_required`, `AGENT_INBOX_LIMIT`, `mailbox_creation_limit`, `conflict`
 * (address taken, or the domain is being deleted).
 */
export async function createMailbox(
  ctx: Context,
  principal: Principal,
  {
    address,
    displayName = null,
    kind = 'agent',
  }: { address: string; displayName?: string | null; kind?: 'agent' | 'person' },
): Promise<Mailbox> {
  const { account, accountId, keyId } = principal
  const canonical = canonicalAddress(address)
  await requireOwnDomain(ctx, accountId, splitAddress(canonical).domain)
  if (kind === 'person' && principal.kind === 'agent')
    throw new Failure('forbidden', 'Only account keys may create mailboxes of the kind "person".', {
      fix: 'Use an account key, or leave "kind" out for an agent inbox.',
    })
  if (kind === 'person' && account.plan === null)
    throw new Failure('plan_required', 'A mailbox for a person needs a mail plan, and the account has none.', {
      fix: 'Leave "kind" out for an agent inbox, or take a mail plan.',
    })
  const earlier = await madeEarlier(ctx, principal, canonical)
  if (earlier !== null) return giveMailbox(ctx, principal, earlier)
  const allowance = allowanceOf(account)
  const rolling = {
    owner: `${accountId}:${keyId}`,
    counter: 'mailboxes',
    limit: allowance.inboxCreationsPerDay,
    windowMs: dayMs,
  }
  const granted = await takeRolling(ctx, rolling)
  if ('waitSeconds' in granted) {
    throw new Failure(
      'mailbox_creation_limit',
      `This key has created ${allowance.inboxCreationsPerDay} mailboxes within 24 hours, which is the limit of the plan.`,
      { retryAfter: granted.waitSeconds },
    )
  }
  try {
    if (!(await takeSlot(ctx.store, accountId, 'inboxes', allowance.inboxes))) {
      throw new Failure('AGENT_INBOX_LIMIT', `The plan includes ${allowance.inboxes} inboxes, and all are in use.`)
    }
    try {
      const doc = await provisionMailbox(ctx, {
        accountId,
        address: canonical,
        displayName: cleanName(displayName),
        kind,
        createdBy: isAdministrator(principal) ? null : keyId,
      })
      await requireDomainRemains(ctx, doc, () => takeBack(ctx, doc))
      return await giveMailbox(ctx, principal, doc)
    } catch (error) {
      await freeSlot(ctx.store, accountId, 'inboxes')
      throw error
    }
  } catch (error) {
    await giveBackRolling(ctx, rolling, granted.token)
    throw error
  }
}

/** The mailbox that an earlier try of this request made at the address; else null. */
async function madeEarlier(ctx: Context, principal: Principal, address: string): Promise<MailboxDoc | null> {
  if (!ctx.mayRepeat) return null
  const [found] = await store.findAddresses(ctx.store, [address])
  const [mailboxId] = found?.mailboxIds ?? []
  if (found?.kind !== 'mailbox' || mailboxId === undefined) return null
  const mailbox = await store.findMailbox(ctx.store, { accountId: principal.accountId, mailboxId })
  const createdBy = isAdministrator(principal) ? null : principal.keyId
  return mailbox?.createdBy === createdBy && mayHaveMade(ctx, mailbox) ? mailbox : null
}

/** Grants a new mailbox to the agent key that made it, and announces it. Safe to repeat. */
async function giveMailbox(ctx: Context, principal: Principal, doc: MailboxDoc): Promise<Mailbox> {
  const { kind, keyHash, keyId, account } = principal
  if (kind === 'agent' && keyHash !== null) {
    await grantMailbox(ctx.store, { hash: keyHash, keyId, mailboxId: doc._id })
    await callersChanged(ctx, { keyIds: [keyId] })
  }
  const mailbox = await mailboxOf(ctx, doc, account)
  await announceMailbox(ctx, 'mailbox.created', mailbox)
  return mailbox
}

/**
 * Inserts a mailbox with its folders and its address, without checks of the account. Fails with `conflict` when the
 * address is taken.
 */
export async function provisionMailbox(
  ctx: Context,
  {
    accountId,
    address,
    displayName,
    kind,
    createdBy,
  }: Pick<MailboxDoc, 'accountId' | 'address' | 'displayName' | 'kind' | 'createdBy'>,
): Promise<MailboxDoc> {
  const at = ctx.clock.now()
  const mailboxId = newId('mbx', at)
  const { domain } = splitAddress(address)
  // The address is inserted last: once RCPT finds it, everything else is there.
  const doc: MailboxDoc = {
    _id: mailboxId,
    accountId,
    address,
    domain,
    kind,
    displayName,
    signature: null,
    autoReply: null,
    createdAt: at,
    createdBy,
  }
  await insertStandardFolders(ctx.store, {
    accountId,
    mailboxId,
    uidValidity: Math.floor(at.getTime() / 1000),
  })
  await store.insertMailbox(ctx.store, doc)
  if (
    await store.insertAddress(ctx.store, {
      _id: address,
      accountId,
      mailboxIds: [mailboxId],
      kind: 'mailbox',
      domain,
      createdAt: at,
      releasedAt: null,
    })
  ) {
    // Until now a catch-all may have received mail to this address.
    addressesChanged(ctx, [address])
    return doc
  }
  await store.removeMailbox(ctx.store, { accountId, mailboxId })
  throw new Failure('conflict', `The address ${address} is already in use.`, {
    fix: 'Choose another "address": a mailbox, an alias or a deleted mailbox of the last 30 days has this one.',
  })
}

/** Undoes the creation of a mailbox. Its address is free at once, and mail that arrived meanwhile is purged with it. */
async function takeBack(ctx: Context, { accountId, _id: mailboxId, address }: MailboxDoc): Promise<void> {
  await store.removeAddress(ctx.store, { accountId, mailboxId })
  await store.markMailboxDeleted(ctx.store, { accountId, mailboxId, at: ctx.clock.now() })
  addressesChanged(ctx, [address])
}

/** Reads a mailbox. Fails with `mailbox_not_found`, also when it exists but the key may not reach it. */
export async function getMailbox(ctx: Context, principal: Principal, address: string): Promise<Mailbox> {
  return mailboxOf(ctx, await reachMailbox(ctx, principal, address), principal.account)
}

/** The document of the mailbox at an address, if the key may reach it. Fails with `mailbox_not_found`. */
export async function reachMailbox(ctx: Context, principal: Principal, address: string): Promise<MailboxDoc> {
  const canonical = normaliseAddress(address)
  const found = canonical === null ? undefined : await mailboxAt(ctx, canonical)
  if (found === undefined || found.accountId !== principal.accountId || !reaches(principal, found._id))
    throw noMailbox(principal, address)
  return found
}

const noMailbox = ({ kind }: Principal, address: string) =>
  kind === 'agent'
    ? new Failure('mailbox_not_found', `This key reaches no mailbox ${address}.`)
    : new Failure('mailbox_not_found', `The account has no mailbox ${address}.`, {
        fix: 'Check the address, or list the mailboxes of the account.',
      })

export type MailboxChange = {
  readonly displayName?: string | null
  readonly signature?: string | null
  readonly autoReply?: AutoReply | null
}

/**
 * Changes display name, signature or automatic reply; null removes one. Fails with `mailbox_not_found`,
 * `validation_error`, `forbidden` (a caller whose sends wait for approval turns on automatic replies).
 */
export async function updateMailbox(
  ctx: Context,
  principal: Principal,
  { address, ...change }: { address: string } & MailboxChange,
): Promise<Mailbox> {
  const { accountId } = principal
  const { _id: mailboxId } = await reachMailbox(ctx, principal, address)
  const { displayName, signature, autoReply } = change
  if (autoReply?.enabled === true && principal.waitsForApproval)
    throw new Failure('forbidden', 'Sends of this caller wait for approval, so it may not turn on automatic replies.', {
      fix: 'Have an account key or a person of the account turn them on.',
    })
  const now = ctx.clock.now()
  if (autoReply?.enabled === true && autoReply.until !== null && autoReply.until <= now)
    throw new Failure('validation_error', '"autoReply.until" is in the past, so nobody would get a reply.', {
      param: 'autoReply.until',
      fix: `Give a time after ${now.toISOString()}, or null to reply without an end.`,
    })
  const set = {
    ...(displayName !== undefined && { displayName: cleanName(displayName) }),
    ...(signature !== undefined && { signature }),
    ...(autoReply !== undefined && { autoReply }),
  }
  const doc =
    Object.keys(set).length === 0
      ? await store.findMailbox(ctx.store, { accountId, mailboxId })
      : await store.changeMailbox(ctx.store, { accountId, mailboxId, change: set })
  if (doc === null) throw new Failure('mailbox_not_found')
  addressesChanged(ctx, [doc.address])
  return mailboxOf(ctx, doc, principal.account)
}

/**
 * Deletes a mailbox: it stops receiving at once, and its mail is purged 30 days later. An agent key may delete only a
 * mailbox that it created. Fails with `mailbox_not_found`, `forbidden`.
 */
export async function deleteMailbox(ctx: Context, principal: Principal, address: string): Promise<void> {
  const doc = await reachMailbox(ctx, principal, address)
  if (principal.kind === 'agent' && doc.createdBy !== principal.keyId)
    throw new Failure('forbidden', 'An agent key may delete only mailboxes that it created.', {
      fix: 'Use the key that created it ("createdBy"), or an account key.',
    })
  await deleteMailboxUnchecked(ctx, doc, principal.account)
}

/** Deletes a mailbox without checking who asks. */
export async function deleteMailboxUnchecked(ctx: Context, doc: MailboxDoc, plans: Plans): Promise<void> {
  const at = ctx.clock.now()
  const { accountId, _id: mailboxId } = doc
  if (!(await store.markMailboxDeleted(ctx.store, { accountId, mailboxId, at }))) return
  await freeSlot(ctx.store, accountId, 'inboxes')
  await finishMailboxDeletion(ctx, doc, plans)
}

/** What follows from the deletion of a mailbox: releases its addresses and records `mailbox.deleted`. Safe to repeat. */
export async function finishMailboxDeletion(ctx: Context, doc: MailboxDoc, plans: Plans): Promise<void> {
  const at = ctx.clock.now()
  const { accountId, _id: mailboxId } = doc
  const { addresses, aliasesGone } = await store.releaseAddresses(ctx.store, { accountId, mailboxId, at })
  await endIntakeOf(ctx, doc)
  addressesChanged(ctx, addresses)
  await freeSlot(ctx.store, accountId, 'aliases', aliasesGone)
  await announceMailbox(ctx, 'mailbox.deleted', await mailboxOf(ctx, doc, plans))
}

/** Ends the intake of a mailbox: its mail makes no more records, and a clock deletes those it made (core/intake/retention.ts). */
async function endIntakeOf(ctx: Context, { accountId, _id: mailboxId }: MailboxDoc): Promise<void> {
  const ended = await endIntake(ctx.store, { accountId, mailboxId, at: ctx.clock.now() })
  if (ended !== null) ctx.changes.publish({ kind: 'intakes', mailboxIds: [mailboxId] })
}

/** The record of a mailbox as callers see it. */
export async function mailboxOf(ctx: Context, doc: MailboxDoc, plans: Plans): Promise<Mailbox> {
  const [mailbox] = await mailboxesOf(ctx, [doc], plans)
  return mailbox!
}

/** The records of mailboxes of one account, in two queries however many there are; concurrent requests share them. */
async function mailboxesOf(ctx: Context, docs: readonly MailboxDoc[], plans: Plans): Promise<readonly Mailbox[]> {
  const nameless = new Set(docs.filter(({ displayName }) => displayName === null).map(({ domain }) => domain))
  const [used, domains] = await Promise.all([
    storageOf(
      ctx,
      docs.map(({ _id }) => _id),
    ),
    Promise.all([...nameless].map((domain) => currentDomain(ctx, domain))),
  ])
  const named = new Set(domains.flatMap((domain) => (domain?.defaultDisplayName == null ? [] : domain._id)))
  const limitBytes = allowanceOf(plans).storagePerInboxBytes
  return docs.map((doc) => {
    const { _id, accountId, address, domain, kind, displayName, createdAt, createdBy, signature, autoReply } = doc
    return {
      id: _id,
      accountId,
      address,
      domain,
      kind,
      displayName,
      createdAt,
      createdBy,
      signature,
      autoReply,
      storage: { usedBytes: used.get(_id) ?? 0, limitBytes },
      ...(displayName === null && !named.has(domain) && { hint: noNameHint }),
    }
  })
}

/** Records the event of a mailbox's creation or deletion. */
export async function announceMailbox(
  ctx: Context,
  type: 'mailbox.created' | 'mailbox.deleted',
  mailbox: Mailbox,
): Promise<void> {
  await recordEvents(ctx, [mailboxEvent(type, mailbox, ctx.clock.now())])
}

/** The event of a mailbox's creation or deletion; its id is derived from the mailbox. */
function mailboxEvent(type: 'mailbox.created' | 'mailbox.deleted', mailbox: Mailbox, at: Date): NewEvent {
  const { id, accountId, address, domain, kind, displayName, createdAt, createdBy, signature, autoReply, storage } =
    mailbox
  return {
    _id: deriveId('evt', id, type),
    accountId,
    type,
    createdAt: at,
    mailbox: address,
    mailboxId: id,
    domain,
    data: {
      address,
      displayName,
      kind,
      domain,
      createdAt: createdAt.toISOString(),
      createdBy,
      signature,
      autoReply: autoReply === null ? null : { ...autoReply, until: autoReply.until?.toISOString() ?? null },
      storage: { used: storage.usedBytes, limit: storage.limitBytes },
    },
  }
}

function canonicalAddress(address: string): string {
  const canonical = normaliseAddress(address)
  if (canonical === null) throw notAnAddress(address, 'address')
  if (splitAddress(canonical).local.includes('+'))
    throw new Failure(
      'validation_error',
      'A mailbox address must not contain "+": mail to name+tag reaches the mailbox anyway.',
      { param: 'address', fix: 'Leave out the "+" and the tag after it.' },
    )
  if (splitAddress(canonical).local === '*')
    throw new Failure('validation_error', 'A catch-all (*@domain) is an alias, not a mailbox.', {
      param: 'address',
      fix: 'Create the mailbox with another name, then *@domain as an alias that leads to it.',
    })
  requireNotServiceAddress(canonical, 'address')
  return canonical
}

/** Fails with `validation_error` when the service itself receives the mail to an address, so that a mailbox there never would. */
export function requireNotServiceAddress(canonical: string, param: string): void {
  if (!isServiceLocalPart(splitAddress(canonical).local)) return
  throw new Failure(
    'validation_error',
    `${canonical} is an address for bounces or reports, which the service reads itself.`,
    {
      param,
      fix: 'Choose another name: names of the form "bounce-..." or "reports-..." with a digest are reserved.',
    },
  )
}

/** Fails with `domain_not_on_account` or `domain_not_verified` unless the account may have addresses in the domain. */
export async function requireOwnDomain(ctx: Context, accountId: string, domain: string): Promise<void> {
  const owner = await findDomain(ctx.store, domain)
  if (owner?.accountId === accountId && owner.status !== 'removed') return
  if ((await findClaim(ctx.store, { accountId, domain })) !== null)
    throw new Failure('domain_not_verified', `The domain ${domain} is not verified yet.`)
  throw new Failure('domain_not_on_account', `The domain ${domain} is not on this account.`, {
    fix: 'Choose an address on a domain of the account, or add the domain first.',
  })
}

/**
 * Calls `takeBack` and fails with `conflict` when the domain of an address that was just made is gone or being deleted. A deletion
 * marks the domain before it counts the addresses on it, so at least one of the two sees the other.
 */
export async function requireDomainRemains(
  ctx: Context,
  { accountId, domain }: Pick<AddressDoc, 'accountId' | 'domain'>,
  takeBack: () => Promise<void>,
): Promise<void> {
  const owner = await findDomain(ctx.store, domain)
  if (owner?.accountId === accountId && owner.status !== 'removed' && owner.leaving === undefined) return
  await takeBack()
  throw new Failure('conflict', `The domain ${domain} is being deleted.`, {
    fix: 'Choose an address on another domain. If the deletion was interrupted, delete the domain again.',
  })
}

/**
 * Makes a display name safe for a header: line breaks and control characters become spaces. Returns null for a name without visible
 * characters. Fails with `validation_error` when it is too long.
 */
function cleanName(name: string | null): string | null {
  if (name === null) return null
  const clean = name.replaceAll(/\p{Cc}/gu, ' ').trim()
  if ([...clean].length > displayNameMax)
    throw new Failure('validation_error', `"displayName" must have at most ${displayNameMax} characters.`, {
      param: 'displayName',
      fix: 'Shorten "displayName".',
    })
  return isBlank(clean) ? null : clean
}
