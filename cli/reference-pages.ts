/** The pages of the documentation that are derived from the code and that users of the API read: errors, events, operations. */
import { pino } from 'pino'
import { sampleOf } from '../core/notify/samples.ts'
import { errorAnswer, sharedErrors } from '../operations/errors.ts'
import { callersOf, tagOf } from '../operations/openapi.ts'
import { fieldsOf, type Operation } from '../operations/registry.ts'
import { type EventType, eventKinds, eventTypes } from '../schemas/events.ts'
import { Failure, type FailureCode, type FailureDetail, failures, fixOfTheCause } from '../schemas/failures.ts'
import { idempotencyKeyMax, pageSizeDefault, pageSizeMax } from '../schemas/fields.ts'
import { type JsonSchema, propertiesOf } from '../schemas/infer.ts'

/** The address of the service in the documentation of the repository. */
export const exampleBaseUrl = 'http://127.0.0.1:8080'

/** docs/errors.md */
export function errorsPage(): string {
  const codes = Object.keys(failures) as FailureCode[]
  return `# Errors

<!-- Generated from schemas/failures.ts. -->

Every refusal, by REST or MCP, is answered with this object. Branch on \`code\`, which never changes; \`error\` says what was wrong this
time, and \`fix\` says what to change. For a \`validation_error\`, \`param\` names the field at fault. \`statusCode\` repeats the HTTP status.

| Answer | What to do |
|---|---|
| 429, 503 | wait for the seconds in \`Retry-After\`, then repeat the same request |
| 500, 502 | repeat the request after a growing pause; repeat a send with the same \`Idempotency-Key\`, so that it is sent only once |
| every other 4xx | change what \`fix\` says: the same request would be refused again |

Every answer has an \`X-Request-Id\`: the operator of the service finds the request by it. Mail programs receive the SMTP
and IMAP replies given for each code.

${codes.map(errorEntry).join('\n')}`
}

function errorEntry(code: FailureCode): string {
  const { http, smtp, imap, when, fix } = failures[code]
  return `## ${code}

HTTP ${http}, SMTP \`${smtp}\`, IMAP \`${imap}\`.

**Cause.** ${asText(when)}

**Fix.** ${asText(fix ?? fixOfTheCause)}

${sample(errorAnswer({ baseUrl: exampleBaseUrl, log: silent }, failureOf(code)).body)}
`
}

const silent = pino({ level: 'silent' })

/** A typical answer for each code whose text or fix depends on the cause. */
const cases: { readonly [C in FailureCode]?: readonly [message: string, detail: FailureDetail] } = {
  insufficient_scope: ['This needs the scope mail:send, which the key does not have.', { requiredScope: 'mail:send' }],
  forbidden: ['An agent key cannot make keys.', { fix: 'Use an account key, or have an owner sign in.' }],
  validation_error: ['subject is missing.', { param: 'subject', fix: 'Send subject.' }],
  invalid_request: ['The body is not JSON.', { fix: 'Send a JSON object with Content-Type: application/json.' }],
  not_found: ['There is no such message.', { fix: 'List the messages of the mailbox.' }],
  conflict: ['The send has gone out already.', { fix: 'Send another mail.' }],
  missing_template_variables: ['The template uses name, which was not passed.', { missing: ['name'] }],
  unprocessable: ['The mailbox is full.', { fix: 'Delete messages, or raise its storage.' }],
}

function failureOf(code: FailureCode): Failure {
  const [message, detail] = cases[code] ?? []
  return new Failure(...([code, message, detail] as ConstructorParameters<typeof Failure>))
}

/** docs/events.md */
export function eventsPage(): string {
  const rows = eventTypes.map((type) => {
    const { access, plan, when } = eventKinds[type]
    return `| [\`${type}\`](#${type.replaceAll('.', '')}) | ${when} | ${accessOf(access)} | ${planOf(plan)} |`
  })
  return `# Events

<!-- Generated from schemas/events.ts and core/notify/samples.ts. -->

Everything that happens in an account is reported in the same envelope, by [webhook, stream or list](webhooks.md). A key sees the kinds that its scopes let it
read; an agent key sees only events of the mailboxes that it reaches. Webhooks of some kinds need a plan; the list and the stream do not.

| Event | Fires when | Seen by keys with | Webhooks need |
|---|---|---|---|
${rows.join('\n')}

${eventTypes.map(eventEntry).join('\n')}`
}

const accessOf = (access: string) =>
  access === 'partner' ? 'partner keys' : access === 'account key' ? 'any account key' : `\`${access}\``

const planOf = (plan: string | null) => (plan === null ? '' : plan === 'intake' ? 'Intake' : 'message events')

const sampleTime = new Date('2026-11-20T20:37:28.578Z')

function eventEntry(type: EventType): string {
  const envelope = {
    id: 'evt_01m7xavbc2c6npgtjr54jpmb9k',
    type,
    created_at: sampleTime.toISOString(),
    cursor: 'Mi4xNzk1MjA3MDQ4NTc4',
    data: sampleOf(type, sampleTime),
  }
  return `## ${type}

${eventKinds[type].when}

${sample(envelope)}
`
}

/** docs/api.md */
export function operationsPage(operations: readonly Operation[]): string {
  const groups = [...Map.groupBy(operations, tagOf)]
  return `# API reference

<!-- Generated from operations/. -->

Every operation with its fields. The exact schemas of requests and answers are in the [OpenAPI description](openapi.json). Keys go into
\`Authorization: Bearer <API_KEY>\`; a signed-in person needs none, has the scopes of the [role](people.md#roles), and counts as an account
key. A refusal is an [error](errors.md) with a code. Besides the codes listed with an
operation, there are those that it shares with others:

| Code | May be answered by |
|---|---|
${sharedErrors.map(({ by, codes }) => `| ${codes.map(errorLink).join(', ')} | ${by} |`).join('\n')}

| Conventions | |
|---|---|
| Keys | \`Authorization: Bearer <API_KEY>\`, or \`X-API-Key\` |
| Success | 200, 201 if something was created, or 202 if something was accepted for later, and JSON with \`success: true\` beside the fields of the answer |
| Names | camelCase in requests and configuration; snake_case in messages, conversations, events and records, and in query parameters except \`parentId\` |
| Unknown fields | are refused by name, in bodies and queries, so that a misspelt filter is noticed; so is a name given twice |
| Lists | newest first, ${pageSizeDefault} entries in a page, or \`limit\`, at most ${pageSizeMax}; \`next\` is the \`before\` of the next page, and null on the last |
| Values | times in UTC, as \`2026-11-20T20:37:28.578Z\`; KB, MB and GB are powers of 1024; characters are code points |
| Addresses | ignore upper and lower case; \`user+tag@domain\` reaches \`user@domain\`, and keeps its tag |
| \`Idempotency-Key\` | 1 to ${idempotencyKeyMax} characters. The same request with the same key is carried out once: for 7 days, repeats get the first answer, with \`Idempotent-Replayed: true\`. Refusals are not stored |
| \`X-Request-Id\` | in every answer, and in the log and the audit |
| \`RateLimit-Limit\`, \`RateLimit-Remaining\`, \`RateLimit-Reset\` | requests per minute of the key, how many are left, and the seconds until all are available again |
| \`X-Service-Claim\`, \`X-Service-Claim-Expires\` | in every answer until somebody has [claimed](people.md#claiming-an-account) the account: \`required\`, and when the account is removed |

${groups.map(([name, group]) => `## ${name}\n\n[Try them](/docs/api/${name}) in the browser.\n\n${group.map(operationEntry).join('\n')}`).join('\n')}`
}

const errorLink = (code: string) => `[\`${code}\`](errors.md#${code})`

function operationEntry(operation: Operation): string {
  const { errors, idempotent, method, name, output, path, scopes, summary } = operation
  const callers = callersOf(operation)
  const fields = fieldsOf(operation).map(
    ({ from, name: field, required, schema }) =>
      `| \`${field}\` | ${from} | ${typeOf(schema)} | ${required || from === 'path' ? 'yes' : ''} | ${asText(wordsOf(schema))} |`,
  )
  const answers = formsOf(output).flatMap((form) => {
    const names = Object.keys(propertiesOf(form)).map((field) => `\`${field}\``)
    return names.length === 0 ? [] : [names.join(', ')]
  })
  return `### ${name}

\`${method} ${path}\`

${asText(summary)}
${callers === null ? '' : `\n${asText(callers)}\n`}${scopes.length === 0 ? '' : `\nScopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.\n`}${
  fields.length === 0 ? '' : `\n| Field | In | Type | Required | |\n|---|---|---|---|---|\n${fields.join('\n')}\n`
}${idempotent ? '\nTakes an `Idempotency-Key`.\n' : ''}${answers.length === 0 ? '' : `\nThe answer has ${answers.join('; or ')}.\n`}${
  errors.length === 0 ? '' : `\nRefusals of its own: ${errors.map(errorLink).join(', ')}.\n`
}`
}

/** The description of a field, or of its value if that may be null; and its default. */
function wordsOf({ description, anyOf, default: initial }: JsonSchema): string {
  const words = [description, ...(Array.isArray(anyOf) ? anyOf.map((form) => form.description) : [])].find(Boolean)
  return [words ?? [], initial === undefined ? [] : `Default: \`${initial}\`.`].flat().join(' ')
}

/** The alternative forms of an answer. */
const formsOf = (output: JsonSchema): readonly JsonSchema[] =>
  Array.isArray(output.anyOf) ? output.anyOf.flatMap(formsOf) : [output]

/** The type of a field in a word or two. */
function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(' or ')
  if ('const' in schema) return `\`${schema.const}\``
  if (Array.isArray(schema.anyOf)) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  return schema.format === 'date-time' ? 'time' : String(schema.type ?? 'any value')
}

/** Escapes words so that nothing in them is read as HTML or the end of a cell. */
export const asText = (words: string) => words.replaceAll(/[<|]/g, '\\$&')

/** Formatted JSON. Ids are different in each run, so their random part is replaced by a fixed one. */
function sample(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replaceAll(
    /\b([a-z]{2,4}_[0-9a-z]{10})[0-9a-z]{16}\b/g,
    '$1jrqq47g45d0411ms',
  )
  return `\`\`\`json\n${text}\n\`\`\``
}
