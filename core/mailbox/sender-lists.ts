/**
 * The allow and block lists of a mailbox, for sending and for receiving (decisions.md 2, Mailboxes). A block wins over
 * an allow.
 */

import { normaliseDomain } from '../../mail/domain.ts'
import { normaliseAddress, splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { type ListName, listNames, type MailboxLists } from '../../schemas/mailboxes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/mailboxes.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { addressesChanged } from './known-mailboxes.ts'
import { reachMailbox } from './mailboxes.ts'

/** Reads the lists of a mailbox that the key may reach. Fails with `mailbox_not_found`. */
export async function getLists(ctx: Context, principal: Principal, address: string): Promise<MailboxLists> {
  return listsOf(await reachMailbox(ctx, principal, address))
}

/**
 * Replaces the lists that are given. Agent keys may not: an agent must not change who may instruct it. Fails with
 * `mailbox_not_found`, `forbidden`, `validation_error` (naming the entry).
 */
export async function setLists(
  ctx: Context,
  principal: Principal,
  { address, ...given }: { address: string } & Partial<MailboxLists>,
): Promise<MailboxLists> {
  const mailbox = await reachMailbox(ctx, principal, address)
  if (principal.kind === 'agent')
    throw new Failure('forbidden', 'Only account keys and people may change the lists of a mailbox.', {
      fix: 'Use an account key.',
    })
  const cleaned = Object.fromEntries(
    listNames.flatMap((name) => (given[name] === undefined ? [] : [[name, readPatterns(name, given[name])]])),
  ) as Partial<MailboxLists>
  const { accountId, _id: mailboxId } = mailbox
  const changed = await store.changeLists(ctx.store, { accountId, mailboxId, lists: cleaned })
  if (changed === null) throw new Failure('mailbox_not_found')
  addressesChanged(ctx, [mailbox.address])
  return listsOf(changed)
}

/** The addresses that the lists forbid the mailbox to send to, each with its failure. */
export function listRefusals(mailbox: MailboxDoc, addresses: readonly string[]): ReadonlyMap<string, Failure> {
  const { sendAllow, sendBlock } = listsOf(mailbox)
  return new Map(
    addresses.flatMap((address): [string, Failure][] => {
      if (isBlocked(sendBlock, address))
        return [
          [
            address,
            new Failure('forbidden', `The sendBlock list of ${mailbox.address} forbids sending to ${address}.`, {
              fix: `Leave ${address} out, or have an account key take it, or its domain, off the list "sendBlock".`,
            }),
          ],
        ]
      if (sendAllow.length > 0 && !isListed(sendAllow, address))
        return [
          [
            address,
            new Failure('forbidden', `The sendAllow list of ${mailbox.address} does not include ${address}.`, {
              fix: `Leave ${address} out, or have an account key add it to the list "sendAllow".`,
            }),
          ],
        ]
      return []
    }),
  )
}

export type Sender = {
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly reversePath: string
  /** The addresses in From. */
  readonly authors: readonly string[]
  /** Whether the domain of From is authenticated; 'perhaps' when the DNS did not answer, so that it cannot be decided. */
  readonly authenticated: 'yes' | 'no' | 'perhaps'
}

/**
 * What the lists say about mail from a sender. A block applies to the reverse-path and to each author, authenticated or
 * not. An allow applies only when From is authenticated and all its authors are listed. Returns 'perhaps' when the allow
 * list would take the mail if the sender were authenticated.
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

/** The lists of a mailbox; a list that was never set is empty. */
export function listsOf({ lists }: Pick<MailboxDoc, 'lists'>): MailboxLists {
  return { sendAllow: [], sendBlock: [], receiveAllow: [], receiveBlock: [], ...lists }
}

/** A blocked address is blocked with every tag; an allowed address is allowed only as it is written. */
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

function readPatterns(name: ListName, texts: readonly string[]): string[] {
  const patterns = texts.map((text, n) => {
    const pattern = readPattern(text.trim())
    if (pattern === null)
      throw new Failure('validation_error', `"${text}" is neither an email address nor a domain.`, {
        param: `${name}[${n}]`,
        fix: 'Write it as "ann@example.org", "example.org", or "*.example.org" for all domains below example.org.',
      })
    return pattern
  })
  return [...new Set(patterns)]
}

/**
 * The canonical form of a list entry: an address, a domain, or `*.` and a domain for its sub-domains; null for any other
 * text.
 */
function readPattern(text: string): string | null {
  if (text.startsWith('*.')) {
    const domain = normaliseDomain(text.slice(2))
    return domain === null ? null : `*.${domain}`
  }
  // `*@example.com` probably means the domain; as an address it would silently match nothing.
  if (text.includes('*')) return null
  if (text.includes('@')) return normaliseAddress(text)
  // A single word is more likely an incomplete address than a top-level domain.
  return text.includes('.') ? normaliseDomain(text) : null
}
