/** Mailboxes by their addresses, as this process knows them (core/process/known.ts). */
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { findAddresses, findMailboxes } from '../../store/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { type ProcessContext, perProcess } from '../process/per-process.ts'

/** Entries of lists and lessons that take as much memory as a mailbox without any. */
const entriesPerMailbox = 10

function weightOf({ lists, lessons = [] }: MailboxDoc): number {
  const entries = Object.values(lists ?? {}).reduce((sum, list) => sum + list.length, lessons.length)
  return 1 + entries / entriesPerMailbox
}

type Listener = (addresses: readonly string[]) => void

/** The caches of this process that hold something about mailboxes. */
const listeners = perProcess(({ changes }) => {
  const all = new Set<Listener>()
  changes.listen((note) => {
    if (note.kind === 'address') for (const listener of all) listener(note.addresses)
  })
  return all
})

/**
 * Calls `listener` with the addresses behind which something changed: at once for changes by this process, and on their change
 * notes for changes by others.
 */
export function onAddressesChanged(process: ProcessContext, listener: Listener): void {
  listeners(process).add(listener)
}

const knownMailboxes = perProcess((process) => {
  const known = createKnown<MailboxDoc>(process.clock, { weigh: weightOf })
  onAddressesChanged(process, (addresses) => known.forget((address) => addresses.includes(address)))
  return known
})

/** Publishes that the mailboxes behind these addresses have changed, or that the addresses lead to other mailboxes. */
export function addressesChanged(ctx: Context, addresses: readonly string[]): void {
  for (const listener of listeners(ctx)) listener(addresses)
  ctx.changes.publish({ kind: 'address', addresses })
}

/** The mailbox at a canonical address, of any account; undefined when there is none, or it was deleted. */
export function mailboxAt(ctx: Context, address: string): Promise<MailboxDoc | undefined> {
  return knownMailboxes(ctx).find(address, async (addresses) => {
    const found = await findAddresses(ctx.store, addresses)
    const mailboxes = await findMailboxes(
      ctx.store,
      found.flatMap(({ kind, accountId, mailboxIds: [mailboxId] }) =>
        kind === 'mailbox' && accountId !== null && mailboxId !== undefined ? [{ accountId, mailboxId }] : [],
      ),
    )
    return new Map(mailboxes.map((mailbox) => [mailbox.address, mailbox]))
  })
}
