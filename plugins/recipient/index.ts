/** Accepts recipients that have a mailbox here and refuses all others at RCPT, so that no mail is relayed or bounced later. */
import type { Address } from '@haraka/email-address'
import { findRecipient } from '../../core/receive/recipients.ts'
import type { Connection, Plugin } from '../haraka.d.ts'
import { accept, hook, pass } from '../hook.ts'
import { context } from '../process.ts'

export function register(this: Plugin): void {
  this.register_hook('rcpt', 'acceptRecipient')
}

export const acceptRecipient = hook(async (connection: Connection, [address]: [Address, unknown]) => {
  const { transaction } = connection
  if (transaction === null) return pass
  const { notes } = transaction
  const recipient = await findRecipient(await context(), address.address, Number(notes.parameters?.SIZE ?? 0))
  notes.recipients ??= []
  notes.recipients.push(recipient)
  return accept(`2.1.5 ${address.address} ok`)
})
