import { expect } from 'chai'
import { toolsOf } from '../../mcp/tools.ts'
import { operations } from '../../operations/all.ts'
import { Failure } from '../../schemas/failures.ts'
import { formKeyword, type JsonSchema, propertiesOf } from '../../schemas/infer.ts'
import { listSettings } from '../../schemas/settings.ts'
import { validate } from '../../schemas/validate.ts'
import { nearest, unknownName } from '../../schemas/words.ts'
import { type Violation, violationsOf } from './violations.ts'

type Described = { readonly name: string; readonly schema: JsonSchema; readonly valueName?: string }

const described: readonly Described[] = [
  ...operations.map(({ name, input }) => ({ name, schema: input })),
  ...[...toolsOf(operations)].map(([name, bound]) => ({ name: `the tool ${name}`, schema: bound.arguments })),
  ...listSettings().map(({ name, schema }) => ({ name: `the setting ${name}`, schema, valueName: name })),
]

/** Pieces of a regular expression, and words of JSON Schema and its validator. */
const jargon =
  /[\\^]|\(\?|\[\w-\w|\]\*|\\u|NOT|\bmust (?:be equal|have required|match)|\bpattern|propert|schema|keyword|instance|items\b/

function refusalOf({ schema, valueName }: Described, { value }: Pick<Violation, 'value'>): Failure {
  try {
    validate(schema, value, valueName)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error(`Taken: ${JSON.stringify(value)}`)
}

describe('what a wrong input is told', () => {
  const keywords = new Set<string>()
  /** Which keywords and schemas gave rise to a fix. */
  const causesOf = new Map<string, Set<string>>()

  for (const each of described) {
    it(`${each.name}: each keyword of its schema`, () => {
      // A request that is no object never comes so far: it has no field to blame.
      const ofFields = violationsOf(each.schema).filter(({ at }) => at !== '' || each.valueName !== undefined)
      for (const violation of ofFields) {
        const { keyword, at } = violation
        const { code, message, fix, detail } = refusalOf(each, violation)
        const told = `${keyword} at ${at}: ${message} ${fix}`
        expect(code, told).to.equal('validation_error')
        expect(detail.param, told).to.be.a('string').and.not.equal('')
        expect(message, told)
          .to.match(/^[A-Z"].*[.?]$/)
          .and.not.match(jargon)
        expect(fix, told)
          .to.match(/^[A-Z].*[.?]$/)
          .and.not.match(jargon)
        expect(fix, told).to.not.equal(message)
        expect(`${message} ${fix}`, told).to.include(String(detail.param).split(/[.[]/)[0])
        keywords.add(keyword)
        causesOf.set(fix, (causesOf.get(fix) ?? new Set()).add(keyword))
      }
    })
  }

  it('no fix is told for different causes', () => {
    for (const [fix, causes] of causesOf) expect([...causes], fix).to.have.length(1)
    expect([...keywords].sort()).to.include.members(['additionalProperties', 'enum', 'pattern', 'required', 'type'])
  })

  it('every pattern has a word for people and an example beside it', () => {
    const patterns = (schema: unknown): readonly JsonSchema[] => {
      if (typeof schema !== 'object' || schema === null) return []
      const inside = Object.values(schema).flatMap(patterns)
      return 'pattern' in schema && typeof schema.pattern === 'string' ? [schema as JsonSchema, ...inside] : inside
    }
    const found = described.flatMap(({ schema }) => patterns(schema))
    expect(found).to.not.be.empty
    for (const { pattern, examples, [formKeyword]: form } of found) {
      expect(form, String(pattern)).to.be.a('string')
      for (const example of examples as string[]) expect(example).to.match(new RegExp(String(pattern), 'u'))
    }
  })

  const send = described.find(({ name }) => name === 'messages.send') as Described
  const list = described.find(({ name }) => name === 'messages.list') as Described
  const setting = described.find(({ name }) => name === 'the setting http.port') as Described
  const to = 'ann@example.org'
  const address = 'agent@x.example'
  const known = Object.keys(propertiesOf(send.schema)).join(', ')
  const told: readonly (readonly [what: string, Described, value: unknown, message: string, fix: string])[] = [
    [
      'an unknown field that is near a known one',
      send,
      { address, to, subjct: 'x' },
      `Unknown field "subjct"; known are ${known}.`,
      'Write "subject" instead of "subjct".',
    ],
    [
      'one in other letters',
      send,
      { address, to, FromName: 'x' },
      `Unknown field "FromName"; known are ${known}.`,
      'Write "fromName" instead of "FromName".',
    ],
    [
      'one that is near nothing',
      send,
      { address, to, carburettor: 1 },
      `Unknown field "carburettor"; known are ${known}.`,
      'Leave "carburettor" out.',
    ],
    [
      'one within an object',
      send,
      { address, to: { address: to, nam: 'A' } },
      'Unknown field "to.nam"; known are name, address.',
      'Write "name" instead of "nam".',
    ],
    [
      'too many recipients',
      send,
      { address, to: Array.from({ length: 1001 }, () => to) },
      'The list "to" has more than 1000 entries.',
      'Give "to" at most 1000 entries.',
    ],
    [
      'half a number of a page',
      list,
      { address, limit: 1.5 },
      '"limit" must be a whole number from 1 to 200, and is a number with a fraction.',
      'Give "limit" as a whole number from 1 to 200.',
    ],
    [
      'a number beyond all that there are',
      list,
      { address, limit: JSON.parse('1e400') },
      '"limit" must be a whole number from 1 to 200, and is a number that is too large.',
      'Give "limit" as a whole number from 1 to 200.',
    ],
    [
      'a wrong name of a view',
      described.find(({ name }) => name === 'messages.get') as Described,
      { address, message_id: 'msg_1', view: 'header' },
      '"view" must be one of: headers, reply, text, markdown, full.',
      'Set "view" to "headers".',
    ],
    [
      'a number in quotes',
      described.find(({ name }) => name === 'intake.create') as Described,
      { mailbox: address, retention: '30' },
      '"retention" must be one of: 7, 30, 90, forever.',
      'Set "retention" to 30, a number without quotes.',
    ],
    ['a missing field', list, {}, '"address" is missing.', 'Add "address" as text: Address of the mailbox.'],
    [
      'a field that is missing in one of two forms',
      send,
      { address, to, attachments: [{ messageId: 'msg_1' }] },
      '"attachments[0].attachmentId" is missing.',
      'Add "attachments[0].attachmentId" as text: Id of the attachment (att_...).',
    ],
    [
      'a line break',
      send,
      { address, to, subject: 'a\nb' },
      '"subject" must be one line of text without control characters.',
      'Write "subject" as one line of text without control characters, such as "Order 4711".',
    ],
    [
      'a file without its media type',
      send,
      { address, to, attachments: [{ name: 'a.txt', content: 'aGk=' }] },
      '"attachments[0].contentType" is missing.',
      'Add "attachments[0].contentType" as one line of text without control characters, such as "application/pdf".',
    ],
    [
      'a sender that is no text',
      send,
      { address, to, from: { address } },
      '"from" must be one line of text without control characters, and is an object.',
      'Give "from" as one line of text without control characters, such as "Ann <ann@example.org>".',
    ],
    [
      'a header field that is none of the extra ones',
      send,
      { address, to, headers: { Received: 'x' } },
      '"Received" in "headers" is not the name of an extra header field, which begins with X- or List-.',
      'Name it like "X-Order", or leave "Received" out of "headers".',
    ],
    [
      'a time without its zone',
      list,
      { address, until: '2026-01-31' },
      '"until" must be an ISO 8601 time with its zone.',
      'Write "until" as an ISO 8601 time with its zone, such as "2026-01-31T12:00:00Z".',
    ],
    ...['2026-02-30T12:00:00Z', '2026-01-31T24:00:01+01:00'].map(
      (until) =>
        [
          `a time that does not exist: ${until}`,
          list,
          { address, until },
          '"until" is a time that does not exist: its month, day, hour, minute or second is too high or too low.',
          'Correct the numbers of "until".',
        ] as const,
    ),
    [
      'a number that is too high',
      list,
      { address, limit: 201 },
      '"limit" must be a whole number from 1 to 200; this is too high.',
      'Lower "limit" to 200 or less.',
    ],
    [
      'a text for true',
      list,
      { address, unread: 'yes' },
      '"unread" must be true or false, and is text.',
      'Give "unread" as true or false.',
    ],
    [
      'a setting',
      setting,
      70000,
      '"http.port" must be a whole number from 0 to 65535; this is too high.',
      'Lower "http.port" to 65535 or less.',
    ],
  ]
  for (const [what, whose, value, message, fix] of told)
    it(`tells ${what}`, () => {
      const refusal = refusalOf(whose, { value })
      expect([refusal.message, refusal.fix]).to.deep.equal([message, fix])
    })

  const fields = ['address', 'displayName', 'subject', 'text', 'to', 'cc', 'bcc']
  const meant: readonly (readonly [name: string, expected: string | undefined])[] = [
    ['adress', 'address'],
    ['displayname', 'displayName'],
    ['display_name', 'displayName'],
    ['TEXT', 'text'],
    ['txt', 'text'],
    ['tetx', 'text'],
    ['foo', undefined],
    ['name', undefined],
    ['subjcet', 'subject'],
    ['tos', 'to'],
    ['xx', undefined],
    ['', undefined],
    ['body', undefined],
    ['attachments', undefined],
    ['x'.repeat(1_000_000), undefined],
    ['text'.repeat(100), undefined],
  ]
  for (const [name, expected] of meant)
    it(`takes "${name.slice(0, 20)}" for ${expected ?? 'nothing known'}`, () =>
      expect(nearest(name, fields)).to.equal(expected))

  it('cuts a long name', () => {
    const { message, fix } = unknownName('field', 'x'.repeat(1_000), fields)
    expect([message.length, fix.length]).to.satisfy((lengths: number[]) => lengths.every((length) => length < 250))
  })
})
