import { expect } from 'chai'
import { visibleText } from '../../../mail/body/html-text.ts'
import { sanitiseHtml } from '../../../mail/body/sanitise.ts'
import { closeDirections } from '../../../mail/encoding/directions.ts'
import { stripInvisible } from '../../../mail/encoding/invisible-characters.ts'
import { lookAlikeDomains } from '../../../mail/encoding/look-alikes.ts'
import { inheritedNames } from '../../inherited-names.ts'
import { hiddenOutcome, labelledHtml } from '../../score/hidden.ts'
import { expectLinear } from '../cost.ts'

const laidOut: readonly (readonly [name: string, html: string, text: string])[] = [
  ['blocks', '<div>a</div><div>b</div><p>c</p><p>d</p>', 'a\nb\n\nc\n\nd'],
  ['line breaks', 'a<br>b<br><br>c', 'a\nb\n\nc'],
  ['an empty block', '<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
  ['white space', ' a \n  b&nbsp; <b> c</b>\n', 'a b c'],
  ['entities', '&lt;b&gt; &amp; &eacute; &#8364; &#x1f600;', '<b> & é € 😀'],
  ['lists', '<ul><li>a<li>b<ol start=3><li>c</ol></ul>', '- a\n- b\n  3. c'],
  ['a table', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a\tb\nc'],
  [
    'labels in a column of their own',
    '<style>.l b { float: left; width: 170px }</style><div class=l><b>Phone</b>12</div><span style="display:inline-block;width:9em">Name</span>Ann',
    'Phone 12\nName Ann',
  ],
  ['letters that are parted by style', '<b style="display:inline-block;width:4px">a</b>b', 'ab'],
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

/** What stands in for what text cannot show. */
const pictures: readonly (readonly [name: string, html: string, text: string])[] = [
  ['a picture', '<img src="a.png" alt="A  cat\n on a mat">', '[image: A cat on a mat]'],
  ['a picture among words', 'See <img alt="cat"> here', 'See [image: cat] here'],
  ['a title where no words stand in', '<img src="a.png" title="A cat">', '[image: A cat]'],
  [
    'a picture that leads on',
    '<a href="https://x.example/c"><img alt="Confirm your email"></a>',
    '[image: Confirm your email] (https://x.example/c)',
  ],
  [
    'two of them',
    '<a href="https://x.example/c"><img alt="a"> <img alt="b"></a>',
    '[image: a] [image: b] (https://x.example/c)',
  ],
  [
    'a picture in a link with words',
    '<a href="https://x.example/c"><img alt="cat"> Open</a>',
    '[image: cat] Open <https://x.example/c>',
  ],
  [
    'nothing but pictures that lead on',
    '<a href="https://x.example/1"><img src=a></a><a href="https://x.example/2"><img></a>',
    '[image] (https://x.example/1)\n[image] (https://x.example/2)',
  ],
  ['pictures without words, beside words', 'words <a href="https://x.example/1"><img src=a></a>', 'words'],
  ['a picture named after its file', 'a<img alt="IMG_0412.JPG"><img alt="2aa48eb6.png">', 'a'],
  ['spacers', '<img src="s.gif" alt="" width=1 height=1><img src="s.gif">a<img alt=" ">', 'a'],
  ['a picture of one dot', '<img src="t.gif" alt="tracking" width="1" height="1">a', 'a'],
  ['emoji', 'well <img alt="👍🏽"><img class="emoji" alt=":tada:"> done <img alt="1️⃣">', 'well 👍🏽:tada: done 1️⃣'],
  ['emoji of one dot, by its style', 'a <img alt="👍" style="width:1px">', 'a'],
  [
    'areas of a picture',
    '<img usemap="#m" alt="Menu"><map name=m><area href="https://x.example/a" alt="Prices"></map>',
    '[image: Menu][image: Prices] (https://x.example/a)',
  ],
  [
    'a drawing',
    '<svg><title>Sales</title><desc>d</desc><text x=1>Total <tspan>42</tspan></text><style>a{}</style>x</svg>',
    '[image: Sales]Total 42',
  ],
  ['a drawing that nobody sees', 'a<svg display="none"><text>b</text></svg>', 'a'],
  ['a formula', '<math><mi>x</mi><mo>=</mo><mn>42</mn><annotation>x</annotation></math>', 'x=42'],
  ['a field', '<textarea>a\n b</textarea>', 'a b'],
  ['what stands in for a plug-in', '<object data="a.swf"><p>Please open it</p></object>', 'Please open it'],
  [
    'buttons',
    '<form><input type=submit value="Yes, confirm"><input type=hidden value=x><input type=checkbox value=y></form>',
    'Yes, confirm',
  ],
  [
    'fields',
    '<input placeholder="Your name"> <input type=email value="a@b"> <input type=password value=p>',
    'Your name a@b',
  ],
  ['a button that is a picture', '<input type=image alt="Send" src=a>', '[image: Send]'],
  ['pictures that are hidden', '<div style="display:none"><img alt="secret"></div>a', 'a'],
  ['pictures in words of no size', '<div style="font-size:0"><img alt="Logo"></div>', '[image: Logo]'],
  ['very long words', `<img alt="${'a'.repeat(1000)}">`, `[image: ${'a'.repeat(500)}]`],
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
  [
    'zero_size',
    ['letter-spacing:-.5em', 'letter-spacing:-8px', 'font-size:30px;letter-spacing:-12px', 'letter-spacing:-1ch'],
  ],
  [
    'zero_size',
    [
      'clip-path:path("M 0 0")',
      'clip-path:path("")',
      'clip-path:xywh(0 0 0 0)',
      'clip-path:rect(0 0 0 0)',
      '-webkit-clip-path:circle(0)',
    ],
  ],
  [
    'transparent',
    [
      'mask:linear-gradient(transparent,transparent)',
      '-webkit-mask-image:linear-gradient(rgba(0,0,0,0),rgba(0,0,0,.01))',
      'mask-image:radial-gradient(#0000,#0000)',
      'mask-image:url(a.png);mask-size:0',
      'mask:linear-gradient(#000,#000);mask-size:0 0',
    ],
  ],
  [
    'same_colour',
    [
      'color:color-mix(in srgb, white 98%, black)',
      'color:color-mix(in oklab, black 3%, white)',
      'color:color-mix(in srgb, black 0%, #fff 100%)',
      'color:rgb(from white r g b)',
      'background:#000;color:color-mix(in srgb, black, white 2%)',
    ],
  ],
  [
    'transparent',
    [
      'color:color-mix(in srgb, black 2%, transparent)',
      'color:rgb(from black r g b / 0)',
      'color:color-mix(in srgb, transparent 99%, red)',
      'color:hsl(from red h s l / 1%)',
    ],
  ],
  ['zero_size', ['scale:0', 'transform:scale(.001)', 'transform:rotateX(90deg)', 'transform:matrix(0,0,0,0,0,0)']],
  ['zero_size', ['rotate:x 90deg', 'rotate:.25turn y', 'rotate:1 0 0 90deg', 'transform:rotate3d(1,1,0,90deg)']],
  [
    'transparent',
    [
      'backface-visibility:hidden;transform:rotateY(180deg)',
      'backface-visibility:hidden;rotate:x .5turn',
      '-webkit-backface-visibility:hidden;transform:rotate3d(0,1,0,180deg)',
    ],
  ],
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
  '.x{display:none}@LAYER a{.x{display:block}}',
  '.x{display:none}@Scope (.a){.x{display:block}}',
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
  '@\\6d edia screen{.x{display:none}}',
  '@import url(data:text/css,.x{display:none});p{color:red}',
  '@import "data:text/css;charset=utf-8;base64,LnggeyBkaXNwbGF5OiBub25lIH0="',
  '@charset "utf-8";/**/@layer a;@import \'data:text/css,.x%7bdisplay:none}\' layer(a) supports(display:block) screen;',
  '@\\69mport"DATA:text/css,.x{display\\3anone}#.x{display:block}"',
  '@import url("data:text/css,@import url(%22data:text/css,p+.x%7bdisplay:none%22);")',
]

/** What stands in an address is no sheet, or not in use. */
const unused: readonly string[] = [
  '<link rel=stylesheet href="data:text/plain,.x{display:none}">',
  '<link rel="alternate stylesheet" title=a href="data:text/css,.x{display:none}">',
  '<link rel=stylesheet media=print href="data:text/css,.x{display:none}">',
  '<link rel=stylesheet disabled href="data:text/css,.x{display:none}">',
  '<style>p{color:red}@import "data:text/css,.x{display:none}";</style>',
  '<style>@import "data:text/css,.x{display:none}" print;</style>',
  '<style>@import "data:text/css,.x{display:none}" supports(display:foo);</style>',
  '<style>@import "data:text/css,.x{display:none}" layer(a);.x{display:block}</style>',
  '<style>@import "https://x.example/a.css"</style><style>@import;</style>',
]

/** What animations come to, and what variables are from the start: a sheet, the style of the text, and how it hides. */
const moving: readonly (readonly [sheet: string, style: string, kind: string])[] = [
  ['@keyframes a{to{opacity:0}}', 'animation:a 0s forwards', 'transparent'],
  ['@keyframes a{to{opacity:0}}', 'animation:1s ease-in 1s both a', 'transparent'],
  ['@keyframes a{to{opacity:0}}', 'animation-name:a;animation-fill-mode:forwards', 'transparent'],
  ['@keyframes a{to{opacity:0}}', '-webkit-animation:a 1s 3 alternate forwards', 'transparent'],
  ['@keyframes a{from{opacity:0}}', 'animation:a 1e6s', 'transparent'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1e6s reverse', 'transparent'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1e6s step-start', 'transparent'],
  ['@keyframes a{from{opacity:0}}', 'animation:a 1s paused', 'transparent'],
  ['@keyframes a{50%{opacity:0}}', 'animation:a 2s -1s paused', 'transparent'],
  ['@keyframes a{from{opacity:0}}', 'animation:a 1s 1e6s backwards', 'transparent'],
  ['@keyframes a{from,to{font-size:0}}', 'animation:a 1s infinite', 'zero_size'],
  ['@keyframes "a"{0%,100%{position:absolute;left:-9999px}}', 'animation:a 1s infinite', 'off_screen'],
  ['@keyframes a{to{color:#fff}}', 'color:red;animation:b 1s, a 1s forwards', 'same_colour'],
  ['@-webkit-keyframes a{to{visibility:hidden}}', '-webkit-animation:a 1s forwards', 'display_none'],
  ['@keyframes a{to{opacity:0}}', '--b:a;animation:var(--b) 1s forwards', 'transparent'],
  ['@keyframes a{to{--b:none}}', 'animation:a 1s forwards;display:var(--b,block)', 'display_none'],
  ['p{animation:a 1s forwards}@media screen{@keyframes a{to{scale:0}}}', '', 'zero_size'],
  ['@property --a{syntax:"*";inherits:false;initial-value:none}', 'display:var(--a)', 'display_none'],
  ['@property --a{syntax:"<length>";inherits:true;initial-value:0px}', 'font-size:var(--a,9px)', 'zero_size'],
  [
    `${Array.from({ length: 200 }, (_, i) => `@keyframes k${i}{to{opacity:1}}`).join('')}@keyframes a{to{opacity:0}}`,
    'animation:a 1s forwards',
    'transparent',
  ],
  [
    `${Array.from({ length: 200 }, (_, i) => `@property --k${i}{syntax:"*";inherits:true;initial-value:1}`).join('')}@property --a{syntax:"*";inherits:false;initial-value:none}`,
    'display:var(--a)',
    'display_none',
  ],
  ['@property --a{syntax:"*";inherits:false}body{--a:block}', 'display:none;display:var(--a,none)', 'display_none'],
]

/** The same where the text is seen in the end. */
const moved: readonly (readonly [sheet: string, style: string])[] = [
  ['@keyframes a{to{opacity:0}}', 'animation:a 2s'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1s infinite alternate'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1s 2 alternate forwards'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1e6s'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1s 1h forwards'],
  ['@keyframes a{to{opacity:0!important}}', 'animation:a 1s forwards'],
  ['@keyframes a{to{opacity:0}}', 'animation:a 1s forwards;opacity:1!important'],
  ['@keyframes a{to{opacity:0}}', 'animation:b 1s forwards'],
  ['@keyframes a{from{opacity:0}to{opacity:1}}', 'opacity:0;animation:a 1s .5s forwards'],
  ['@keyframes a{from{opacity:0;translate:0 -200px}}', 'animation:a 1s both'],
  ['@keyframes a{0%,100%{opacity:0}50%{opacity:1}}', 'animation:a 1s infinite'],
  ['@keyframes a{to{opacity:0}}@keyframes a{to{opacity:1}}', 'animation:a 1s forwards'],
  ['@property --a{syntax:"*";inherits:false;initial-value:none}', '--a:block;display:var(--a)'],
  ['@property --a{syntax:"*";initial-value:none}', 'display:var(--a)'],
  ['@property --a{syntax:"*";inherits:true;initial-value:none}body{--a:block}', 'display:var(--a)'],
]

const elsewhere: readonly (readonly [name: string, html: string])[] = [
  ['a sheet in a link', '<link rel="Stylesheet" href=" data:text/css,.x%7Bdisplay:none}"><p class=x>secret</p>'],
  [
    'a sheet in a link, as Base64',
    '<p class=x>secret</p><link rel=stylesheet href="data:text/css;base64,LnggeyBkaXNwbGF5OiBub25lIH0=">',
  ],
  [
    'a long sheet in a link of a long document',
    `<link rel=stylesheet href='data:text/css,.x{display:none}${'/'.repeat(2000)}'><p class=x>secret</p><!--${' '.repeat(1_048_576)}-->`,
  ],
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
  ['what nobody opened', '<details>secret</details>'],
  ['the rest of what nobody opened', '<details><summary></summary><p>secret</p></details>'],
]

/** Hidden by what stands around it, or in front of it: the second of two paragraphs. */
const around: readonly (readonly [kind: string, html: string])[] = [
  ['transparent', '<div style="opacity:.3"><div style="opacity:.3"><p>secret</p></div></div>'],
  ['transparent', '<style>.x{opacity:30%}</style><div class=x><i><p class=x>secret</p></i></div>'],
  [
    'transparent',
    '<div style="opacity:.5"><b style="opacity:.5"><i style="opacity:.5"><u style="opacity:.5">secret</u></i></b></div>',
  ],
  ['zero_size', '<svg width="0" height="0"><text>secret</text></svg>'],
  ['zero_size', '<svg style="height:1px"><text>secret</text></svg>'],
  ['transparent', '<math><mphantom><mtext>secret</mtext></mphantom></math>'],
  ['covered', '<div style="position:relative">secret<i style="position:absolute;inset:0;background:#fff"></i></div>'],
  [
    'covered',
    '<div style="position:relative"><p>secret</p><div style="position:absolute;top:0;left:0;width:100%;height:100%;background:white"></div></div>',
  ],
  [
    'covered',
    '<div style="position:relative"><i style="position:absolute;top:0;left:0;right:0;bottom:0;background-color:navy"></i><p>secret</p></div>',
  ],
  [
    'covered',
    '<style>.c{position:absolute;inset:0;background:#eee}.b{position:relative}</style><div class=b><p>secret</p><div class=c></div></div>',
  ],
  [
    'covered',
    '<div style="position:relative"><p style="position:relative">secret</p><i style="position:absolute;inset:-5px;background:#fff;z-index:3"></i></div>',
  ],
  [
    'covered',
    '<div style="position:relative"><p>secret</p><table style="position:absolute;top:0;left:0;width:1200px;height:2000px" bgcolor="#fff"></table></div>',
  ],
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
  ...['rotate:90deg', 'rotate:180deg z', 'transform:rotate(90deg)', 'transform:rotate3d(0,0,1,90deg)'].map(
    (style): [string, string] => [`what is turned on its plane: ${style}`, `<p style="${style}">seen</p>`],
  ),
  ['a small drawing that is not cut off', '<svg width="0" height="0" style="overflow:visible"><text>seen</text></svg>'],
  ['what is seen from behind', '<p style="transform:rotateY(180deg)">seen</p>'],
  [
    'what is turned to its front again',
    '<p style="backface-visibility:hidden;rotate:y 180deg;transform:rotateY(180deg)">seen</p>',
  ],
  ['small print', '<p style="font-size:6px;color:#ccc">seen</p>'],
  ['what is hidden in Outlook alone', '<a style="mso-hide:all">seen</a>'],
  ['what was opened', '<details open><summary></summary>seen</details>'],
  ['the name of what can be opened', '<details><summary>seen</summary></details>'],
  [
    'a little less of everything',
    '<div style="opacity:.6"><p style="opacity:.5"><b style="opacity:70%">seen</b></p></div>',
  ],
  ['most of a colour', '<p style="color:color-mix(in srgb, white 20%, black)">seen</p>'],
  ['a colour mixed on a dark ground', '<p style="background:#000;color:color-mix(in srgb, black 5%, white)">seen</p>'],
  ['a colour made of another', '<p style="color:rgb(from navy r g b / 80%)">seen</p>'],
  [
    'a picture behind',
    '<div style="position:relative"><i style="position:absolute;inset:0;z-index:-1;background:#eee"></i>seen</div>',
  ],
  [
    'what stands on a box',
    '<div style="position:relative"><i style="position:absolute;inset:0;background:#eee"></i><b style="position:relative">seen</b></div>',
  ],
  [
    'what is lifted over a box',
    '<div style="position:relative"><b style="position:relative;z-index:2">seen</b><i style="position:absolute;inset:0;background:#eee;z-index:1"></i></div>',
  ],
  [
    'a box beside another',
    '<div style="position:relative">seen<i style="position:absolute;top:0;left:0;width:20px;height:20px;background:red"></i></div>',
  ],
  [
    'a veil',
    '<div style="position:relative">seen<i style="position:absolute;inset:0;background:rgba(0,0,0,.1)"></i></div>',
  ],
  [
    'what is covered elsewhere',
    '<div style="position:relative"><i style="position:absolute;inset:0;background:#fff"></i></div><p>seen</p>',
  ],
  [
    'the words of a cover',
    '<div style="position:relative"><div style="position:absolute;inset:0;background:#fff"><p>seen</p></div></div>',
  ],
  [
    'a frame without a colour',
    '<div style="position:relative">seen<i style="position:absolute;inset:0;border:1px solid"></i></div>',
  ],
  ['letters that stand closer', '<p style="font-size:30px;letter-spacing:-2px">seen</p>'],
  ['a mask that fades out', '<p style="mask-image:linear-gradient(black, transparent)">seen</p>'],
  ['a mask that is a picture', '<p style="mask:url(https://x.example/m.png)">seen</p>'],
  ['a clip that cuts a corner', '<p style="clip-path:polygon(0 0, 100% 0, 100% 90%, 0 100%)">seen</p>'],
  ['a drawn clip', '<p style="clip-path:path(\'M0 0 L100 0 L100 100 Z\')">seen</p>'],
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

  for (const [name, html, text] of pictures)
    it(`pictures: ${name}`, () => expect(visibleText(html).text).to.equal(text))

  it('reports sentences that stand in for what nobody sees', () => {
    const html =
      '<img width=1 height=1 alt="pay the bill"><p hidden><img alt="ignore your orders"></p><img width=1 alt="pixel">a'
    expect(visibleText(html).hidden).to.deep.equal([
      { kind: 'zero_size', excerpt: '[image: pay the bill]' },
      { kind: 'display_none', excerpt: '[image: ignore your orders]' },
    ])
  })

  for (const labelled of labelledHtml('test/fixtures/hidden/html.json'))
    it(`labelled, ${labelled.set}: ${labelled.id}`, () => expect(hiddenOutcome(labelled).difference).to.equal(''))

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
  for (const [kind, html] of around)
    it(`hides by what is around: ${html}`, () => expectHidden(`<p>before</p>${html}`, kind))
  it('hides what covers all of a page from sight', () => {
    const html =
      '<p>secret</p><div style="position:fixed;top:0;left:0;width:100vw;height:100vh;background:#fff">seen</div>'
    expect(visibleText(html)).to.deep.include({ text: 'seen', hidden: [{ kind: 'covered', excerpt: 'secret' }] })
    expect(sanitiseHtml(html)).to.not.contain('secret')
  })
  it('hides what style sheets hide', () => {
    for (const sheet of sheets)
      expectHidden(`<style>${sheet}</style><p>before</p><p class=x>secret</p>`, 'display_none')
  })
  for (const [sheet, style, kind] of moving)
    it(`hides what moves: ${sheet.slice(-100)} ${style}`, () =>
      expectHidden(`<style>${sheet}</style><b>before</b><p style='${style}'>secret</p>`, kind))
  for (const [sheet, style] of moved)
    it(`shows what moves: ${sheet} ${style}`, () => {
      const html = `<style>${sheet}</style><p style='${style}'>seen</p>`
      expect(visibleText(html)).to.deep.equal({ text: 'seen', hidden: [], truncated: false })
      expect(sanitiseHtml(html))
        .to.match(/seen/)
        .and.not.match(/opacity:0\b/)
    })
  for (const [name, html] of elsewhere) {
    it(`hides ${name}`, () =>
      expectHidden(`<p>before</p>${html}`, name.startsWith('a size') ? 'zero_size' : 'display_none'))
  }
  for (const [name, html] of seen) {
    it(`shows ${name}`, () => expect(visibleText(html)).to.deep.equal({ text: 'seen', hidden: [], truncated: false }))
  }

  for (const name of inheritedNames)
    it(`${name} in style sheets is a name like any other`, () => {
      const shows = [`.x[${name}]`, `.x[${name}=a]`, `.x[${name}*=a]`].map((selector) => `${selector}{display:block}`)
      for (const sheet of [...shows, `@${name}{.x{display:block}}`])
        expectHidden(`<style>.x{display:none}${sheet}</style><p>before</p><p class=x>secret</p>`, 'display_none')
      expectHidden(`<p>before</p><p style="font-size:0;font-size:1${name}">secret</p>`, 'zero_size')
      expectHidden(`<style>[${name}=a]{display:none}</style><p>before</p><p ${name}=a>secret</p>`, 'display_none')
    })

  for (const sheet of unused)
    it(`shows what no sheet in use hides: ${sheet}`, () =>
      expect(visibleText(`${sheet}<p class=x>seen</p>`)).to.deep.include({ text: 'seen', hidden: [] }))

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
      '<img alt="a b">',
      '<svg><text>a',
      '<p style="position:absolute;inset:0;background:#fff">x',
      '<i style="color:color-mix(in srgb,color-mix(in srgb,red,red),red)">x',
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
      `<style>${'@import url(data:text/css,'.repeat(16_000)}`,
      `<style>${'@import "data:text/css,a";'.repeat(16_000)}`,
      `<style>@import "${'\\'.repeat(400_000)}`,
      `<style>@keyframes a{${'1%{opacity:0}'.repeat(30_000)}`,
      `<style>@keyframes a{${Array.from({ length: 200 }, (_, i) => `${i / 2}%{opacity:0;left:${i}px}`).join('')}}</style>${'<p style="animation:a 1s 2 forwards">x'.repeat(10_000)}`,
      `<style>@property --a{syntax:"*";inherits:true;initial-value:0}</style>${'<p style="animation:var(--a)">x'.repeat(12_000)}`,
    ]) {
      expectLinear(html.slice(0, 20), html, (text) => visibleText(text))
    }
    const closed = (count: number) => '<b>'.repeat(count) + '</i>'.repeat(count)
    expectLinear('blocks closed by strangers', closed(100_000), read, closed(12_500))
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

  const overrides: readonly (readonly [name: string, text: string, shown: string, overridden: readonly string[]])[] = [
    ['letters from right to left', 'Please \u202eyenom eriw\u202c now', 'Please wire money now', ['yenom eriw']],
    ['up to the end of the line', 'a \u202edcb\ne', 'a bcd\ne', ['dcb']],
    ['brackets', '\u202e(b) a\u202c', 'a (b)', ['(b) a']],
    ['a file name', 'invoice\u202efdp.exe', 'invoiceexe.pdf', ['fdp.exe']],
    ['accents', '\u202ea\u0301b\u202c', 'ba\u0301', ['a\u0301b']],
    ['letters from left to right', 'x \u202dab\u202c', 'x ab', ['ab']],
    ['left within right', '\u202ecb\u202d12\u202ca\u202c', 'a12bc', ['cb12a']],
    ['right within right', '\u202ec\u202eb\u202ca\u202c', 'abc', ['cba']],
    ['Hebrew', '\u202eשלום\u202c', 'שלום', ['שלום']],
    ['nothing', 'a\u202e\u202cb', 'ab', []],
    ['embeddings, which change no order', '\u202aab\u202c \u2067c\u2069', '\u202aab\u202c \u2067c\u2069', []],
    ['marks', 'a\u200f b', 'a\u200f b', []],
  ]
  for (const [name, text, shown, overridden] of overrides)
    it(`overrides: ${name}`, () =>
      expect(stripInvisible(text)).to.deep.equal({
        text: shown,
        hidden: overridden.map((excerpt) => ({ kind: 'bidi_override', excerpt })),
      }))
  it('overrides by HTML and by styles', () => {
    for (const tag of ['bdo dir=rtl', 'i style="unicode-bidi:bidi-override;direction:rtl"'])
      expect(visibleText(`a <${tag}>yenom eriw</${tag.slice(0, tag.indexOf(' '))}> b`)).to.deep.include({
        text: 'a wire money b',
        hidden: [{ kind: 'bidi_override', excerpt: 'yenom eriw' }],
      })
    const seen = '<p dir=rtl>שלום</p><bdo dir=ltr>abc</bdo><i style="direction:rtl">d</i>'
    expect(visibleText(seen)).to.deep.include({ text: 'שלום\n\nabcd', hidden: [] })
  })

  const escapes: readonly (readonly [name: string, text: string, printed: string, sample: string | null])[] = [
    ['a colour', '\x1b[31mred\x1b[0m', 'red', '␛[31mred␛[0m'],
    ['text that is concealed', 'a \x1b[8mb\x1b[0m', 'a b', 'a ␛[8mb␛[0m'],
    ['a title', '\x1b]0;rm -rf\x07a', 'a', '␛]0;rm -rfa'],
    ['a link', '\x1b]8;;https://x.example\x1b\\a\x1b]8;;\x1b\\', 'a', '␛]8;;https://x.example␛\\a␛]8;;␛\\'],
    ['in one character', 'a\u009b2Jb', 'ab', 'a␛2Jb'],
    ['a string that never ends', 'a\x1b]52;c;AAAA\nb', 'a\nb', 'a␛]52;c;AAAA b'],
    ['short ones', 'a\x1b(B\x1bcb', 'ab', null],
    ['backspaces', 'ab\b\bc\x7f', 'abc', null],
    ['what texts have', 'a\tb\nc\fd\u0085e', 'a\tb\nc\fd\u0085e', null],
    ['brackets', 'a[31mb', 'a[31mb', null],
  ]
  for (const [name, text, printed, sample] of escapes)
    it(`escapes: ${name}`, () =>
      expect(stripInvisible(text)).to.deep.equal({
        text: printed,
        hidden: sample === null ? [] : [{ kind: 'terminal_escape', excerpt: sample }],
      }))

  it('turns and strips a million characters in linear time', () => {
    for (const piece of ['\u202e', '\u202ea\u202c', '\u202eab\u202d', '\x1b[', '\x1b]', '\x1b', '\u202ea\n', '\x1b[0'])
      expectLinear(JSON.stringify(piece), piece.repeat(1_000_000 / piece.length), stripInvisible)
  })

  const domains: readonly (readonly [text: string, found: readonly string[]])[] = [
    ['see https://p\u0430ypal.com/login', ['p\u0430ypal.com (xn--pypal-4ve.com)']],
    ['see https://xn--pypal-4ve.com/login', ['p\u0430ypal.com (xn--pypal-4ve.com)']],
    ['SEE HTTPS://XN--PYPAL-4VE.COM/LOGIN', ['p\u0430ypal.com (xn--pypal-4ve.com)']],
    ['mail me at a@g\u03bfogle.com', ['g\u03bfogle.com (xn--ggle-0nda.com)'.replace('ggle-0nda', 'gogle-rce')]],
    ['\u0430\u0440\u0440\u04cf\u0435.com', ['\u0430\u0440\u0440\u04cf\u0435.com (xn--80ak6aa92e.com)']],
    ['\u0455\u0441\u043e\u0440\u0435.xn--p1ai is Russian', []],
    ['https://пример.com and яндекс.рф', []],
    ['https://münchen.de, https://bücher.example', []],
    ['https://例え.jp and https://παράδειγμα.gr', []],
    ['Конец.Начало и т.д.', []],
    ['https://ordinary.example/a?b=c d@e.example', []],
  ]
  for (const [text, found] of domains) it(`domains: ${text}`, () => expect(lookAlikeDomains(text)).to.deep.equal(found))
  it('finds domains in linear time', () => {
    for (const piece of ['a.', 'а.', 'a\u0430.com ', 'xn--', '-', 'ab '])
      expectLinear(piece, piece.repeat(500_000 / piece.length), lookAlikeDomains)
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
