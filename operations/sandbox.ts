import { requireSandbox } from '../core/access/principal.ts'
import { receiveTest, type WrittenMail } from '../core/sandbox/inbound.ts'
import { moveClock } from '../core/sandbox/test-clock.ts'
import { Failure } from '../schemas/failures.ts'
import { MessageId } from '../schemas/fields.ts'
import { type Infer, object } from '../schemas/infer.ts'
import { TestClock, TestInbound, TestTime } from '../schemas/sandbox.ts'
import { peopleOf, withCorrectedParam } from './addresses.ts'
import { operation } from './registry.ts'
import { decoded, filesIn } from './sending.ts'

export const receiveTestMail = operation({
  name: 'test.inbound',
  summary: 'Deliver a message to a mailbox of the sandbox as if from outside, with chosen verdicts about its sender.',
  scope: 'mail:write',
  http: 'POST /api/v1/test/inbound',
  status: 201,
  input: TestInbound,
  output: object({ message_id: MessageId }),
  errors: ['mailbox_not_found', 'attachments_too_large', 'not_found', 'unprocessable'],
  body: 'send',
  idempotent: true,
  reach: ({ principal }) => requireSandbox(principal),
  handle: ({ ctx, principal }, { mailbox, verdicts, ...rest }) =>
    withCorrectedParam(rest, async () => {
      const mail = rest.raw === undefined ? writtenOf(rest) : bytesOf(rest.raw, rest)
      return { message_id: await receiveTest(ctx, principal, { mailbox, mail, verdicts }) }
    }),
})

export const moveTestClock = operation({
  name: 'test.clock',
  summary: 'Advance the clock of the sandbox. The answer comes once everything that became due is done.',
  scope: null,
  http: 'POST /api/v1/test/clock',
  input: TestClock,
  output: TestTime,
  errors: [],
  reach: ({ principal }) => requireSandbox(principal),
  async handle({ ctx, principal }, { advance, now }) {
    const time = await moveClock(ctx, principal, {
      ...(advance !== undefined && { advance }),
      ...(now !== undefined && { now: new Date(now) }),
    })
    return { now: time.toISOString() }
  },
})

type Parts = Omit<Infer<typeof TestInbound>, 'mailbox' | 'verdicts'>

function writtenOf({ from, to, subject, text, html, headers, attachments }: Parts): WrittenMail {
  const [author] = peopleOf(from) ?? []
  if (author === undefined)
    throw new Failure('validation_error', '"from" is missing: a message needs an author.', {
      param: 'from',
      fix: 'Give "from", or the whole message in "raw".',
    })
  return {
    from: author,
    to: peopleOf(to),
    subject,
    text,
    html,
    headers,
    attachments: filesIn(attachments),
  }
}

function bytesOf(raw: string, { raw: _, ...parts }: Parts): Buffer {
  const [other] = Object.keys(parts)
  if (other !== undefined)
    throw new Failure('validation_error', `"${other}" cannot be combined with "raw", which is the whole message.`, {
      param: other,
      fix: `Leave out either "${other}" or "raw".`,
    })
  const bytes = decoded(raw.replaceAll(/\s+/g, ''))
  if (bytes === null || bytes.length === 0)
    throw new Failure('validation_error', '"raw" is not base64.', {
      param: 'raw',
      fix: 'Encode the bytes of the message in base64.',
    })
  return bytes
}
