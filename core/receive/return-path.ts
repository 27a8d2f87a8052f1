/**
 * The address that a mail comes back to. It names the recipient it was sent to, under a keyed digest: a report that comes
 * late finds its row, and one that was made up finds nothing (decisions.md 2, Delivery states).
 */
import { timingSafeEqual } from 'node:crypto'
import { splitAddress } from '../../mail/message/address.ts'
import type { Context } from '../process/context.ts'
import type { Recipient } from './recipient-cache.ts'

export type Returned = NonNullable<Recipient['returned']>

const purpose = 'return path'
const digestChars = 16
const form = /^bounce-([0-9a-hjkmnp-tv-z]{26})-([0-9a-z]{1,4})-([0-9a-f]{16})$/

/** At most 54 characters before the `@` (RFC 5321 4.5.3.1.1: 64), on the domain of the sender, so that SPF speaks for it. */
export function returnPathOf(ctx: Pick<Context, 'secrets'>, { emailId, n }: Returned, sender: string): string {
  const id = emailId.slice(emailId.indexOf('_') + 1)
  const place = n.toString(36)
  return `bounce-${id}-${place}-${digestOf(ctx, id, place)}@${splitAddress(sender).domain}`
}

/** What a canonical address names: null when it is no return path, 'forged' when its digest is wrong. */
export function readReturnPath(ctx: Pick<Context, 'secrets'>, address: string): Returned | 'forged' | null {
  const [, id = '', place = '', digest = ''] = form.exec(splitAddress(address).local) ?? []
  if (id === '') return null
  const isOurs = timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(ctx, id, place)))
  return isOurs ? { emailId: `em_${id}`, n: Number.parseInt(place, 36) } : 'forged'
}

function digestOf({ secrets }: Pick<Context, 'secrets'>, id: string, place: string): string {
  return secrets.tag(`${id} ${place}`, purpose).toString('hex').slice(0, digestChars)
}
