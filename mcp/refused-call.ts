/** A call that was refused, as a result that says what to do next. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { errorAnswer } from '../operations/errors.ts'
import { type FailureCode, failures } from '../schemas/failures.ts'
import type { ErrorObject } from '../schemas/fields.ts'
import type { Caller } from './caller.ts'
import { isListed } from './credential.ts'
import type { Arguments } from './offer.ts'
import type { BoundTool } from './tools.ts'

/**
 * The error object that tools return: with the id of the request in the log, and whether the same call may succeed later
 * (interface.md, Errors).
 */
export type ToolError = ErrorObject & { readonly requestId: string; readonly retryable: boolean }

/** The tool that lists the valid values of an argument. */
const showing: { readonly [argument: string]: string } = {
  alias: 'list_aliases',
  attachment_id: 'read_message',
  draft_id: 'list_drafts',
  fileId: 'drive_list_files',
  folder: 'list_folders',
  id: 'list_scheduled',
  inReplyTo: 'list_messages',
  label: 'list_labels',
  mailbox: 'list_mailboxes',
  message_id: 'list_messages',
  record_id: 'list_dns_records',
  targets: 'list_mailboxes',
  thread_id: 'list_messages',
}

/** The tools that show why a call was refused; the first one that the caller has is named. */
const explaining: { readonly [C in FailureCode]?: readonly string[] } = {
  AGENT_EMAIL_LIMIT: ['get_account_summary'],
  AGENT_INBOX_LIMIT: ['list_mailboxes'],
  CLAIM_REQUIRED: ['get_setup_summary', 'get_account_summary'],
  agent_inbox_only: ['list_mailboxes'],
  alias_not_found: ['list_aliases'],
  domain_not_found: ['list_domains'],
  domain_not_on_account: ['list_domains', 'list_mailboxes'],
  domain_not_verified: ['list_domains', 'get_setup_summary'],
  email_not_found: ['list_messages'],
  invalid_sender: ['list_mailboxes'],
  mailbox_not_found: ['list_mailboxes'],
  plan_required: ['get_account_summary'],
  sending_paused: ['get_setup_summary', 'get_account_summary'],
  send_limit_reached: ['get_account_summary'],
}

/** The tools to call after a refusal of a particular tool, where they differ from those for other tools. */
const afterwards: { readonly [tool: string]: { readonly [C in FailureCode]?: readonly string[] } } = {
  cancel_scheduled: { conflict: ['get_delivery_status'], email_not_found: ['list_scheduled'] },
}

/** Shows anything thrown as the result of a call. Some clients show their model only the text, so it contains everything. */
export function refusedCall(
  caller: Caller,
  bound: BoundTool,
  { given, error: thrown }: { given: Arguments; error: unknown },
): CallToolResult {
  const { body } = errorAnswer(caller.ctx, thrown)
  const error: ToolError = {
    ...body,
    fix: [body.fix, nextStep(caller, bound, { given, body })].filter((part) => part !== '').join(' '),
    requestId: caller.ctx.requestId,
    retryable: isRetryable(body),
  }
  const wait = body.retryAfter === undefined ? '' : ` Wait ${body.retryAfter} seconds.`
  const text = `${body.code}: ${body.error} ${error.fix}${wait} (request ${error.requestId})`
  return { isError: true, structuredContent: { ...error }, content: [{ type: 'text', text }] }
}

/** Whether the same call may succeed later unchanged: after a wait, or after a fault. */
function isRetryable({ code, retryAfter, statusCode }: ErrorObject): boolean {
  return statusCode >= 500 || retryAfter !== undefined || code === 'idempotency_in_progress'
}

/** The tool to call next; empty if none helps. */
function nextStep(
  { choice, principal, catalogue }: Caller,
  { operation, tool }: BoundTool,
  { given, body }: { given: Arguments; body: ErrorObject },
): string {
  const hasTool = (name: string) => {
    const bound = catalogue.get(name)
    return bound !== undefined && name !== tool.name && isListed(principal, bound) && choice.has(bound)
  }
  const code = body.code as FailureCode
  const [explains] = (afterwards[tool.name]?.[code] ?? explaining[code] ?? []).filter(hasTool)
  const shows = argumentsToBlame(body, given)
    .flatMap((name) => showing[name] ?? [])
    .filter(hasTool)
  const names = explains === undefined ? [...new Set(shows)] : [explains]
  const isReach = operation.access !== 'public' && failures[code].http < 500
  return names.length === 0 || !isReach ? '' : `Call ${names.join(' or ')} first.`
}

/** The arguments that are wrong, or may name something that does not exist. */
function argumentsToBlame({ code, param }: ErrorObject, given: Arguments): readonly string[] {
  if (code === 'validation_error') return param === undefined ? [] : [param.replace(/[.[].*$/s, '')]
  return code === 'not_found' ? Object.keys(given).filter((name) => name !== 'mailbox') : []
}
