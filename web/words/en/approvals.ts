/** What agents want to send, for people to decide on. */
export const approvals = { title: 'Approvals' }
