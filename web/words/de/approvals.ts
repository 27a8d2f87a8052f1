import type { approvals as english } from '../en/approvals.ts'

/** What agents want to send, for people to decide on. */
export const approvals: typeof english = { title: 'Freigaben' }
