import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readBody } from '../../../mail/body/body.ts'
import { visibleText } from '../../../mail/body/html-text.ts'
import { sanitiseHtml } from '../../../mail/body/sanitise.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { labelledHtml } from '../../score/hidden.ts'
import { expectLinear } from '../cost.ts'

const markdownOf = (html: string) => visibleText(html, { markdown: true }).text

const laidOut: readonly (readonly [name: string, html: string, markdown: string])[] = [
  ['headings', '<h1>a</h1><h3>b</h3>c', '# a\n\n### b\n\nc'],
  ['emphasis', 'a <b>b</b> <em>c</em>', 'a **b** *c*'],
  ['blanks stay outside of it', 'a<b> b </b>c<i>d</i>', 'a **b** c*d*'],
  ['emphasis of nothing', 'a<b></b><b> </b>b', 'a b'],
  ['emphasis over lines is left out', '<b>a<br>b</b>', 'a\nb'],
  ['emphasis of emphasis', '<b><i>a</i></b>', '***a***'],
  ['links', '<a href="https://x.example/a">here</a>', '[here](https://x.example/a)'],
  ['a link by its address', '<a href="https://x.example">x.example</a>', 'x.example'],
  ['a link to a script', '<a href="javascript:x">here</a>', 'here'],
  ['a link over lines', '<a href="https://x.example/a">a<br>b</a>', 'a\nb <https://x.example/a>'],
  ['an address with brackets', '<a href="https://x.example/(a)">b</a>', '[b](https://x.example/%28a%29)'],
  ['pictures', 'a <img alt="A cat" src="https://x.example/c.png"> b', 'a ![A cat]() b'],
  ['a picture that leads on', '<a href="https://x.example/c"><img alt="Go"></a>', '[![Go]()](https://x.example/c)'],
  ['lists in lists', '<ul><li>a<ol><li>b</ol><li>c</ul>d', '- a\n    1. b\n- c\n\nd'],
  ['quotations', 'a<blockquote>b<blockquote>c</blockquote></blockquote>d', 'a\n\n> b\n>\n>> c\n\nd'],
  ['a rule', 'a<hr>b', 'a\n***\nb'],
  [
    'a table of data',
    'x<table><tr><th>a<th>b<tr><td><p>c|d</p><p>e</p><td></table>y',
    'x\n\n| a | b |\n| --- | --- |\n| c\\|d e | |\n\ny',
  ],
  ['a table that places things', '<table><tr><td>a<td>b</table>', 'a b'],
  [
    'a table in a table',
    '<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>',
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
  ['rows that are not as long', '<table><tr><td>a<td>b<tr><td>c</table>', 'a b\nc'],
  ['a hidden table', 'x<table hidden><tr><td>a<td>b<tr><td>c<td>d</table>y', 'xy'],
  [
    'a hidden one, and one that is seen',
    '<table hidden></table><table><tr><td>a<td>b<tr><td>c<td>d</table>',
    '| a | b |\n| --- | --- |\n| c | d |',
  ],
  ['nothing', '', ''],
]

/** What a sender writes is no mark. */
const texts: readonly (readonly [name: string, html: string, markdown: string])[] = [
  ['stars', '2 * 3 * 4', '2 \\* 3 \\* 4'],
  ['a heading', '<p># a</p><p>#7 b</p>', '\\# a\n\n#7 b'],
  ['a quotation', '&gt; a', '\\> a'],
  ['names', 'snake_case _b_', 'snake_case \\_b\\_'],
  ['an address', 'https://x.example/a_*b?c=*d', 'https://x.example/a_*b?c=*d'],
  [
    'a link in the words of a link',
    '<a href="https://evil.example">Log in](https://bank.example) [x</a>',
    '[Log in\\](https://bank.example) \\[x](https://evil.example)',
  ],
  [
    'an address in the words of a link',
    '<a href="https://evil.example">https://bank.example](https://bank.example) [x</a>',
    '[https://bank.example\\](https://bank.example) \\[x](https://evil.example)',
  ],
  ['a link in the words of a picture', '<img alt="a](https://x.example) ![b">', '![a\\](https://x.example) !\\[b]()'],
  ['a code', 'Your code is <b>G-123 456</b>', 'Your code is **G-123 456**'],
]

describe('markdown of HTML', () => {
  for (const [name, html, markdown] of [...laidOut, ...texts])
    it(name, () => expect(markdownOf(html)).to.equal(markdown))

  it('leaves out what the text leaves out, and reports it', () => {
    const files = globSync('test/fixtures/hidden/*.json')
    const cases = files.flatMap((file) => labelledHtml(file))
    expect(cases).to.have.length.above(50)
    const words = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')
    for (const { id, html } of cases) {
      const [text, markdown] = [
        visibleText(html, { links: false }),
        visibleText(html, { links: false, markdown: true }),
      ]
      expect(words(markdown.text), id).to.equal(words(text.text.replaceAll('[image: ', '')))
      expect(markdown.hidden, id).to.deep.equal(text.hidden)
    }
  })

  it('takes less than six tenths of the words and signs of the sanitised HTML', () => {
    const tokens = (text: string) => text.match(/\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]/gu)?.length ?? 0
    let [asHtml, asMarkdown] = [0, 0]
    for (const file of globSync('test/fixtures/**/*.eml')) {
      const raw = readFileSync(file)
      const parsed = parseMessage(raw)
      const { html, markdown = '' } = readBody(raw, parsed, { markdown: true })
      if (html === null) continue
      asHtml += tokens(sanitiseHtml(html))
      asMarkdown += tokens(markdown)
    }
    expect(asHtml).to.be.above(5_000)
    expect(asMarkdown / asHtml).to.be.below(0.6)
  })

  it('takes linear time', () => {
    const pieces = [
      '<b>',
      '<b>a</b>',
      '<a href="http://x">x</a>',
      '<a href="http://x">x<br>',
      '<table>',
      '<table><tr><td>a<td>b<tr><td>c<td>d</table>',
      '<tr><td>',
      '<ul><li>',
      '[](',
      '_*`',
      'http://x',
      '<img alt="[a](b">',
      '<blockquote>a',
    ]
    for (const piece of pieces) expectLinear(piece, piece.repeat(200_000 / piece.length), markdownOf)
    const row = '<td>a'.repeat(20_000)
    expectLinear('a wide table', `<table><tr>${row}<tr>${row}</table>`, markdownOf)
  })
})
