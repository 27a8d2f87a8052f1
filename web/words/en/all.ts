/** English, the language that every other one is held against. One file for each area of pages. */
import { approvals } from './approvals.ts'
import { frame } from './frame.ts'
import { mail } from './mail.ts'
import { mailboxes } from './mailboxes.ts'
import { parts } from './parts.ts'
import { problem } from './problem.ts'

export const en = { frame, parts, problem, mail, approvals, mailboxes }
