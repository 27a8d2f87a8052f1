/**
 * The check mailbox: an address that takes one mail. Only what the server found out about its sender is kept, for an hour. An
 * administrator sends a mail there to see what a receiver sees. The address contains its creation time, protected by a keyed digest.
 */
import { timingSafeEqual } from 'node:crypto'
import { splitAddress } from '../../mail/message/address.ts'
import { newId, timeOfId } from '../../schemas/ids.ts'
import { findCheck, insertCheck } from '../../store/deliverability.ts'
import type { CheckDoc } from '../../store/documents/deliverability.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** The findings about a mail to a check address. */
export type Check = Omit<CheckDoc, '_id' | 'expiresAt'>

const purpose = 'check address'
const form = /^check-([0-9a-hjkmnp-tv-z]{26})-([0-9a-f]{16})$/
const digestChars = 16
const validMs = hourMs

/** Creates a check address, with the id under which its result is found. */
export function newCheckAddress(ctx: Pick<Context, 'secrets' | 'settings' | 'clock'>): {
  readonly id: string
  readonly address: string
} {
  const id = newId('req', ctx.clock.now()).slice('req_'.length)
  return { id, address: `check-${id}-${digestOf(ctx, id)}@${ctx.settings.sharedDomain}` }
}

/** The id of a check address (in canonical form) that was created within the last hour; null for any other address. */
export function readCheckAddress(ctx: Pick<Context, 'secrets' | 'settings' | 'clock'>, address: string): string | null {
  const { local, domain } = splitAddress(address)
  const [, id = '', digest = ''] = form.exec(local) ?? []
  if (id === '' || domain !== ctx.settings.sharedDomain) return null
  if (!timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(ctx, id)))) return null
  return after(timeOfId(`req_${id}`), validMs) > ctx.clock.now() ? id : null
}

/** Stores the findings about the first mail to a check address. */
export async function keepCheck(ctx: Context, id: string, check: Check): Promise<void> {
  await insertCheck(ctx.store, { _id: id, ...check, expiresAt: after(check.at, validMs) })
}

/** The findings about the mail to a check address; null if none has arrived yet. */
export function checkOf(ctx: Context, id: string): Promise<Check | null> {
  return findCheck(ctx.store, id)
}

function digestOf({ secrets }: Pick<Context, 'secrets'>, id: string): string {
  return secrets.tag(id, purpose).toString('hex').slice(0, digestChars)
}
