/** German. A word that is missing, or that English does not have, does not compile. */
import type { en } from '../en/all.ts'
import { approvals } from './approvals.ts'
import { frame } from './frame.ts'
import { mail } from './mail.ts'
import { mailboxes } from './mailboxes.ts'
import { parts } from './parts.ts'
import { problem } from './problem.ts'

export const de: typeof en = { frame, parts, problem, mail, approvals, mailboxes }
