/**
 * What came of an attempt, from the engine to whoever waits for it. Deferred and bounced mail is always answered OK, which
 * makes the engine forget it: the row in the database decides about another attempt, and about telling the sender.
 */
import type { HMailItem, Plugin } from '../haraka.d.ts'
import { accept, hook } from '../hook.ts'
import type { AttemptMail } from '../outbound/mail.ts'

export function register(this: Plugin): void {
  for (const name of ['delivered', 'deferred', 'bounce']) this.register_hook(name, 'settle')
}

export const settle = hook((mail: HMailItem & Partial<AttemptMail>) => {
  mail.settle?.()
  return accept()
})
