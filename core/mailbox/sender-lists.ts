/** The lists of a mailbox: whom it writes to, and who writes to it (decisions.md 2, Mailboxes). Block beats allow. */

import { normaliseDomain } from '../../mail/domain.ts'
import { normaliseAddress, splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { type ListName, listNames, type MailboxLists } from '../../schemas/mailboxes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/mailboxes.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { reachMailbox } from './mailboxes.ts'

/** The lists of a mailbox the key reaches. Fails with `mailbox_not_found`. */
export async function getLists(ctx: Context, principal: Principal, address: string): Promise<MailboxLists> {
  return listsOf(await reachMailbox(ctx, principal, address))
}

/**
 * Replaces those lists that are given. For account keys and people: an agent must not change who may steer it. Fails with
 * `mailbox_not_found`, `forbidden`, `validation_error` (naming the entry).
 */
export async function setLists(
  ctx: Context,
  principal: Principal,
  { address, ...given }: { address: string } & Partial<MailboxLists>,
): Promise<MailboxLists> {
  const mailbox = await reachMailbox(ctx, principal, address)
  if (principal.kind === 'agent') throw new Failure('forbidden', 'Only account keys and people may change lists.')
  const cleaned = Object.fromEntries(
    listNames.flatMap((name) => (given[name] === undefined ? [] : [[name, patternsOf(name, given[name])]])),
  ) as Partial<MailboxLists>
  const { accountId, _id: mailboxId } = mailbox
  const changed = await store.changeLists(ctx.store, { accountId, mailboxId, lists: cleaned })
  if (changed === null) throw new Failure('mailbox_not_found')
  ctx.changes.publish({ kind: 'address', addresses: [mailbox.address] })
  return listsOf(changed)
}

/** Why the lists keep a mailbox from writing to some of the addresses. */
export function sendRefusals(mailbox: MailboxDoc, addresses: readonly string[]): ReadonlyMap<string, Failure> {
  const { sendAllow, sendBlock } = listsOf(mailbox)
  return new Map(
    addresses.flatMap((address): [string, Failure][] => {
      if (isBlocked(sendBlock, address))
        return [[address, new Failure('forbidden', `A list of ${mailbox.address} blocks sending to ${address}.`)]]
      if (sendAllow.length > 0 && !isListed(sendAllow, address))
        return [
          [address, new Failure('forbidden', `${address} is not on the list of whom ${mailbox.address} may send to.`)],
        ]
      return []
    }),
  )
}

export type Sender = {
  /** '' is the null sender. */
  readonly reversePath: string
  /** Whom From names. */
  readonly authors: readonly string[]
  /** Whether the domain of From is authenticated, or perhaps would be if the DNS had answered. */
  readonly authenticated: 'yes' | 'no' | 'perhaps'
}

/**
 * Whether the lists take mail of a sender: blocked by envelope or any author, whoever really sent it; allowed only by an
 * authenticated From whose authors are all listed. 'perhaps': the allow list would take it if the sender turned out to be
 * who it says.
 */
export function receiveRule(
  { receiveAllow, receiveBlock }: Pick<MailboxLists, 'receiveAllow' | 'receiveBlock'>,
  { reversePath, authors, authenticated }: Sender,
): 'take' | 'refuse' | 'perhaps' {
  if ([reversePath, ...authors].some((address) => isBlocked(receiveBlock, address))) return 'refuse'
  if (receiveAllow.length === 0) return 'take'
  if (authors.length === 0 || authenticated === 'no' || !authors.every((author) => isListed(receiveAllow, author)))
    return 'refuse'
  return authenticated === 'yes' ? 'take' : 'perhaps'
}

/** The lists of a mailbox; those never set are empty. */
export function listsOf({ lists }: Pick<MailboxDoc, 'lists'>): MailboxLists {
  return { sendAllow: [], sendBlock: [], receiveAllow: [], receiveBlock: [], ...lists }
}

/** Who may be reached by a tag is the same: a block holds for all tags, an allowance for the address as it stands. */
function isBlocked(patterns: readonly string[], address: string): boolean {
  return patterns.length > 0 && (isListed(patterns, address) || isListed(patterns, withoutTag(address).base))
}

function isListed(patterns: readonly string[], asGiven: string): boolean {
  const address = normaliseAddress(asGiven) ?? asGiven.toLowerCase()
  const { domain } = splitAddress(address)
  if (domain === '') return false
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? domain.endsWith(pattern.slice(1)) : pattern === address || pattern === domain,
  )
}

function patternsOf(name: ListName, texts: readonly string[]): string[] {
  const patterns = texts.map((text, n) => {
    const pattern = patternOf(text.trim())
    if (pattern === null)
      throw new Failure('validation_error', `"${text}" is not an address or a domain.`, { param: `${name}[${n}]` })
    return pattern
  })
  return [...new Set(patterns)]
}

/** An address, a domain, or `*.` and a domain for those below it, in canonical form. */
function patternOf(text: string): string | null {
  if (text.startsWith('*.')) {
    const domain = normaliseDomain(text.slice(2))
    return domain === null ? null : `*.${domain}`
  }
  // `*@example.com` is meant as the domain: as an address it would match nobody, in silence.
  if (text.includes('*')) return null
  if (text.includes('@')) return normaliseAddress(text)
  // A single word is more likely half an address than a top-level domain.
  return text.includes('.') ? normaliseDomain(text) : null
}
