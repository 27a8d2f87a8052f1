/** Mailboxes and what is set for each. */
export const mailboxes = { title: 'Mailboxes' }
