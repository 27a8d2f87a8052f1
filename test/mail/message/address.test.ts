import { expect } from 'chai'
import {
  formatNamedAddress,
  normaliseAddress,
  parseAddressList,
  parseNamedAddress,
  splitAddress,
  withoutTag,
} from '../../../mail/message/address.ts'
import { expectLinear } from '../cost.ts'

const canonical: readonly (readonly [name: string, text: string, expected: string | null])[] = [
  ['lower case', 'Jane.Doe@Example.COM', 'jane.doe@example.com'],
  ['blanks around', '  a@b.example ', 'a@b.example'],
  ['a domain in its own script', 'a@Bücher.example', 'a@xn--bcher-kva.example'],
  ['a UTF-8 local part', 'JÜRGEN@example.com', 'jürgen@example.com'],
  ['composed and decomposed are one', 'ju\u0308rgen@example.com', 'jürgen@example.com'],
  ['a needless quoted string', '"john"@example.com', 'john@example.com'],
  ['a needful quoted string', '"john doe"@example.com', '"john doe"@example.com'],
  ['an at sign in quotes', '"a@b"@example.com', '"a@b"@example.com'],
  ['escapes in quotes', '"a\\"b"@example.com', '"a\\"b"@example.com'],
  ['a tag', 'user+Tag@example.com', 'user+tag@example.com'],
  ['all of atext', "!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
  ['one label', 'root@localhost', 'root@localhost'],
  ['an address literal', 'a@[192.0.2.1]', 'a@[192.0.2.1]'],
  ['an IPv6 literal', 'a@[IPv6:2001:DB8::1]', 'a@[ipv6:2001:db8::1]'],
  ['64 octets of local part', `${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ['65 octets of local part', `${'a'.repeat(65)}@example.com`, null],
  ['65 octets in 33 characters', `${'ü'.repeat(33)}@example.com`, null],
  ['a label of 64', `a@${'b'.repeat(64)}.example`, null],
  ['a domain of 256', `a@${'abc.'.repeat(64)}`, null],
  ['no at sign', 'example.com', null],
  ['no local part', '@example.com', null],
  ['no domain', 'a@', null],
  ['dots in a row', 'a..b@example.com', null],
  ['a dot in front', '.a@example.com', null],
  ['a blank inside', 'a b@example.com', null],
  ['brackets', '<a@example.com>', null],
  ['two at signs', 'a@b@example.com', null],
  ['a line end', 'a\r\nb@example.com', null],
  ['a NUL', 'a\0@example.com', null],
  ['a host that is a number', 'a@127.0.0.1', null],
  ['a percent sign in the domain', 'a@ex%41mple.com', null],
  ['a hyphen at a label end', 'a@example-.com', null],
  ['an invisible character', 'a\u200b@example.com', null],
  ['an invisible character in quotes', '"a\u{e0041}"@example.com', null],
  ['a character that was lost', 'a\ufffd@example.com', null],
  ['an empty quoted string', '""@example.com', null],
]

const words = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`

const lists: readonly (readonly [name: string, text: string, expected: readonly string[]])[] = [
  ['plain', 'a@x.example, b@x.example', ['a@x.example', 'b@x.example']],
  ['a quoted local part and a NUL', '"a b"@\0x.example', ['"a b"@x.example']],
  ['a quoted local part longer than any', `"${'a'.repeat(500)}"@x.example, b@x.example`, ['b@x.example']],
  ['a name longer than any', `${'n'.repeat(300)} <a@x.example>`, [`${'n'.repeat(250)} <a@x.example>`]],
  ['a name with tag characters', `${words('Ann\u{e0041}\u{e0042}')} <a@x.example>`, ['Ann <a@x.example>']],
  ['a name cut up', `${words('Pay\u200bPal')} <a@x.example>`, ['PayPal <a@x.example>']],
  [
    'a name with joiners',
    `${words('می\u200cخواهم 👩\u200d💻')} <a@x.example>`,
    ['می\u200cخواهم 👩\u200d💻 <a@x.example>'],
  ],
  ['a name turned around', `${words('\u202elaP\u202c yaP')} <a@x.example>`, ['laP yaP <a@x.example>']],
  [
    'a name left open and cut',
    `\u2067${'ש'.repeat(300)} <a@x.example>`,
    [`\u2067${'ש'.repeat(249)}\u2069 <a@x.example>`],
  ],
  ['a name with a mark', 'שלום\u200f (x) <a@x.example>', ['שלום\u200f <a@x.example>']],
  ['an address with invisible characters', 'a\u200bnn\u202e@x.example', ['a\ufffdnn\ufffd@x.example']],
  ['names', 'Ann <a@x.example>, "Doe, Bob" <b@x.example>', ['Ann <a@x.example>', '"Doe, Bob" <b@x.example>']],
  ['a comma that is missing', 'Ann <a@x.example> Bob <b@x.example>', ['Ann <a@x.example>', 'Bob <b@x.example>']],
  ['brackets in a name', 'A <b> C <a@x.example>', ['A C <a@x.example>']],
  ['RFC 5322 A.1.2', '"Joe Q. Public" <john.q.public@example.com>', ['"Joe Q. Public" <john.q.public@example.com>']],
  [
    'RFC 5322 A.1.3 group',
    'A Group:Ed Jones <c@a.test>,joe@where.test,John <jdoe@one.test>;, Undisclosed:;',
    ['Ed Jones <c@a.test>', 'joe@where.test', 'John <jdoe@one.test>'],
  ],
  [
    'RFC 5322 A.5 comments',
    'Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>',
    ['Pete <pete@silly.test>'],
  ],
  ['RFC 822 name in a comment', 'doug@x.example (Doug Sauder)', ['Doug Sauder <doug@x.example>']],
  ['a name in a comment after brackets', '<doug@x.example> (Doug Sauder)', ['Doug Sauder <doug@x.example>']],
  ['a comment beside a name', 'Doug <doug@x.example> (at work)', ['Doug <doug@x.example>']],
  ['an encoded word with a comma', '=?utf-8?Q?Doe=2C_J=C3=B6rg?= <j@x.example>', ['"Doe, Jörg" <j@x.example>']],
  ['encoded words in quotes', '"=?iso-8859-1?Q?J=F6rg?=" <j@x.example>', ['Jörg <j@x.example>']],
  ['a line end in an encoded word', '=?utf-8?Q?a=0D=0ABcc:_x?= <j@x.example>', ['"a Bcc: x" <j@x.example>']],
  ['an obsolete route', '<@a.test,@b.test:user@c.test>', ['user@c.test']],
  ['semicolons between', 'a@x.example; b@x.example', ['a@x.example', 'b@x.example']],
  ['a quote that never closes', '"Ann <a@x.example>', ['"\\"Ann" <a@x.example>']],
  ['a bracket that never closes', 'Ann <a@x.example', ['Ann <a@x.example>']],
  ['a name and an address without brackets', 'Ann Lee a@x.example', ['Ann Lee <a@x.example>']],
  ['a quoted local part', 'X <"a b"@x.example>, "c d"@x.example', ['X <"a b"@x.example>', '"c d"@x.example']],
  ['an address that is not valid stays readable', 'Docomo <a..b@docomo.example>', ['Docomo <a..b@docomo.example>']],
  ['a mailto URL', '<mailto:a@x.example>', ['mailto:a@x.example']],
  ['nothing', '', []],
  ['names alone', 'Whomever', []],
]

describe('mail/message/address', () => {
  for (const [name, text, expected] of canonical) {
    it(`normaliseAddress: ${name}`, () => expect(normaliseAddress(text)).to.equal(expected))
  }
  for (const [name, text, expected] of lists) {
    it(`parseAddressList: ${name}`, () =>
      expect(parseAddressList(text).map(formatNamedAddress)).to.deep.equal(expected))
  }

  it('parseAddressList stops at its limit, in linear time', () => {
    expect(parseAddressList('a@x.example,'.repeat(5000))).to.have.length(1000)
    for (const hostile of ['<', '"', '(', 'a,', '<a@b>', ':;', '=?utf-8?Q?a?= ', '\\"']) {
      expectLinear(hostile, hostile.repeat(250_000 / hostile.length), (list) => parseAddressList(list))
    }
  })

  it('parseMailbox takes exactly one valid address', () => {
    expect(parseNamedAddress('Ann <A@X.example>')).to.deep.equal({ name: 'Ann', address: 'a@x.example' })
    expect(parseNamedAddress('a@x.example')).to.deep.equal({ name: '', address: 'a@x.example' })
    expect(parseNamedAddress('a@x.example, b@x.example')).to.equal(null)
    expect(parseNamedAddress('Ann <a..b@x.example>')).to.equal(null)
    expect(parseNamedAddress('nobody')).to.equal(null)
  })

  it('formatMailbox is read back as the same mailbox', () => {
    for (const name of ['', 'Ann', 'Doe, Bob', 'a "quoted" \\ name', 'Jörg (home)', 'x@y']) {
      const mailbox = { name, address: 'a@x.example' }
      expect(parseNamedAddress(formatNamedAddress(mailbox))).to.deep.equal(mailbox)
    }
  })

  it('withoutTag and splitAddress cut where the address says', () => {
    expect(withoutTag('user+a+b@x.example')).to.deep.equal({ base: 'user@x.example', tag: 'a+b' })
    expect(withoutTag('user+@x.example')).to.deep.equal({ base: 'user@x.example', tag: '' })
    expect(withoutTag('user@x.example')).to.deep.equal({ base: 'user@x.example', tag: null })
    expect(withoutTag('+a@x.example').tag).to.equal(null)
    expect(withoutTag('"a+b"@x.example').tag).to.equal(null)
    expect(splitAddress('"a@b"@x.example')).to.deep.equal({ local: '"a@b"', domain: 'x.example' })
  })
})
