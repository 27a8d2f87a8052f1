/**
 * Asks a person before a call does something that cannot be undone, if the client can show its user a form. The client repeats the
 * call with the answer and with a token of ours, which is bound to the key, the tool, the arguments and the question, and expires after
 * ten minutes. Nothing is stored in between.
 */
import { createHash } from 'node:crypto'
import { type InputRequiredResult, inputRequired, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { requireScope } from '../core/access/principal.ts'
import { readToken, signToken } from '../core/access/signed-tokens.ts'
import { strangersAmong } from '../core/mailbox/contacts.ts'
import { reachMessage } from '../core/mailbox/messages.ts'
import { after, minuteMs } from '../core/process/clock.ts'
import type { Answering } from '../core/send/answer.ts'
import { reachDraft } from '../core/send/drafts.ts'
import { answerRecipients } from '../core/send/send.ts'
import { readRecord } from '../core/zones/records.ts'
import { peopleOf } from '../operations/addresses.ts'
import { canonicalJson } from '../operations/invoke.ts'
import { Failure } from '../schemas/failures.ts'
import type { AddressesInput } from '../schemas/sending.ts'
import { validate } from '../schemas/validate.ts'
import { countProtocolRequest, type KnownCaller, requireKnownCaller } from './caller.ts'
import type { Arguments, Exchange } from './offer.ts'
import type { BoundTool } from './tools.ts'

const purpose = 'mcp-confirm'
const answerMs = 10 * minuteMs
/** The name of the question and of its field in the form. */
const question = 'confirm'
/** Most addresses that a question names. */
const namedMax = 10

/** The question for the person; null if none is needed. */
type Question = (caller: KnownCaller, given: Arguments) => Promise<string | null> | string | null

/** The questions by the name of the tool. */
const questions: Readonly<Record<string, Question>> = {
  create_dns_record: (_, { domain, type, name, value, force }) =>
    force === true ? `Add the ${type} record ${name} "${value}" to ${domain}? ${atRisk}` : null,
  update_dns_record: (caller, given) => askForRecord(caller, given, 'Change'),
  delete_dns_record: (caller, given) => askForRecord(caller, given, 'Delete'),
  empty_trash: (_, { mailbox }) => `Permanently delete everything in the Trash of ${mailbox}?`,
  delete_message: async ({ ctx, principal }, { mailbox, message_id, permanent }) => {
    const which = { address: String(mailbox), messageId: String(message_id) }
    const { folder } = await reachMessage(ctx, principal, which)
    // A message that is already in Trash is deleted permanently.
    if (permanent !== true && folder.role !== 'trash') return null
    return `Permanently delete the message ${message_id} of ${mailbox}?`
  },
  delete_draft: async ({ ctx, principal }, { mailbox, draft_id }) => {
    await reachDraft(ctx, principal, { address: String(mailbox), draftId: String(draft_id) })
    return `Permanently delete the draft ${draft_id} of ${mailbox}?`
  },
  send_message: async (caller, given) =>
    given.dryRun === true ? null : askForStrangers(caller, given, await recipientsOf(caller, given)),
  forward_message: async (caller, given) => {
    const { mailbox, message_id } = given
    await reachMessage(caller.ctx, caller.principal, { address: String(mailbox), messageId: String(message_id) })
    return askForStrangers(caller, given, await recipientsOf(caller, given))
  },
  send_batch: (caller, given) =>
    askForStrangers(
      caller,
      given,
      (given.recipients as readonly { readonly email: string }[]).map(({ email }) => email),
    ),
  send_draft: async (caller, given) => {
    const { ctx, principal } = caller
    const draft = { address: String(given.mailbox), draftId: String(given.draft_id) }
    const { to, cc, bcc } = (await reachDraft(ctx, principal, draft)).message
    return askForStrangers(
      caller,
      given,
      [...to, ...cc, ...bcc].map(({ address }) => address),
    )
  },
}

/**
 * Returns the question that has to be answered before a call; null if the call may proceed. Fails with `validation_error` for malformed
 * arguments, with `insufficient_scope`, and with `forbidden` if the person refused.
 */
export async function confirmationFor(
  { caller: anybody, canAsk, request }: Exchange,
  { arguments: schema, operation, tool }: BoundTool,
  given: Arguments,
): Promise<InputRequiredResult | null> {
  const ask = canAsk && Object.hasOwn(questions, tool.name) ? questions[tool.name] : undefined
  if (ask === undefined) return null
  const caller = requireKnownCaller(anybody)
  const { ctx, principal } = caller
  validate(schema, given)
  for (const scope of operation.scopes) requireScope(principal, scope)
  const call = [principal.keyId, digestOf([tool.name, given])]
  const state = request.requestState<string>()
  const asked = state === undefined ? null : askedIn(caller, state, call)
  const answer = request.inputResponses?.[question] as Answer | undefined
  const isAnswered = asked !== null && answer !== undefined
  if (isAnswered && !(answer.action === 'accept' && answer.content?.[question] === true))
    throw new Failure('forbidden', 'The person who was asked did not agree, so nothing was done.', {
      fix: 'Ask the person what to do instead; do not repeat the call unless they say so.',
    })
  const message = await askIfThere(ask, caller, given)
  if (message === null) return null
  const about = { kind: 'call', ids: [...call, digestOf([message])] }
  // Meanwhile a draft may have got other recipients: nobody has agreed to these.
  if (isAnswered && asked === about.ids.at(-1)) return null
  // The call does not reach its operation, which would count it.
  if (caller.isCounted !== false) await countProtocolRequest(caller)
  return inputRequired({
    inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema: form }) },
    requestState: signToken(ctx, purpose, about, after(ctx.clock.now(), answerMs)),
  })
}

type Answer = { readonly action?: string; readonly content?: { readonly [field: string]: unknown } }

const form = {
  type: 'object' as const,
  properties: { [question]: { type: 'boolean' as const, title: 'Yes, do it', default: false } },
  required: [question],
}

/** The question, or null if what the call names is gone: then the operation refuses the call, or repeats the result of an earlier one. */
async function askIfThere(ask: Question, caller: KnownCaller, given: Arguments): Promise<string | null> {
  try {
    return await ask(caller, given)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

/**
 * The digest of the question that was asked about a call, from the token that the client sends back, which may be anything (2026-07-28,
 * Multi Round-Trip Requests).
 */
function askedIn({ ctx }: KnownCaller, state: string, call: readonly string[]): string | undefined {
  const read = readToken(ctx, purpose, state)
  if (read === null || call.some((id, n) => read.ids[n] !== id))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'This requestState belongs to another call, or is older than 10 minutes.',
    )
  return read.ids.at(-1)
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('base64url')
}

/** The recipients of a mail; for a reply also those that its arguments do not name. */
async function recipientsOf({ ctx, principal }: KnownCaller, given: Arguments): Promise<readonly string[]> {
  const { mailbox, inReplyTo, replyAll, to, cc, bcc } = given as Addressed
  const written = { to: peopleOf(to), cc: peopleOf(cc), bcc: peopleOf(bcc) }
  if (inReplyTo !== undefined)
    return answerRecipients(ctx, principal, { address: mailbox, inReplyTo, replyAll, ...written })
  return Object.values(written).flatMap((people = []) => people.map(({ address }) => address))
}

type Addressed = Answering & {
  readonly mailbox: string
  readonly to?: AddressesInput
  readonly cc?: AddressesInput
  readonly bcc?: AddressesInput
}

const atRisk = 'Mail of the domain may change or stop.'

/** Asks before a change to a record that may break mail. */
async function askForRecord(
  { ctx, principal }: KnownCaller,
  { domain, record_id, force }: Arguments,
  verb: 'Change' | 'Delete',
): Promise<string | null> {
  if (force !== true) return null
  const { type, name, value } = await readRecord(ctx, principal, { domain: String(domain), id: String(record_id) })
  return `${verb} the ${type} record ${name} "${value}" of ${domain}? ${atRisk}`
}

async function askForStrangers(
  { ctx, principal }: KnownCaller,
  { mailbox }: Arguments,
  people: readonly string[],
): Promise<string | null> {
  const address = String(mailbox)
  const strangers = await strangersAmong(ctx, principal, { address, people })
  if (strangers.length === 0) return null
  const named = strangers.slice(0, namedMax).join(', ')
  const more = strangers.length > namedMax ? ` and ${strangers.length - namedMax} more` : ''
  return `${address} has never exchanged mail with ${named}${more}. Send this mail to them?`
}
