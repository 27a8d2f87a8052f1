import type { mailboxes as english } from '../en/mailboxes.ts'

/** Mailboxes and what is set for each. */
export const mailboxes: typeof english = { title: 'Postfächer' }
