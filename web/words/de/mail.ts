import type { mail as english } from '../en/mail.ts'

/** Mail: lists, messages, writing. */
export const mail: typeof english = { title: 'E-Mail' }
