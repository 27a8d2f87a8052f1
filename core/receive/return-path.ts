/**
 * Return paths: the reverse-path of mail we send, to which bounces and reports come back. It names the recipient that
 * the mail was sent to, with a keyed digest: a late report still finds its recipient, and a forged one finds none
 * (decisions.md 2, Delivery states).
 */
import { timingSafeEqual } from 'node:crypto'
import { splitAddress } from '../../mail/message/address.ts'
import { returnPathForm } from '../mailbox/service-addresses.ts'
import type { Context } from '../process/context.ts'
import type { Recipient } from './recipient-cache.ts'

export type ReturnPath = NonNullable<Recipient['returnPath']>

const purpose = 'return path'
const digestChars = 16

/**
 * Makes the return path of one recipient of a send. It has at most 54 characters before the `@` (RFC 5321 4.5.3.1.1
 * allows 64), and is on the domain of the sender, so that SPF is aligned with From.
 */
export function returnPathOf(ctx: Pick<Context, 'secrets'>, { emailId, n }: ReturnPath, sender: string): string {
  const id = emailId.slice(emailId.indexOf('_') + 1)
  const number36 = n.toString(36)
  return `bounce-${id}-${number36}-${digestOf(ctx, id, number36)}@${splitAddress(sender).domain}`
}

/** Whether an address looks like a return path, of this service or of another. */
export const isReturnPath = (address: string): boolean => returnPathForm.test(splitAddress(address).local)

/** Reads a canonical address as a return path. Returns null when it is not one, 'forged' when its digest is wrong. */
export function readReturnPath(ctx: Pick<Context, 'secrets'>, address: string): ReturnPath | 'forged' | null {
  const [, id = '', number36 = '', digest = ''] = returnPathForm.exec(splitAddress(address).local) ?? []
  if (id === '') return null
  const isOurs = timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(ctx, id, number36)))
  return isOurs ? { emailId: `em_${id}`, n: Number.parseInt(number36, 36) } : 'forged'
}

function digestOf({ secrets }: Pick<Context, 'secrets'>, id: string, number36: string): string {
  return secrets.tag(`${id} ${number36}`, purpose).toString('hex').slice(0, digestChars)
}
