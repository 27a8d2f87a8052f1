/** Mailboxes by their addresses, as this process knows them (core/process/known.ts). */
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { findAddresses, findMailboxes } from '../../store/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

/** Entries of lists and lessons that take as much memory as a mailbox without any. */
const entriesPerMailbox = 10

function weightOf({ lists, lessons = [] }: MailboxDoc): number {
  const entries = Object.values(lists ?? {}).reduce((sum, list) => sum + list.length, lessons.length)
  return 1 + entries / entriesPerMailbox
}

const knownMailboxes = perProcess(({ clock, changes }) => {
  const known = createKnown<MailboxDoc>(clock, { weigh: weightOf })
  changes.listen((note) => {
    if (note.kind === 'address') known.forget((address) => note.addresses.includes(address))
  })
  return known
})

/** Says that the mailboxes behind these addresses were changed, or others lie behind them. */
export function addressesChanged(ctx: Context, addresses: readonly string[]): void {
  knownMailboxes(ctx).forget((address) => addresses.includes(address))
  ctx.changes.publish({ kind: 'address', addresses })
}

/** The mailbox at an address (canonical), of whichever account; undefined when there is none, or it was deleted. */
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
