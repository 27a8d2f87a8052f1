/** The states of a send and its recipients. */
import type { Email } from '../../../sdk/generated/types.ts'

/** The tone in which each state of a recipient is shown. */
export const tones = {
  scheduled: 'plain',
  queued: 'plain',
  sent: 'accent',
  delivered: 'good',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
} as const

/** Returns what keeps a send from going out, or null if nothing does; then each recipient has its own state. */
export function stateOf({ approval, sendAt, recipients }: Email): 'waiting' | 'refused' | 'planned' | null {
  if (approval?.status === 'waiting') return 'waiting'
  if (approval !== undefined && approval.status !== 'approved') return 'refused'
  const waits = recipients.every(({ status, attempts }) => status === 'queued' && attempts === 0)
  return waits && sendAt !== undefined && Date.parse(sendAt) > Date.now() ? 'planned' : null
}
