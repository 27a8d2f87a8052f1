/** English, the reference for all other languages. One file for each area of pages. */
import { account, audit, people, programs, security, usage } from './account.ts'
import { administration } from './administration.ts'
import { approvals } from './approvals.ts'
import { domains } from './domains.ts'
import { frame } from './frame.ts'
import { intake } from './intake.ts'
import { keys } from './keys.ts'
import { mail } from './mail.ts'
import { mailboxes } from './mailboxes.ts'
import { parts } from './parts.ts'
import { problem } from './problem.ts'
import { aliases, batches, sends, suppressions, templates } from './sending.ts'
import { events, webhooks } from './webhooks.ts'

export const en = {
  frame,
  parts,
  problem,
  mail,
  approvals,
  mailboxes,
  account,
  audit,
  people,
  programs,
  security,
  usage,
  administration,
  domains,
  intake,
  keys,
  aliases,
  batches,
  sends,
  suppressions,
  templates,
  events,
  webhooks,
}
