import { expect } from 'chai'
import { visibleText } from '../../../mail/body/html-text.ts'
import { sanitiseHtml } from '../../../mail/body/sanitise.ts'
import { closeDirections, stripInvisible } from '../../../mail/encoding/invisible-characters.ts'
import { expectLinear } from '../cost.ts'

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
  [
    'a class inside another',
    '<style>.m td .x { display: none }</style><table class=m><td><p class=x>secret</p></td></table>',
    'display_none',
  ],
  ['a child', '<style>div > p.x{display:none}</style><div><p class="x y">secret</p></div>', 'display_none'],
  ['two classes', '<style>.x.y{display:none}</style><p class="y x">secret</p>', 'display_none'],
  [
    'an important rule over the style',
    '<style>.x{display:none!important}</style><p class=x style="display:block">secret</p>',
    'display_none',
  ],
  [
    'a rule behind a thousand others',
    `<style>${'.j .x{color:red}'.repeat(40)}.x{display:none}</style><p class=x>secret</p>`,
    'display_none',
  ],
  [
    'a class between rules for all',
    '<style>p{display:block}.x{display:none}p{color:red}</style><p class=x>secret</p>',
    'display_none',
  ],
  ['font size 2px', '<p style="font-size:2px">secret</p>', 'zero_size'],
  ['lines without height', '<p style="line-height:0;overflow:hidden">secret</p>', 'zero_size'],
  [
    'nearly the colour around it',
    '<div style="background:#f5f5f5"><p style="color:#eeeef2">secret</p></div>',
    'same_colour',
  ],
  ['a filter', '<p style="filter:opacity(0%)">secret</p>', 'transparent'],
  ['a transparent fill', '<p style="-webkit-text-fill-color:transparent">secret</p>', 'transparent'],
  ['a transparent colour of four values', '<p style="color:rgb(0 0 0 / 0)">secret</p>', 'transparent'],
  ['zoom', '<p style="zoom:0">secret</p>', 'zero_size'],
  ['far to the right', '<p style="position:absolute;left:9999px">secret</p>', 'off_screen'],
  ['a colour that is inherited', '<div style="color:white"><p><b>secret</b></p></div>', 'same_colour'],
  ['a colour of a cell', '<table><td bgcolor="#FFFFFF"><font color=white>secret</font></td></table>', 'same_colour'],
  [
    'colours of classes',
    '<style>td{background-color:navy}.x{color:#000080}</style><table><td><p class=x>secret</p></td></table>',
    'same_colour',
  ],
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

/** Ways to write the same so that a simple reader does not see it. */
const styled: readonly (readonly [kind: string, styles: readonly string[]])[] = [
  [
    'display_none',
    ['display:/**/none', '/*a*/display:none', 'd\\69splay:none', 'display:n\\6fne', 'display:none;display:foo'],
  ],
  [
    'display_none',
    ['--a:none;display:var(--a)', 'display:var(--b,none)', 'content:";";display:none', '{a};display:none'],
  ],
  [
    'transparent',
    ['opacity:-1', 'opacity:+0', 'opacity:0e0', 'opacity:1%', 'opacity:calc(0)', 'opacity:0;opacity:foo'],
  ],
  [
    'transparent',
    ['filter:opacity(1%)', 'filter:blur(50px)', 'color:rgba(0,0,0,.01)', 'color:#00000001', 'color:#fff0'],
  ],
  [
    'zero_size',
    ['font-size:calc(0px)', 'font-size:min(0px,1em)', 'font-size:+0px', 'font-size:1e-3px', 'font-size:.01in'],
  ],
  ['zero_size', ['font-size:.01vw', 'font:0/0 a', 'font-size:0;font:foo', 'font-size:0;font-size:foo', 'zoom:1%']],
  [
    'zero_size',
    ['height:0;overflow:auto', 'height:0;overflow:scroll', 'height:0;contain:paint', 'width:0;overflow-x:hidden'],
  ],
  ['zero_size', ['block-size:0;overflow:hidden', 'height:calc(0px);overflow:hidden', 'height:2px;overflow:hidden']],
  ['zero_size', ['scale:0', 'transform:scale(.001)', 'transform:rotateX(90deg)', 'transform:matrix(0,0,0,0,0,0)']],
  ['zero_size', ['clip:rect(1px,1px,1px,1px)', 'clip-path:polygon(0 0,0 0,0 0)', 'clip-path:ellipse(0 0)']],
  ['off_screen', ['margin:-9999px', 'margin:0 0 0 -9999px', 'margin-left:calc(-9999px)', 'margin-block-start:-9999px']],
  [
    'off_screen',
    ['inset:-9999px auto auto -9999px', 'left:calc(0px - 9999px)', 'translate:-9999px', 'letter-spacing:-999px'],
  ],
  [
    'zero_size',
    [
      'scale:0;scale:foo',
      'clip-path:inset(100%);clip-path:foo',
      'font-size:0;font:a b',
      'font-size:0;font-size:foo(1)',
    ],
  ],
  ['same_colour', ['background:#000;color:#000;background:foo', 'color:#fff;color:foo(1)', 'color:#fff;color:rgb(a)']],
  ['off_screen', ['transform:translate3d(-9999px,0,0)', 'transform:rotate(1deg) translateX(9999px)']],
  ['same_colour', ['color:hsl(0,0%,100%)', 'color:hwb(0 100% 0%)', 'color:lab(100% 0 0)', 'color:oklch(100% 0 0)']],
  [
    'same_colour',
    ['color:rgb(100%,100%,100%)', 'color:rgb(255.0,255.0,255.0)', 'color:color(srgb 1 1 1)', 'color:canvas'],
  ],
  ['same_colour', ['color:azure', 'color:aliceblue', 'color:#fff;color:foo', 'background:no-repeat #000;color:#000']],
  [
    'same_colour',
    [
      'color:rgb(0 0 0 / 10%);background:#222',
      'color:color-mix(in srgb,white,white)',
      'color:#000;background:rgb(0 0 0 / 99%)',
    ],
  ],
]

/** Style sheets that hide the second of two paragraphs, which has class and id `x`. */
const sheets: readonly string[] = [
  '@media all{.x{display:none}}',
  '@media screen and (min-width:1px){.x{display:none}}',
  '@media not print{.x{display:none}}',
  '@media (width > 100px) and (not (prefers-color-scheme:dark)){.x{display:none}}',
  '@supports (display:block){.x{display:none}}',
  '@layer a{.x{display:none}}',
  '@container (min-width:1px){.x{display:none}}',
  '@scope (body){.x{display:none}}',
  '@font-face{font-family:"}";src:url(a)}.x{display:none}',
  'a{content:"}"}.x{display:none}',
  'a{content:"{"}.x{display:none}',
  '/*{*/.x/**/{display:none}',
  '[class=x]{display:none}',
  '[class^="X" i]{display:none}',
  'p+.x{display:none}',
  'p~.x{display:none}',
  'p:nth-child(2n){display:none}',
  'p:last-child{display:none}',
  'p:nth-last-child(1){display:none}',
  'p:nth-of-type(2){display:none}',
  ':is(.x,.y){display:none}',
  ':where(p).x{display:none}',
  '.x:not(.y){display:none}',
  ':root .x{display:none}',
  'html body>.x{display:none}',
  '* .x{display:none}',
  'body{.x{display:none}}',
  'body{& > .x{display:none}}',
  '.\\78{display:none}',
  `.${'y'.repeat(2000)},.x{display:none}`,
  ':root{--d:none}.x{display:var(--d)}',
  'p{content:"\r}.x{display:none}p{content:"}',
  'p{content:"\f}.x{display:none}p{content:"}',
  'p{content:"\\\r\n}.x{display:block}"}.x{display:none}',
  'p{content:"\\61\r\n}.x{display:block}"}.x{display:none}',
  'p{a:\\75rl(()}.x{display:none}',
  'p{a:url(b \\61 \\)}.x{display:block})}.x{display:none}',
  'p{a:({)})}.x{display:none}',
]

const elsewhere: readonly (readonly [name: string, html: string])[] = [
  ['a style sheet at the end', '<p class=x>secret</p><style>.x{display:none}</style>'],
  ['a class that is not ASCII', '<style>.日{display:none}</style><p class=日>secret</p>'],
  ['a class with a colon', '<style>.a\\:b{display:none}</style><p class="a:b">secret</p>'],
  [
    'six ancestors',
    `<style>${'div '.repeat(6)}p{display:none}</style>${'<div>'.repeat(6)}<p>secret</p>${'</div>'.repeat(6)}`,
  ],
  ['links alone', '<style>a:link{display:none}</style><a href="http://x.example">secret</a>'],
  ['a size of nothing', '<div style="font-size:0"><p style="font-size:3em">secret</p></div>'],
  ['a dialog', '<dialog>secret</dialog>'],
  ['a canvas', '<canvas>secret</canvas>'],
  ['a bar', '<progress>secret</progress>'],
  ['what pops up', '<p popover>secret</p>'],
  ['a meter', '<meter>secret</meter>'],
  ['what stands in for plug-ins', '<noembed>secret</noembed>'],
]

const seen: readonly (readonly [name: string, html: string])[] = [
  ['white on black', '<div style="background:#000"><p style="color:#fff">seen</p></div>'],
  ['white on a picture', '<td background="a.png"><p style="color:#fff">seen</p></td>'],
  [
    'white on the last background that is one',
    '<p style="background:navy center/cover no-repeat, left;background:foo;color:#fff">seen</p>',
  ],
  ['white on a gradient', '<div style="background:linear-gradient(red,blue)"><p style="color:#fff">seen</p></div>'],
  ['a size of its own inside size 0', '<div style="font-size:0"><p style="font-size:14px">seen</p></div>'],
  [
    'hidden on small screens only',
    '<style>@media (max-width:600px) { .d { display:none } }</style><p class=d>seen</p>',
  ],
  ['a block with height 0 that does not clip', '<p style="height:0">seen</p>'],
  ['margins of a few pixels', '<p style="margin-left:-10px">seen</p>'],
  ['what is seen again', '<div style="visibility:hidden"><b style="visibility:visible">seen</b></div>'],
  ['small print', '<p style="font-size:6px;color:#ccc">seen</p>'],
  ['what is hidden in Outlook alone', '<a style="mso-hide:all">seen</a>'],
  ['what can be opened', '<details><summary></summary>seen</details>'],
  ['what stands in for scripts', '<noscript>seen</noscript>'],
  ['a rule for other ancestors', '<style>.mobile .x{display:none}</style><p class=x>seen</p>'],
  ['a rule for a state', '<style>p:hover{display:none}a[href]{color:white}</style><p>seen</p>'],
  ['a rule that another takes back', '<style>p{display:none}p.x{display:block}</style><p class=x>seen</p>'],
  ['a style that takes a rule back', '<style>.x{display:none}</style><p class=x style="display:block">seen</p>'],
  ['what print alone hides', '<style media=print>.x{display:none}</style><p class=x>seen</p>'],
  ['what no style sheet says', '<style type="text/x">.x{display:none}</style><p class=x>seen</p>'],
  [
    'hidden in the dark, on paper and by other programs',
    '<style>@media (prefers-color-scheme:dark){.x{display:none}}@media print{.x{display:none}}@media yahoo{.x{display:none}}@supports (-webkit-touch-callout:none){.x{display:none}}[data-ogsc] .x{display:none}u + .body .x{display:none}#outlook .x{display:none}.x:hover{display:none}@keyframes a{to{display:none}}</style><p class=x>seen</p>',
  ],
  [
    'shown on wide screens',
    '<style>.x{display:none}@media only screen and (min-width:600px){.x{display:block!important}}</style><p class=x>seen</p>',
  ],
  ['the first of two', '<style>p:last-child{display:none}</style><div><p>seen</p><p></p></div>'],
  [
    'what no selector names',
    '<style>.x::before,.x:not(p),div>p.x,.x:nth-child(2){display:none}</style><p class=x>seen</p>',
  ],
  ['what stands in a bracket of another kind', '<style>p{a:(]}.x{display:none}</style><p class=x>seen</p>'],
  ['what stands in a brace in a bracket', '<style>p{a:({)}.x{display:none}</style><p class=x>seen</p>'],
  ['what stands in an address', '<style>p{a:url(\\)}.x{display:none}</style><p class=x>seen</p>'],
  ['what stands in a function that ends as one', '<style>p{a:xurl(()}.x{display:none}</style><p class=x>seen</p>'],
  ['a sheet that was broken off', '<style>.y{content:"a}.x{display:none}</style><p class=x>seen</p>'],
  ['a value that no program takes', '<p style="display:none none;color:#12;font-size:-1px">seen</p>'],
  ['letters that stand close', '<p style="letter-spacing:-.05em;margin:-8px 0">seen</p>'],
  ['a font element inside size 0', '<div style="font-size:0"><font size=2>seen</font></div>'],
  [
    'a clear background',
    '<div style="background:navy"><p style="background:rgba(255,255,255,0);color:#fff">seen</p></div>',
  ],
  ['a background that old programs make out', '<td bgcolor="blueish"><p style="color:#fff">seen</p></td>'],
  ['what Internet Explorer alone hides', '<p style="display:none\\9;*display:none">seen</p>'],
  [
    'values over several lines',
    '<p style="margin:-999px;margin:0\n\tauto;color:#fff;color:rgb(\n1,\r\n2,\n3)">seen</p>',
  ],
  ['a margin that is taken back', '<p style="margin:-999px;margin:0 auto;font-size:0;font:14px Arial">seen</p>'],
  ['what calc() centres', '<p style="margin-left:calc(50% - 300px);width:calc(100% - 40px);overflow:hidden">seen</p>'],
  ['a line that may grow', '<p style="height:1px;min-height:20px;overflow:hidden">seen</p>'],
  ['a link on a coloured button', '<td bgcolor="#00f"><a style="color:white">seen</a></td>'],
]

describe('mail/body/html-text: visible text', () => {
  for (const [name, html, text] of laidOut) it(name, () => expect(visibleText(html).text).to.equal(text))

  for (const [name, html, kind] of hides) {
    it(`hides ${name}`, () => {
      const { text, hidden } = visibleText(`before ${html} after`)
      expect(text).to.match(/^before\s+(?:😀\s+)?after$/)
      expect(hidden.map((each) => each.kind)).to.deep.equal([kind])
      expect(hidden[0]?.excerpt).to.match(/^secret/)
    })
  }
  const expectHidden = (html: string, kind: string) => {
    const { text, hidden } = visibleText(html)
    expect(text, html).to.equal('before')
    expect(hidden, html).to.deep.equal([{ kind, excerpt: 'secret' }])
    expect(sanitiseHtml(html), html).to.not.contain('secret')
  }
  for (const [kind, styles] of styled) {
    it(`hides ${styles.join(' | ')}`, () => {
      for (const style of styles) expectHidden(`<p>before</p><p style='${style}'>secret</p>`, kind)
    })
  }
  it('hides what style sheets hide', () => {
    for (const sheet of sheets)
      expectHidden(`<style>${sheet}</style><p>before</p><p class=x>secret</p>`, 'display_none')
  })
  for (const [name, html] of elsewhere) {
    it(`hides ${name}`, () =>
      expectHidden(`<p>before</p>${html}`, name.startsWith('a size') ? 'zero_size' : 'display_none'))
  }
  for (const [name, html] of seen) {
    it(`shows ${name}`, () => expect(visibleText(html)).to.deep.equal({ text: 'seen', hidden: [], truncated: false }))
  }

  it('bounds its reports', () => {
    const { hidden } = visibleText(`<p style="display:none">${'x'.repeat(5000)}</p>word `.repeat(100))
    expect(hidden).to.have.length(20)
    expect(hidden[0]?.excerpt).to.have.length(200)
  })

  it('takes linear time for what costs parsers most', () => {
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
    const read = (html: string) => [visibleText(html), sanitiseHtml(html)]
    for (const piece of pieces) {
      expectLinear(piece, piece.repeat(300_000 / piece.length), read)
    }
    for (const html of [
      `<style>${'/*'.repeat(200_000)}`,
      `<pre>a${' '.repeat(400_000)}b`,
      `<style>${'.a{color:red;x:1}'.repeat(20_000)}`,
      `<style>p{${'a b;\n'.repeat(80_000)}`,
      `<style>${'%{}'.repeat(130_000)}`,
      `<style>p{${'url('.repeat(100_000)}`,
      `<style>@media ${'('.repeat(400_000)}`,
      `<p style="${'a(;'.repeat(130_000)}">`,
    ]) {
      expectLinear(html.slice(0, 20), html, (text) => visibleText(text))
    }
    const closed = (count: number) => '<b>'.repeat(count) + '</i>'.repeat(count)
    expectLinear('blocks closed by strangers', closed(100_000), read, closed(50_000))
  })
})

describe('mail/body/html-text: invisible characters', () => {
  const kept = ['👩‍👩‍👧', '❤️‍🔥', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'می‌خواهم', 'क्‍ष', '葛\u{e0100}', 'שלום\u200f', 'مرحبا\u061c 1']
  for (const text of kept) it(`keeps ${text}`, () => expect(stripInvisible(text)).to.deep.equal({ text, hidden: [] }))

  it('reports words that were cut up, not padding', () => {
    expect(stripInvisible('pass\u200bword').hidden).to.deep.equal([{ kind: 'zero_width', excerpt: 'password' }])
    expect(stripInvisible(`Preview ${'\u200c \u034f'.repeat(50)}`).hidden).to.deep.equal([])
    expect(stripInvisible('co\u00adoperate')).to.deep.equal({ text: 'cooperate', hidden: [] })
  })

  const directions: readonly (readonly [name: string, line: string, closed: string])[] = [
    ['pairs', '\u202aa\u202c \u2067b\u2069 \u200fc', '\u202aa\u202c \u2067b\u2069 \u200fc'],
    ['an embedding and an isolate left open', '\u2068a \u202bb', '\u2068a \u202bb\u202c\u2069'],
    ['an embedding that its isolate ends', '\u2067a\u202bb\u2069c\u202c', '\u2067a\u202bb\u202c\u2069c'],
    ['ends of nothing', 'a\u202cb\u2069c', 'abc'],
    ['overrides', '\u202da\u202c\u202eb', 'ab'],
  ]
  for (const [name, line, closed] of directions)
    it(`closeDirections: ${name}`, () => expect(closeDirections(line)).to.equal(closed))

  it('closes a million directions in linear time', () => {
    for (const piece of ['\u202b', '\u2067\u202b', '\u202b\u2069', '\u202e\u202c']) {
      expectLinear(JSON.stringify(piece), piece.repeat(1_000_000 / piece.length), closeDirections)
    }
  })
})

describe('mail/body/html-text: sanitised', () => {
  const removed: readonly (readonly [name: string, html: string])[] = [
    ['scripts', '<script>alert(1)</script>'],
    [
      'links without a scheme',
      '<a href="/alert(1)">x</a><a href="`javascript:alert(1)`">x</a><map><area href="//x/alert(1)"></map>',
    ],
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
    ['hidden text', '<style>.x{display:none}</style><p class=x>alert(1)</p><p style="font-size:0">alert(1)</p>'],
    ['style that squeezes', '<p style="letter-spacing:-99em;text-indent:-99px">x</p>'],
    ['style that moves', '<p style="margin:-100px 0 0 -5000px;margin-left:-200px;text-indent:-999px">x</p>'],
    ['odd attributes', '<p "onload=alert(1)" =x onerror\n=alert(1)>x</p>'],
    [
      'loads of other kinds',
      '<video poster="https://x/alert(1)"></video><body background="https://x/alert(1)"><table background="https://x/alert(1)"><td background="https://x/alert(1)"></table><img srcset="https://x/alert(1) 2x" lowsrc="https://x/alert(1)">',
    ],
  ]
  for (const [name, html] of removed) {
    it(`removes ${name}`, () => {
      const safe = sanitiseHtml(`${html}<p>kept</p>`)
      expect(safe).to.contain('<p>kept</p>')
      expect(safe).to.not.match(
        /alert\(1\)|<form|<input|<iframe|<base|<meta|<style|<script|onerror|javascript|position|url\(|-\d\d(?:em|px|%)/i,
      )
    })
  }

  const images = new Map([
    ['logo@x', 'https://mail.example/att_1'],
    ['a b@x', 'https://mail.example/att_2'],
  ])
  const shown: readonly (readonly [name: string, html: string, safe: string])[] = [
    ['an image of the message', '<img src="cid:logo@x" />', '<img src="https://mail.example/att_1" />'],
    ['one with an encoded id', '<img src="cid:a%20b@x" />', '<img src="https://mail.example/att_2" />'],
    ['one that is not there', '<img src="cid:other" alt="o" />', '<img alt="o" src="cid:other" />'],
    ['a stray per cent sign', '<img src="cid:%" />', '<img src="cid:%" />'],
    [
      'a remote image',
      '<img src="https://x.example/p.gif?u=1" width="1" />',
      '<img width="1" data-remote-src="https://x.example/p.gif?u=1" />',
    ],
    ['a remote image without a scheme', '<img src="//x.example/p.gif" alt="a" />', '<img alt="a" />'],
    ['a forged remote address', '<img data-remote-src="javascript:x" alt="a" />', '<img alt="a" />'],
    ['an image in the HTML', '<img src="data:image/png;base64,AAAA" />', '<img src="data:image/png;base64,AAAA" />'],
    [
      'a rule as a style',
      '<style>.x{color:#f00;position:fixed}</style><p class="x">a</p>',
      '<p style="color:#f00">a</p>',
    ],
    [
      'the colours of the body',
      '<body bgcolor="black" text="white"><p>a</p></body>',
      '<div bgcolor="black" style="background-color:black;color:white"><p>a</p></div>',
    ],
    ['escapes', '<p title="&quot;&lt;">&lt;b&gt; &amp;amp;</p>', '<p title="&quot;&lt;">&lt;b&gt; &amp;amp;</p>'],
  ]
  for (const [name, html, safe] of shown) {
    it(`shows ${name}`, () => expect(sanitiseHtml(html, { images })).to.equal(safe))
  }
  it('keeps remote images for mail that goes on', () =>
    expect(sanitiseHtml('<img src="https://x.example/a.png" />', { remoteImages: true })).to.equal(
      '<img src="https://x.example/a.png" />',
    ))

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
