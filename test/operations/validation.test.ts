import { expect } from 'chai'
import { operations } from '../../operations/all.ts'
import { Failure } from '../../schemas/failures.ts'

const to = 'a@example.org'
const address = 'agent@x.example'
const cases: readonly (readonly [operation: string, what: string, input: object, param: string | undefined])[] = [
  ['messages.send', 'an unknown field', { address, to, shout: true }, 'shout'],
  ['messages.send', 'an unknown field of a recipient', { address, to: [{ address: to, nick: 'a' }] }, 'to[0].nick'],
  ['messages.send', 'a recipient object without address', { address, to: [{ name: 'A' }] }, 'to[0].address'],
  [
    'messages.send',
    'a recipient object whose address is none',
    { address, to: [to, { address: 'nowhere' }] },
    'to[1].address',
  ],
  ['messages.send', 'a recipient text that is none', { address, to: ['nowhere'] }, 'to[0]'],
  ['messages.send', 'a recipient of another type', { address, to: 7 }, 'to'],
  ['messages.send', 'a line break in the subject', { address, to, subject: 'a\r\nBcc: b@example.org' }, 'subject'],
  ['messages.send', 'a line break in an address', { address, to: 'a@example.org\r\nBcc: b@example.org' }, 'to'],
  ['messages.send', 'a line break in a name', { address, to: [{ name: 'a\nb', address: to }] }, 'to[0].name'],
  ['messages.send', 'a header that is not an extra one', { address, to, headers: { Received: 'x' } }, 'headers'],
  ['messages.send', 'a line break in a header', { address, to, headers: { 'X-A': 'a\nb' } }, 'headers.X-A'],
  [
    'messages.send',
    'an attachment without content',
    { address, to, attachments: [{ name: 'a', contentType: 'text/plain' }] },
    'attachments[0].content',
  ],
  ['messages.list', 'a page of none', { address, limit: 0 }, 'limit'],
  ['messages.list', 'a page that is too long', { address, limit: 201 }, 'limit'],
  ['messages.list', 'a time that is none', { address, since: 'yesterday' }, 'since'],
  ['messages.list', 'a day that is none', { address, since: '2026-02-30T00:00:00Z' }, 'since'],
  ['domains.reports', 'a day that is none', { domain: 'example.org', since: '2026-02-29' }, 'since'],
  ['domains.reports', 'a time of such a day', { domain: 'example.org', until: '2026-06-31T12:00:00Z' }, 'until'],
  ['usage.daily', 'a day of a month that is none', { since: '2026-13-01' }, 'since'],
  ['messages.get', 'an unknown view', { address, message_id: 'msg_1', view: 'x' }, 'view'],
  ['messages.update', 'a flag of another type', { address, message_id: 'msg_1', seen: 'yes' }, 'seen'],
  ['mailboxes.create', 'no address', {}, 'address'],
  ['mailboxes.update', 'a line break in the display name', { address, displayName: 'a\nb' }, 'displayName'],
  ['webhooks.create', 'an unknown event', { url: 'https://example.org', events: ['message.lost'] }, 'events[0]'],
  [
    'webhooks.create',
    'an event of partners',
    { url: 'https://example.org', events: ['customer.created'] },
    'events[0]',
  ],
  ['webhooks.create', 'a URL that is none', { url: 'example', events: ['message.received'] }, 'url'],
]

describe('operations: validation', () => {
  for (const [name, what, input, param] of cases) {
    it(`${name} refuses ${what}`, () => {
      const operation = operations.find((each) => each.name === name)
      expect(() => operation?.prepare(input))
        .to.throw(Failure)
        .that.deep.includes({ code: 'validation_error' })
        .with.nested.property('detail.param', param)
    })
  }

  it('says which forms a value may have', () => {
    const send = operations.find(({ name }) => name === 'messages.send')
    expect(() => send?.prepare({ address, to: 7 })).to.throw(
      '"to" must be an email address, an object or a list, and is a number.',
    )
  })

  const taken: readonly (readonly [string, unknown])[] = [
    ['a text', 'A <a@example.org>'],
    ['an object', { name: 'A', address: to }],
    ['texts and objects', [to, { address: to }]],
  ]
  for (const [what, value] of taken) {
    it(`messages.send takes ${what} as recipients`, () => {
      const send = operations.find(({ name }) => name === 'messages.send')
      expect(send?.prepare({ address, to: value }).input).to.deep.equal({ address, to: value })
    })
  }
})
