/** Notifies the owners of accounts by mail when a webhook endpoint was turned off (interface.md, Webhook endpoint). */
import { deriveId, idAt } from '../../schemas/ids.ts'
import type { WebhookDoc } from '../../store/documents/events.ts'
import { findOwnerAddresses } from '../../store/members.ts'
import { findEndpointsToNotify, noteOwnerNotified } from '../../store/webhooks.ts'
import type { Context } from '../process/context.ts'
import { sendNotice } from '../send/notice.ts'
import { endpointOffNotice } from './notices.ts'

const endpointsMax = 50

/**
 * Mails the owners of endpoints that were turned off. Each owner gets one mail each time that an endpoint is turned off, however often
 * this is repeated. Returns the number of endpoints.
 */
export async function tellOfEndpoints(ctx: Context): Promise<number> {
  const untold = await findEndpointsToNotify(ctx.store, ctx.clock.now(), endpointsMax)
  for (const webhook of untold) {
    for (const address of await findOwnerAddresses(ctx.store, webhook.accountId)) await tell(ctx, webhook, address)
    await noteOwnerNotified(ctx.store, webhook)
  }
  return untold.length
}

async function tell(ctx: Context, webhook: WebhookDoc, address: string): Promise<void> {
  const { _id, accountId, url, failingSince, noticeDueAt = ctx.clock.now() } = webhook
  const id = deriveId('em', idAt('em', noticeDueAt), `${_id} ${address}`)
  const notice = endpointOffNotice(address, { id: _id, url, failingSince, baseUrl: ctx.baseUrl })
  await sendNotice(ctx, { ...notice, accountId }, id)
}
