import { expect } from 'chai'
import fc from 'fast-check'
import { limits } from '../../../mail/limits.ts'
import { excerptOf, markersOf } from '../../../mail/search/highlight.ts'
import { parseQuery, printQuery } from '../../../mail/search/query.ts'
import { chunksOf, foldWord, tokensOf, trigramsOf, wantedTokens } from '../../../mail/search/tokens.ts'
import { SearchQuery } from '../../../schemas/search.ts'
import { expectLinear } from '../cost.ts'

const written = (q: string) => {
  const read = parseQuery(q)
  return 'query' in read ? printQuery(read.query) : `! ${read.problem}`
}

describe('the language of searches', () => {
  const readings: readonly (readonly [q: string, expected: string])[] = [
    ['one two', '"one" "two"'],
    ['one OR two three', '"one" OR ("two" "three")'],
    ['one AND two', '"one" "two"'],
    ['or and', '"or" "and"'],
    ['-one -(two OR three)', '-"one" -("two" OR "three")'],
    ['-(-one)', '"one"'],
    ['from:(anna OR bob) x', '(from:"anna" OR from:"bob") "x"'],
    ['FROM:anna', 'from:"anna"'],
    ['subject:"two words"', 'subject:"two words"'],
    ['in:"My \\"own\\" folder"', 'in:"My \\"own\\" folder"'],
    ['http://host.example/path re: 12:30', '"http://host.example/path" "re:" "12:30"'],
    ['has:attachments is:UNREAD', 'has:attachment is:unread'],
    ['after:2026/1/2', 'after:2026-01-02T00:00:00.000Z'],
    ['before:2026-01-02T03:04:05+01:00', 'before:2026-01-02T02:04:05.000Z'],
    ['larger:1.5k smaller:2MB', 'larger:1536 smaller:2097152'],
    ['inv* "two wor*"', '"inv*" "two wor*"'],
    ['!!! one & two -', '"one" "two"'],
    ['one (!!!)', '"one"'],
    ['Re: offer', '"Re:" "offer"'],
    ['offer re:', '"offer" "re:"'],
    ['(Fwd:)', '"Fwd:"'],
    ['AW: WG: Rechnung', '"AW:" "WG:" "Rechnung"'],
    ['10:30', '"10:30"'],
    ['https://host.example:8080/a?b=c:d', '"https://host.example:8080/a?b=c:d"'],
    ['ftp://x', '"ftp://x"'],
    ['std::sort', '"std::sort"'],
    ['C:\\temp', '"C:\\\\temp"'],
    ['#tag:x', '"#tag:x"'],
    ['a1:b', '"a1:b"'],
    ['anna@x.example:hello', '"anna@x.example:hello"'],
    ['тема:счёт', '"тема:счёт"'],
    ['"subjct:invoice"', '"subjct:invoice"'],
    ['subject:re:offer', 'subject:"re:offer"'],
    ['5"x" "two words"three', '"5" "x" "two words" "three"'],
  ]
  for (const [q, expected] of readings) it(`reads ${q}`, () => expect(written(q)).to.equal(expected))

  const wrong = [
    '',
    '  ',
    '!!!',
    '"open',
    '(one',
    'one)',
    'OR',
    'one OR',
    'OR one',
    'AND one',
    'one AND OR two',
    'from:',
  ]
  const more = ['from:(in:inbox)', 'is:nice', 'has:', 'before:2026-13-01', 'before:2026-02-30', 'larger:-1', 'a*', '7*']
  for (const q of [...wrong, ...more]) it(`refuses ${q || 'nothing'}`, () => expect(written(q)).to.match(/^! /))

  const operators: readonly (readonly [q: string, operator: string | null])[] = [
    ['subjct:invoice', 'subjct'],
    ['one -sender:anna', 'sender'],
    ['(one OR Form:anna)', 'Form'],
    ['has-attachment:yes', 'has-attachment'],
    ['size:"5 MB"', 'size'],
    ['body:(one two)', 'body'],
    ['from:(mail:anna)', 'mail'],
    ['localhost:8080', 'localhost'],
    ['mailto:anna@x.example', 'mailto'],
    ['re:offer', 're'],
    ['invoice"', null],
    ['"one" "two', null],
    ['subject:"open', null],
    ['5" screen', null],
  ]
  for (const [q, operator] of operators)
    it(`refuses ${q}`, () => {
      const read = parseQuery(q)
      expect('query' in read ? read : read.operator).to.equal(operator)
      if (operator === null) expect(written(q)).to.equal('! a quote is never closed')
    })

  it('is bounded in length, terms and depth', () => {
    expect(SearchQuery.maxLength).to.equal(limits.queryCharsMax)
    expect(written('x'.repeat(1_001))).to.match(/^! it is longer/)
    expect(written('x '.repeat(51))).to.match(/^! it has more than/)
    expect(written('x-'.repeat(51))).to.match(/^! it has more than/)
    expect(written(`${'('.repeat(11)}x${')'.repeat(11)}`)).to.match(/^! it nests/)
  })

  const piece = fc.constantFrom(
    ...[
      '(',
      ')',
      '"',
      '-',
      'OR',
      'AND',
      ' ',
      '  ',
      '*',
      ':',
      '\\',
      'from:',
      'subject:',
      'in:',
      'is:unread',
      'has:attachment',
    ],
    ...['word', 'Ünï', '東京', 'before:2026-01-01', 'larger:5M', 'a-b@c.example', '\ud800', '\u0301', '½', 'label:x'],
  )
  it('never fails to answer, and reads what it prints as the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((pieces) => pieces.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (q) => {
          const read = parseQuery(q)
          if ('problem' in read) return
          const again = parseQuery(printQuery(read.query))
          // Quoted, a phrase may be longer than what was written.
          if ('problem' in again) expect(again.problem).to.match(/longer|nests/)
          else expect(again.query).to.deep.equal(read.query)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

describe('tokens', () => {
  const cases: readonly (readonly [text: string, ...tokens: string[]])[] = [
    ['Don’t stop', 'don', 't', 'stop'],
    ['Ångström ÅNGSTRÖM', 'angstrom', 'angstrom'],
    ['ŁÓDŹ straße Þór œuvre', 'lodz', 'strasse', 'thor', 'oeuvre'],
    ['ΣΊΣΥΦΟΣ Σίσυφος', 'σισυφοσ', 'σισυφοσ'],
    ['ёлка Й', 'елка', 'и'],
    ['שָׁלוֹם مُحَمَّد', 'שלום', 'محمد'],
    ['हिन्दी', 'हिन्दी'],
    ['ＡＢＣ１２３', 'abc123'],
    ['½ 5㎏', '1', '2', '5kg'],
    ['so\u00adft', 'soft'],
    ['INV-2024-001', 'inv', '2024', '001'],
    ['a.b+c@sub.host.example', 'a', 'b', 'c', 'sub', 'host', 'example'],
    ['東京都', '東京', '京都', '都'],
    ['カﾞ ｶﾞﾀ', 'ガ', 'ガタ', 'タ'],
    ['서울에서', '서울', '울에', '에서', '서'],
    ['ไทย', 'ไท', 'ทย', 'ย'],
    ['3月まで', '3', '月ま', 'まで', 'で'],
    ['𠮷野家', '𠮷野', '野家', '家'],
  ]
  for (const [text, ...tokens] of cases)
    it(`of ${text}`, () => expect(tokensOf(text).map((token) => token.text)).to.deep.equal(tokens))

  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }))
  it('stand at growing positions within the text, and a text finds itself', () => {
    fc.assert(
      fc.property(text, (given) => {
        const tokens = tokensOf(given)
        for (const [n, { at, start, end }] of tokens.entries()) {
          expect(at).to.equal(n)
          expect(start).to.be.lessThan(end)
          expect(end).to.be.at.most(given.length)
        }
        for (const { text: wanted, at, prefix } of wantedTokens(given, { prefix: false })) {
          const token = tokens.find((each) => each.at === at)
          expect(prefix ? token?.text.startsWith(wanted) : token?.text === wanted).to.equal(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('the pieces of a long text have its tokens', () => {
    fc.assert(
      fc.property(text, (given) => {
        const long = given.repeat(Math.ceil(20_000 / Math.max(1, given.length)))
        const pieces = [...chunksOf(long)]
        expect(pieces.join('')).to.equal(long)
        const tokens = pieces.flatMap((piece) => tokensOf(piece).map((token) => token.text))
        expect(tokens).to.deep.equal(tokensOf(long).map((token) => token.text))
      }),
      { numRuns: 100 },
    )
  })

  it('folding twice is folding once', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(foldWord(foldWord(given))).to.equal(foldWord(given))
      }),
    )
  })

  it('a text has all pieces of what it contains in any case', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'aAbBsSſßẞKkKåÅÅσΣςµμıİiIǅǆ'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    )
    const string = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''))
    fc.assert(
      fc.property(string, fc.nat(12), fc.nat(12), string, (text, from, length, other) => {
        const pieces = new Set(trigramsOf(text))
        const inner = [...text].slice(from, from + length).join('')
        for (const part of [inner, inner.toUpperCase(), inner.toLowerCase(), other]) {
          const pattern = part.toWellFormed().replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
          if (!new RegExp(pattern, 'iu').test(text.toWellFormed())) continue
          expect(trigramsOf(part).filter((piece) => !pieces.has(piece))).to.deep.equal([])
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('a long text takes linear time', () => {
    for (const unit of ['a', '東', 'é', 'a-', '\u0301', 'ｶﾞ'])
      expectLinear(unit, unit.repeat(100_000), (text) => tokensOf(text))
  })
})

describe('highlights', () => {
  const marked = (text: string, q: string) => {
    const read = parseQuery(q)
    if ('problem' in read) throw new Error(read.problem)
    const excerpt = excerptOf(text, 'body', markersOf(read.query))
    if (excerpt === null) return null
    return excerpt.marks
      .toReversed()
      .reduce(
        (all, { start, end }) => `${all.slice(0, start)}[${all.slice(start, end)}]${all.slice(end)}`,
        excerpt.text,
      )
  }
  const cases: readonly (readonly [name: string, text: string, q: string, expected: string | null])[] = [
    ['words', 'The Müller family', 'muller family', 'The [Müller] [family]'],
    ['a phrase', 'inv 2024 and INV-2024', '"inv 2024"', '[inv 2024] and [INV-2024]'],
    ['a beginning', 'invoices', 'inv*', '[invoices]'],
    ['one line', 'a\n\n  word\there', 'word', 'a [word] here'],
    ['pairs of characters', '来週は東京都で', '東京都', '来週は[東京都]で'],
    ['one character', '来週は東京都で', '京', '来週は東[京]都で'],
    ['not what is excluded', 'one two', 'one -two', '[one] two'],
    ['nothing', 'one two', 'three', null],
    ['another field', 'one two', 'subject:one', null],
  ]
  for (const [name, text, q, expected] of cases) it(name, () => expect(marked(text, q)).to.equal(expected))

  it('are found far down, with what is around them', () => {
    const text = `${'filler words '.repeat(5_000)}needle ${'and more '.repeat(100)}`
    expect(marked(text, 'needle')).to.match(/^(?:filler |words ){6,14}\[needle\] and more /)
  })

  it('never fail, and lie within the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 500 }),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        (text, q) => {
          const read = parseQuery(q)
          if ('problem' in read) return
          const excerpt = excerptOf(text, 'body', markersOf(read.query))
          for (const { start, end } of excerpt?.marks ?? [])
            expect(start < end && end <= (excerpt?.text.length ?? 0)).to.equal(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})
