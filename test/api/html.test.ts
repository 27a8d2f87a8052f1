import { expect } from 'chai'
import { type Html, html } from '../../api/pages/html.ts'

describe('api: markup', () => {
  const cases: readonly (readonly [string, Html, string])[] = [
    ['a text', html`<p>${'a'}</p>`, '<p>a</p>'],
    ['a number', html`<p>${7}</p>`, '<p>7</p>'],
    ['nothing', html`<p>${null}</p>`, '<p></p>'],
    ['an empty text', html`<p>${''}</p>`, '<p></p>'],
    ['a tag', html`<p>${'<b>a</b>'}</p>`, '<p>&lt;b&gt;a&lt;/b&gt;</p>'],
    ['a script', html`${'</script><script>x'}`, '&lt;/script&gt;&lt;script&gt;x'],
    ['an ampersand', html`${'&amp;'}`, '&amp;amp;'],
    ['a double quote in an attribute', html`<p title="${'" onclick="x'}">`, '<p title="&quot; onclick=&quot;x">'],
    ['a single quote in an attribute', html`<p title='${"' onclick='x"}'>`, "<p title='&#39; onclick=&#39;x'>"],
    ['a comment', html`<!-- ${'--><b>'} -->`, '<!-- --&gt;&lt;b&gt; -->'],
    ['what looks like markup of ours', html`${String(html`<b>`)}`, '&lt;b&gt;'],
    ['markup of ours', html`<p>${html`<b>${'<'}</b>`}</p>`, '<p><b>&lt;</b></p>'],
    ['a list', html`<ul>${['<', html`<li>`]}</ul>`, '<ul>&lt;<li></ul>'],
    ['lists in lists', html`${[['a', ['<']], []]}`, 'a&lt;'],
    ['several parts', html`${'<'}-${'>'}`, '&lt;-&gt;'],
    ['a backslash and a backtick', html`${'\\`'}`, '\\`'],
    ['letters of other scripts', html`${'Grüße, 日本'}`, 'Grüße, 日本'],
  ]
  for (const [name, markup, expected] of cases)
    it(`shows ${name} as it is`, () => expect(String(markup)).to.equal(expected))

  it('does not accept an object that merely looks like markup', () => {
    const forged = { toString: () => '<script>' } as unknown as string
    expect(String(html`${[forged].join('')}`)).to.equal('&lt;script&gt;')
  })
})
