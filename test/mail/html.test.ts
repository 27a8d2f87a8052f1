import { expect } from 'chai'
import { sanitiseHtml, visibleText } from '../../mail/html.ts'
import { stripInvisible } from '../../mail/invisible.ts'

const laidOut: readonly (readonly [name: string, html: string, text: string])[] = [
  ['blocks', '<div>a</div><div>b</div><p>c</p><p>d</p>', 'a\nb\n\nc\n\nd'],
  ['line breaks', 'a<br>b<br><br>c', 'a\nb\n\nc'],
  ['an empty block', '<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
  ['white space', ' a \n  b&nbsp; <b> c</b>\n', 'a b c'],
  ['entities', '&lt;b&gt; &amp; &eacute; &#8364; &#x1f600;', '<b> & é € 😀'],
  ['lists', '<ul><li>a<li>b<ol start=3><li>c</ol></ul>', '- a\n- b\n  3. c'],
  ['a table', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['quotations', 'a<blockquote>b<blockquote>c</blockquote></blockquote>d', 'a\n> b\n>> c\nd'],
  ['preformatted text', '<pre>a\n  b</pre>c', 'a\n  b\n\nc'],
  [
    'links',
    '<a href="https://x.example/a">here</a> <a href="https://x.example">x.example</a>',
    'here <https://x.example/a> x.example',
  ],
  ['other links', '<a href="mailto:a@b">a@b</a> <a href="javascript:x">y</a>', 'a@b y'],
  ['scripts and styles', '<title>t</title><script>x</script><style>p{}</style>a', 'a'],
  ['tags that never close', '<p>a<b>b<i>c', 'abc'],
  ['nothing', '', ''],
]

const hides: readonly (readonly [name: string, html: string, kind: string])[] = [
  ['display:none', '<p style="display:none">secret</p>', 'display_none'],
  ['with !important and capitals', '<P STYLE="DISPLAY : NONE !IMPORTANT">secret</P>', 'display_none'],
  ['visibility', '<p style="visibility:hidden"><b>secret</b></p>', 'display_none'],
  ['the hidden attribute', '<p hidden>secret</p>', 'display_none'],
  ['a class', '<style>.x, .y { display: none }</style><p class="a x">secret</p>', 'display_none'],
  ['an id', '<style><!-- #x { font-size: 0 } --></style><p id=x>secret</p>', 'zero_size'],
  ['opacity', '<p style="opacity:0">secret</p>', 'transparent'],
  ['a transparent colour', '<p style="color:rgba(1,2,3,0)">secret</p>', 'transparent'],
  ['font size 0', '<p style="font-size:0px">secret</p>', 'zero_size'],
  ['font size 1px', '<p style="font:1px Arial">secret</p>', 'zero_size'],
  ['no height', '<div style="max-height:0;overflow:hidden">secret</div>', 'zero_size'],
  ['far to the left', '<p style="position:absolute;left:-9999px">secret</p>', 'off_screen'],
  ['indented away', '<p style="text-indent:-999em">secret</p>', 'off_screen'],
  ['white on white', '<p style="color:#fff">secret</p>', 'same_colour'],
  ['nearly white on white', '<font color="#fefefe">secret</font>', 'same_colour'],
  ['black on black', '<table bgcolor=black><tr><td style="color:#000">secret</td></tr></table>', 'same_colour'],
  ['body colours', '<body bgcolor="#123456" text="#123456">secret</body>', 'same_colour'],
  ['a comment', '<!-- secret orders -->', 'comment'],
  [
    'tag characters',
    `<p>${[...'secret'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')}</p>`,
    'tag_characters',
  ],
  [
    'variation selectors',
    `<p>😀${[...Buffer.from('secret')].map((byte) => String.fromCodePoint(0xe0100 + byte - 16)).join('')}</p>`,
    'tag_characters',
  ],
]

const seen: readonly (readonly [name: string, html: string])[] = [
  ['white on black', '<div style="background:#000"><p style="color:#fff">seen</p></div>'],
  ['white on a picture', '<td background="a.png"><p style="color:#fff">seen</p></td>'],
  ['white on a gradient', '<div style="background:linear-gradient(red,blue)"><p style="color:#fff">seen</p></div>'],
  ['a size of its own inside size 0', '<div style="font-size:0"><p style="font-size:14px">seen</p></div>'],
  [
    'hidden on small screens only',
    '<style>@media (max-width:600px) { .d { display:none } }</style><p class=d>seen</p>',
  ],
  ['a block with height 0 that does not clip', '<p style="height:0">seen</p>'],
  ['margins of a few pixels', '<p style="margin-left:-10px">seen</p>'],
  ['a link on a coloured button', '<td bgcolor="#00f"><a style="color:white">seen</a></td>'],
]

describe('mail/html: visible text', () => {
  for (const [name, html, text] of laidOut) it(name, () => expect(visibleText(html).text).to.equal(text))

  for (const [name, html, kind] of hides) {
    it(`hides ${name}`, () => {
      const { text, hidden } = visibleText(`before ${html} after`)
      expect(text).to.match(/^before\s+(?:😀\s+)?after$/)
      expect(hidden.map((each) => each.kind)).to.deep.equal([kind])
      expect(hidden[0]?.excerpt).to.match(/^secret/)
    })
  }
  for (const [name, html] of seen) {
    it(`shows ${name}`, () => expect(visibleText(html)).to.deep.equal({ text: 'seen', hidden: [] }))
  }

  it('bounds its reports', () => {
    const { hidden } = visibleText(`<p style="display:none">${'x'.repeat(5000)}</p>word `.repeat(100))
    expect(hidden).to.have.length(20)
    expect(hidden[0]?.excerpt).to.have.length(200)
  })

  it('takes linear time for what costs parsers most', function () {
    this.timeout(30_000)
    const pieces = [
      '<',
      '<!--',
      '<b>',
      '</b>',
      '<style>a{',
      '<a href="http://x">x</a>',
      '&amp;',
      '<blockquote>',
      '<br>',
      '<p style="color:#fff">x',
      '<table>',
    ]
    for (const piece of pieces) {
      const html = piece.repeat(300_000 / piece.length)
      const started = performance.now()
      visibleText(html)
      sanitiseHtml(html)
      expect(performance.now() - started, piece).to.be.below(3000)
    }
    for (const html of [
      `<style>${'/*'.repeat(200_000)}`,
      `<pre>a${' '.repeat(400_000)}b`,
      `<style>${'.a{color:red;x:1}'.repeat(20_000)}`,
    ]) {
      const before = performance.now()
      visibleText(html)
      expect(performance.now() - before, html.slice(0, 20)).to.be.below(2000)
    }
    const started = performance.now()
    visibleText('<b>'.repeat(100_000) + '</i>'.repeat(100_000))
    sanitiseHtml('<b>'.repeat(100_000) + '</i>'.repeat(100_000))
    expect(performance.now() - started).to.be.below(1000)
  })
})

describe('mail/html: invisible characters', () => {
  const kept = ['👩‍👩‍👧', '❤️‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'می‌خواهم', 'क्‍ष', '葛\u{e0100}', 'שלום\u200f']
  for (const text of kept) it(`keeps ${text}`, () => expect(stripInvisible(text)).to.deep.equal({ text, hidden: [] }))

  it('reports words that were cut up, not padding', () => {
    expect(stripInvisible('pass\u200bword').hidden).to.deep.equal([{ kind: 'zero_width', excerpt: 'password' }])
    expect(stripInvisible(`Preview ${'\u200c \u034f'.repeat(50)}`).hidden).to.deep.equal([])
    expect(stripInvisible('co\u00adoperate')).to.deep.equal({ text: 'cooperate', hidden: [] })
  })
})

describe('mail/html: sanitised', () => {
  const removed: readonly (readonly [name: string, html: string])[] = [
    ['scripts', '<script>alert(1)</script>'],
    ['event handlers', '<img src="https://x/a.png" onerror="alert(1)">'],
    ['javascript links', '<a href=" java\nscript:alert(1)">x</a>'],
    ['data links', '<a href="data:text/html,alert(1)">x</a>'],
    ['data documents as images', '<img src="data:text/html,alert(1)">'],
    ['svg images', '<img src="data:image/svg+xml,alert(1)">'],
    [
      'forms',
      '<form action="https://evil.example/alert(1)"><input name=a><button formaction="alert(1)">go</button></form>',
    ],
    [
      'frames',
      '<iframe src="https://evil.example/alert(1)"></iframe><object data="alert(1)"></object><embed src="alert(1)">',
    ],
    [
      'base and meta',
      '<base href="https://evil.example/alert(1)"><meta http-equiv=refresh content="0;url=alert(1)"><link href="alert(1)">',
    ],
    ['style sheets', '<style>@import "alert(1)"</style>'],
    ['style that loads', '<p style="background-image:url(https://x/alert(1));background:url(alert(1))">x</p>'],
    ['style that covers', '<p style="position:fixed;z-index:9;top:0">x</p>'],
    ['svg', '<svg onload="alert(1)"><script>alert(1)</script><a xlink:href="javascript:alert(1)">x</a></svg>'],
    [
      'mutations',
      '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>',
    ],
    ['comments', '<!--[if IE]>alert(1)<![endif]-->'],
  ]
  for (const [name, html] of removed) {
    it(`removes ${name}`, () => {
      const safe = sanitiseHtml(`${html}<p>kept</p>`)
      expect(safe).to.contain('<p>kept</p>')
      expect(safe).to.not.match(
        /alert\(1\)|<form|<input|<iframe|<base|<meta|<style|<script|onerror|javascript|position|url\(/i,
      )
    })
  }

  it('keeps what a message needs', () => {
    const html =
      '<p style="color:#f00;text-align:center">a<img src="cid:logo@x" alt="Logo" /><a href="https://x.example/">b</a></p>'
    const safe = sanitiseHtml(html)
    expect(safe).to.contain('style="color:#f00;text-align:center"')
    expect(safe).to.contain('src="cid:logo@x"')
    expect(safe).to.contain('href="https://x.example/"')
    expect(safe).to.contain('rel="noopener noreferrer nofollow"')
  })
})
