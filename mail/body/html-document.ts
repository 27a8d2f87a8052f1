/** Makes a mail body a complete document for a frame, so that programs that show mail have nothing to assemble and nothing to forget. */

/** The default style: a white page like paper, for which mail is written, with pictures no wider than the frame. */
const style = `:root{color-scheme:light}
html{background:#fff;color:#171b22;font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
body{margin:0;padding:16px}
body>:first-child{margin-top:0}
body>:last-child{margin-bottom:0}
img{max-width:100%;height:auto}
img:not([src]),img[data-remote-src]{min-width:1em;min-height:1em;background:#eef0f4;outline:1px dashed #858e9b;outline-offset:-1px}
table{max-width:100%}
pre,.plain{white-space:pre-wrap}
.plain{font:inherit}
blockquote{margin:0 0 0 8px;padding-left:12px;border-left:3px solid #d9dde3;color:#545d6b}
a{color:#1d5bbf}`

/**
 * Returns the document of a body: `html` as `sanitiseHtml` made it, or the text when it is null. Links open in a new window.
 */
export function htmlDocument({ html, text }: { readonly html: string | null; readonly text: string }): string {
  const body = html ?? `<pre class="plain">${escaped(text)}</pre>`
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">
<base target="_blank"><title>Mail</title><style>${style}</style></head>
<body>${body}</body></html>
`
}

/**
 * The content security policy of that document (CSP 3), in a frame of a page of the same service. Nothing runs, nothing is sent, and
 * nothing loads except pictures that the mail brought along, below `imagesUrl`. Links open windows to which the policy does not
 * apply. The frame keeps its origin, so that the page around it can measure it; without scripts this gives the mail no access.
 */
export function framePolicy(imagesUrl: string): string {
  return [
    "default-src 'none'",
    `img-src data: ${imagesUrl}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
  ].join('; ')
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => entities[char] ?? char)
