/** In which state a send and its recipients are. */
import type { Email } from '../../../sdk/generated/types.ts'

/** How each state of a recipient looks. */
export const tones = {
  scheduled: 'plain',
  queued: 'plain',
  sent: 'accent',
  delivered: 'good',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
} as const

/** What keeps a send from going out; null when nothing does, and then each recipient has a state of its own. */
export function stateOf({ approval, sendAt, recipients }: Email): 'waiting' | 'refused' | 'planned' | null {
  if (approval?.status === 'waiting') return 'waiting'
  if (approval !== undefined && approval.status !== 'approved') return 'refused'
  const waits = recipients.every(({ status, attempts }) => status === 'queued' && attempts === 0)
  return waits && sendAt !== undefined && Date.parse(sendAt) > Date.now() ? 'planned' : null
}
