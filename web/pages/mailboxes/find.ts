import type { Mailbox } from '../../../sdk/generated/types.ts'

/** With this many mailboxes or more, there is a field to find some of them. */
export const manyMin = 8

/** Returns the mailboxes whose address or name contains what was typed. */
export function matching(mailboxes: readonly Mailbox[], typed: string): readonly Mailbox[] {
  const wanted = typed.trim().toLowerCase()
  return mailboxes.filter(({ address, displayName }) =>
    `${address} ${displayName ?? ''}`.toLowerCase().includes(wanted),
  )
}
