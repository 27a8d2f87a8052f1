import { expect } from 'chai'
import { jobs } from '../../../core/parsing/jobs.ts'
import { expectLinear } from '../cost.ts'

const bodiesOf = (markdown: string) => jobs.markdown({ raw: Buffer.from(markdown) })

describe('markdown in sends', () => {
  const cases: readonly (readonly [name: string, markdown: string, html: string, text: string])[] = [
    ['emphasis', '**a** *b* ~~c~~', '<p><strong>a</strong> <em>b</em> <s>c</s></p>', 'a b c'],
    ['a heading', '## Offer', '<h2>Offer</h2>', 'Offer'],
    ['a line end is one', 'Best,\nBot', '<p>Best,<br />\nBot</p>', 'Best,\nBot'],
    ['lists in lists', '- a\n  1. b', '<ul>\n<li>a\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ul>', '- a\n  1. b'],
    ['a quotation', '> a', '<blockquote>\n<p>a</p>\n</blockquote>', '> a'],
    ['code is text', '`<b>`', '<p><code>&lt;b&gt;</code></p>', '<b>'],
    ['HTML is text', '<b onclick=x>a</b>', '<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>', '<b onclick=x>a</b>'],
    ['a script is text', '<script>x</script>', '<p>&lt;script&gt;x&lt;/script&gt;</p>', '<script>x</script>'],
    ['a script is no link', '[a](javascript:x)', '<p>[a](javascript:x)</p>', '[a](javascript:x)'],
    ['a hidden script is no link', '[a](java&#x73;cript:x)', '<p>[a](javascript:x)</p>', '[a](javascript:x)'],
    ['a file is no link', 'agent.py', '<p>agent.py</p>', 'agent.py'],
    ['an image keeps its words', '![Logo](cid:a)', '<p><img alt="Logo" src="cid:a" /></p>', '[image: Logo]'],
    ['names stay names', 'a_b_c {{d_e}}', '<p>a_b_c {{d_e}}</p>', 'a_b_c {{d_e}}'],
    ['nothing', '', '', ''],
  ]
  for (const [name, markdown, html, text] of cases)
    it(name, () => {
      const bodies = bodiesOf(markdown)
      expect([bodies.html.trim(), bodies.text]).to.deep.equal([html, text])
    })

  it('a table has its lines', () => {
    const { html, text } = bodiesOf('|a|b|\n|-|-|\n|1|2|')
    expect(html).to.include('<table border="1"').and.include('<th>a</th>')
    expect(text).to.equal('a\tb\n1\t2')
  })

  const links: readonly (readonly [markdown: string, address: string])[] = [
    ['[a](https://b.example/?c=d&e=f)', 'https://b.example/?c=d&amp;e=f'],
    ['[a](https://b.example/{{id}}?x={{y.z}})', 'https://b.example/{{id}}?x={{y.z}}'],
    ['[a]({{link}})', '{{link}}'],
    ['[a]({{bestätigen}})', '{{bestätigen}}'],
    ['[a](<{{ link }}>)', '{{ link }}'],
    ['[a](https://b.example/{{番号}}?x={{größe}})', 'https://b.example/{{番号}}?x={{größe}}'],
    ['https://b.example/c', 'https://b.example/c'],
    ['<a@b.example>', 'mailto:a@b.example'],
  ]
  for (const [markdown, address] of links)
    it(`${markdown} leads to ${address}`, () => expect(bodiesOf(markdown).html).to.include(`href="${address}"`))

  const side = (length: number) => Math.floor(Math.sqrt(length))
  const shapes: { readonly [name: string]: (length: number) => string } = {
    stars: (length) => '*a '.repeat(length / 3),
    'stars and lines': (length) => '*a_ '.repeat(length / 4),
    brackets: (length) => '['.repeat(length),
    'open links': (length) => '[a]('.repeat(length / 4),
    images: (length) => '!['.repeat(length / 2),
    quotations: (length) => '> '.repeat(length / 2),
    lists: (length) => Array.from({ length: side(length) }, (_, n) => `${' '.repeat(n)}- a`).join('\n'),
    ticks: (length) => Array.from({ length: side(2 * length) }, (_, n) => `e${'`'.repeat(n)}`).join(''),
    'a wide table': (length) => `${'|a'.repeat(length / 4)}\n${'|-'.repeat(length / 4)}\n`,
    // Fewer columns than would reach the most cells of a table: then an eighth would take as long as the whole.
    'empty rows': (length) => `|${'a|'.repeat(4)}\n|${'-|'.repeat(4)}\n${'|\n'.repeat(length / 2)}`,
    tags: (length) => '<a '.repeat(length / 3),
    references: (length) => '[a]: u\n'.repeat(length / 7),
    addresses: (length) => 'http://a.b '.repeat(length / 11),
    tildes: (length) => '~~a'.repeat(length / 3),
    tokens: (length) => '[a]({{'.repeat(length / 6),
    'tokens in a link': (length) => `[a](https://b.example/${'{{ä'.repeat(length / 3)}{{a}})`,
  }
  for (const [name, shape] of Object.entries(shapes))
    it(`${name} cost time by their length`, () => {
      expectLinear(name, shape(30_000), bodiesOf, shape(3_750))
    })
})
