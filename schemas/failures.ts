/**
 * Every failure that a peer can receive, declared once: a row per failure, a column per protocol. REST answers with `http` and the
 * code, SMTP with the `smtp` reply, IMAP with the response code. `fix` says what to change before retrying; `when` is the entry in
 * the error reference. Codes and statuses are the contract's (interface.md, Errors); `unavailable` is defined by decisions.md.
 */
type Row = {
  readonly http: number
  readonly smtp: string
  readonly imap: string
  readonly when: string
  /** null: the failure has many causes, and whoever throws it says what to change for this one. */
  readonly fix: string | null
}

/** The permanent reply: the client does not try again. */
export const smtpNo = '550 5.7.1'
const smtpLater = '451 4.3.0'

export const failures = {
  missing_api_key: {
    http: 401,
    smtp: '530 5.7.0',
    imap: 'AUTHENTICATIONFAILED',
    when: 'No key was sent.',
    fix: 'Send the key as "Authorization: Bearer <API_KEY>" or in an X-API-Key header.',
  },
  invalid_api_key: {
    http: 401,
    smtp: '535 5.7.8',
    imap: 'AUTHENTICATIONFAILED',
    when: 'The key is unknown or was revoked.',
    fix: 'Check the key, or make a new one.',
  },
  api_key_expired: {
    http: 401,
    smtp: '535 5.7.8',
    imap: 'AUTHENTICATIONFAILED',
    when: 'The key has expired.',
    fix: 'Make a new key.',
  },
  invalid_access_token: {
    http: 401,
    smtp: '535 5.7.8',
    imap: 'AUTHENTICATIONFAILED',
    when: 'The OAuth access token is invalid, expired or revoked.',
    fix: 'Refresh the token or authorise again.',
  },
  unauthorized: {
    http: 401,
    smtp: '535 5.7.8',
    imap: 'AUTHENTICATIONFAILED',
    when: 'The request is not authenticated, by another scheme, or by a session that has ended.',
    fix: 'Authenticate with an API key as a Bearer token, or sign in as a person (POST /api/v1/session).',
  },
  plan_required: {
    http: 402,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The plan does not include the feature.',
    fix: 'Upgrade the plan.',
  },
  AGENT_EMAIL_LIMIT: {
    http: 402,
    smtp: '452 4.7.1',
    imap: 'LIMIT',
    when: "The Agents plan's monthly emails are exceeded by more than the 10% grace.",
    fix: 'Wait until the 1st of the month (UTC) or upgrade the plan.',
  },
  AGENT_INBOX_LIMIT: {
    http: 402,
    smtp: smtpNo,
    imap: 'LIMIT',
    when: "One inbox past the plan's count.",
    fix: 'Delete an inbox or upgrade the plan.',
  },
  insufficient_scope: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The key lacks a scope; requiredScope names it.',
    fix: 'Make a new key that has the scope; scopes cannot be added to a key.',
  },
  partner_key_not_allowed: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'A partner key was used on /api/v1.',
    fix: 'Use a key of the customer, or call /api/partner.',
  },
  account_paused: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The partner paused the account.',
    fix: 'Ask the partner to resume it.',
  },
  account_suspended: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The account is suspended.',
    fix: 'Write to the operator of the service.',
  },
  sending_paused: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'Sending is paused for bounces or spam reports.',
    fix: 'Clean the recipient lists and ask the operator to resume sending.',
  },
  send_limit_reached: {
    http: 403,
    smtp: '452 4.7.1',
    imap: 'LIMIT',
    when: 'The monthly send allowance is used up, also when a batch exceeds what remains.',
    fix: 'Wait until the 1st of the month (UTC) or upgrade the plan.',
  },
  domain_not_on_account: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The sender domain is not owned by the account.',
    fix: "Send from one of the account's own addresses.",
  },
  domain_not_verified: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The sending domain has not passed DNS verification.',
    fix: 'Publish the records of the domain and verify it.',
  },
  shared_domain_phone_required: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'A phone number must be verified before the free address can send.',
    fix: 'Verify a phone number in the dashboard.',
  },
  CLAIM_REQUIRED: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'A send from an unclaimed account other than an allowed reply.',
    fix: 'Have a person open the claim link (POST /api/v1/account/claim makes a fresh one), or reply only to addresses that wrote first, at most 5 a day.',
  },
  agent_inbox_only: {
    http: 403,
    smtp: smtpNo,
    imap: 'CANNOT',
    when: "Drafts, labels or threads were used on a person's mailbox.",
    fix: 'Use an agent inbox.',
  },
  forbidden: {
    http: 403,
    smtp: smtpNo,
    imap: 'NOPERM',
    when: 'The key is valid but not allowed; check key kind, scopes and ownership.',
    fix: null,
  },
  validation_error: {
    http: 400,
    smtp: '501 5.5.4',
    imap: 'CLIENTBUG',
    when: 'A field is missing or has the wrong type or format; param names it when one field is to blame.',
    fix: null,
  },
  invalid_sender: {
    http: 400,
    smtp: '501 5.1.7',
    imap: 'CLIENTBUG',
    when: 'The sender is not a plain address or "Name <address>" on a verified domain.',
    fix: 'Give the sender as "user@domain" or "Name <user@domain>".',
  },
  idempotency_key_invalid: {
    http: 400,
    smtp: '501 5.5.4',
    imap: 'CLIENTBUG',
    when: 'The Idempotency-Key is empty or longer than 256 characters.',
    fix: 'Send a key of 1 to 256 characters.',
  },
  invalid_request: {
    http: 400,
    smtp: '501 5.5.2',
    imap: 'CLIENTBUG',
    when: 'The request is malformed.',
    fix: null,
  },
  attachments_too_large: {
    http: 413,
    smtp: '552 5.3.4',
    imap: 'TOOBIG',
    when: 'More than 10 files, or more than 10 MB in total before base64.',
    fix: 'Send fewer or smaller files, or a link.',
  },
  payload_too_large: {
    http: 413,
    smtp: '552 5.3.4',
    imap: 'TOOBIG',
    when: 'The body is too large.',
    fix: 'Send less in one request.',
  },
  mailbox_not_found: {
    http: 404,
    smtp: '550 5.1.1',
    imap: 'NONEXISTENT',
    when: 'The mailbox is unknown, or not reachable by the key (agent keys only see their own).',
    fix: 'Check the address, or list the mailboxes of the key.',
  },
  domain_not_found: {
    http: 404,
    smtp: '550 5.1.2',
    imap: 'NONEXISTENT',
    when: 'The domain is unknown.',
    fix: 'List the domains of the account.',
  },
  alias_not_found: {
    http: 404,
    smtp: '550 5.1.1',
    imap: 'NONEXISTENT',
    when: 'The alias is unknown.',
    fix: 'List the aliases of the account.',
  },
  email_not_found: {
    http: 404,
    smtp: '550 5.1.1',
    imap: 'NONEXISTENT',
    when: 'The email id is unknown (ids belong to the sending account).',
    fix: 'Use the id of the send answer.',
  },
  template_not_found: {
    http: 404,
    smtp: smtpNo,
    imap: 'NONEXISTENT',
    when: 'The template alias is unknown (aliases are case-sensitive).',
    fix: 'List the templates of the account.',
  },
  not_found: {
    http: 404,
    smtp: '550 5.1.1',
    imap: 'NONEXISTENT',
    when: 'The resource is absent or not visible to the key.',
    fix: null,
  },
  idempotency_in_progress: {
    http: 409,
    smtp: smtpLater,
    imap: 'INUSE',
    when: 'A request with the same Idempotency-Key is still running.',
    fix: 'Wait for the first request and repeat with the same key.',
  },
  idempotency_key_reused: {
    http: 422,
    smtp: smtpNo,
    imap: 'CLIENTBUG',
    when: 'The key was already used with a different body.',
    fix: 'Use a new key for a new request.',
  },
  template_paused: {
    http: 409,
    smtp: smtpNo,
    imap: 'INUSE',
    when: 'The template is paused.',
    fix: 'Set the template active again.',
  },
  conflict: {
    http: 409,
    smtp: smtpNo,
    imap: 'INUSE',
    when: "The resource's state does not allow the operation.",
    fix: null,
  },
  missing_template_variables: {
    http: 422,
    smtp: smtpNo,
    imap: 'CLIENTBUG',
    when: 'Variables the template uses were not passed; nothing was sent.',
    fix: 'Pass every variable that the error names.',
  },
  all_recipients_suppressed: {
    http: 422,
    smtp: smtpNo,
    imap: 'CANNOT',
    when: 'Every recipient is on the suppression list: bounced hard, reported spam, unsubscribed or added by hand; nothing was sent.',
    fix: 'Remove the recipients, or lift the suppression if you are sure.',
  },
  batch_too_large: {
    http: 422,
    smtp: smtpNo,
    imap: 'LIMIT',
    when: 'The batch recipients exceed the per-call cap; nothing was queued.',
    fix: 'Split the batch.',
  },
  unprocessable: {
    http: 422,
    smtp: '452 4.2.2',
    imap: 'OVERQUOTA',
    when: 'The request was understood but cannot be completed.',
    fix: null,
  },
  rate_limited: {
    http: 429,
    smtp: '450 4.7.1',
    imap: 'LIMIT',
    when: 'Too many requests for the key.',
    fix: 'Wait for the seconds in Retry-After.',
  },
  mailbox_creation_limit: {
    http: 429,
    smtp: '450 4.7.1',
    imap: 'LIMIT',
    when: 'The mailbox creations of the key in a rolling 24 hours are used up.',
    fix: 'Wait for the seconds in Retry-After.',
  },
  send_rate_limited: {
    http: 429,
    smtp: '450 4.7.1',
    imap: 'LIMIT',
    when: 'The sending speed or daily volume is used up; the error names which limit and when it resets.',
    fix: 'Wait for the seconds in Retry-After.',
  },
  shared_domain_send_limit: {
    http: 429,
    smtp: '450 4.7.1',
    imap: 'LIMIT',
    when: 'The daily send allowance of the free shared address is used up.',
    fix: 'Wait until tomorrow (UTC) or send from an own domain.',
  },
  send_failed: {
    http: 502,
    smtp: smtpLater,
    imap: 'UNAVAILABLE',
    when: 'The email could not be handed to the mail system.',
    fix: 'Retry with the same Idempotency-Key.',
  },
  internal_error: {
    http: 500,
    smtp: smtpLater,
    imap: 'SERVERBUG',
    when: 'A fault of the server.',
    fix: 'Retry with backoff; give the operator the X-Request-Id.',
  },
  unavailable: {
    http: 503,
    smtp: smtpLater,
    imap: 'UNAVAILABLE',
    when: 'The service, or the part that was asked for, is not available right now.',
    fix: 'Retry after the seconds in Retry-After.',
  },
} as const satisfies { readonly [code: string]: Row }

/** The entry in the error reference for the fix of a failure with many causes. */
export const fixOfTheCause = 'The fix of the answer says what to change for its cause.'

export type FailureCode = keyof typeof failures
/** A failure that always has the same fix. */
export type FailureOfOneCause = {
  [C in FailureCode]: (typeof failures)[C]['fix'] extends string ? C : never
}[FailureCode]

/** What a failure may carry besides its code and text (interface.md, Error object). */
export type FailureDetail = {
  /** What to change for this cause, in place of the fix in the table. */
  readonly fix?: string
  /** The field at fault, written like `to[0].address`; only on validation_error. */
  readonly param?: string
  /** The missing scope; only on insufficient_scope. */
  readonly requiredScope?: string
  /** Seconds to wait; on 429 and 503. null: waiting does not help, and the error object has no `retryAfter`. */
  readonly retryAfter?: number | null
  /** How to authorise, for WWW-Authenticate (RFC 9110 11.6.1); only where OAuth applies. Default of a 401: `Bearer`. */
  readonly challenge?: string
  /** Variables a template misses; only on missing_template_variables. */
  readonly missing?: readonly string[]
  /** The actual cause: for the log, never for the peer. */
  readonly cause?: unknown
}

type FailureArguments =
  | readonly [code: FailureOfOneCause, message?: string, detail?: FailureDetail]
  | readonly [
      code: Exclude<FailureCode, FailureOfOneCause>,
      message: string,
      detail: FailureDetail & { readonly fix: string },
    ]

/**
 * A refusal with a row in the table: each door renders it in its own protocol. `message` is plain English for the peer, and
 * `fix` says what to change.
 */
export class Failure extends Error {
  readonly code: FailureCode
  readonly fix: string
  readonly detail: FailureDetail

  constructor(...[code, message = failures[code].when, detail = {}]: FailureArguments) {
    super(message, { cause: detail.cause })
    this.name = 'Failure'
    this.code = code
    this.fix = detail.fix ?? failures[code].fix ?? ''
    this.detail = detail
  }
}

/**
 * The message and the fix in one text, for mail programs, which show their user a single text. The fix of a temporary failure is
 * written for HTTP, so it is left out unless it was given for this cause.
 */
export function messageAndFix({ code, message, detail }: Failure): string {
  const passes = failures[code].smtp.startsWith('4')
  const fix = detail.fix ?? (passes ? null : failures[code].fix)
  return fix === null ? message : `${message} ${fix}`
}
