/** German. If a word is missing here, or is one that English lacks, the code does not compile. */
import type { en } from '../en/all.ts'
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

export const de: typeof en = {
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
