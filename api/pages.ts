import { createHash } from 'node:crypto'
import { type FailureCode, failures, fixOfTheCause } from '../schemas/failures.ts'

export type Page = { readonly html: string; readonly contentSecurityPolicy: string }

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code{background:#f0f2f4;padding:.1em .3em;border-radius:4px}
h2{margin:2rem 0 .25rem;font-size:1.1rem}
pre{background:#f0f2f4;padding:.75rem;border-radius:6px;overflow:auto}
@media (prefers-color-scheme:dark){body{color:#e6e8ea;background:#15181b}code,pre{background:#262b30}a{color:#8ab4f8}}`

/** The error reference: one entry per code, whose anchor is the code (decisions.md 1, Errors). */
export function errorsPage(): Page {
  const entries = (Object.keys(failures) as FailureCode[]).map((code) => {
    const { http, when, fix } = failures[code]
    return `<h2 id="${escapeHtml(code)}"><code>${escapeHtml(code)}</code> ${http}</h2>
<p>${escapeHtml(when)}</p>
<p><strong>Fix:</strong> ${escapeHtml(fix ?? fixOfTheCause)}</p>`
  })
  return page(
    'Error reference',
    `<p>Every error answers with this object. Branch on <code>code</code>; after a <code>429</code> or <code>503</code> wait for the seconds in <code>Retry-After</code>.</p>
<pre>{"success": false, "error": "...", "code": "...", "fix": "...", "docs": "...", "statusCode": 400}</pre>
${entries.join('\n')}`,
  )
}

/** The page behind a claim link; opening it claims nothing (decisions.md 2, Account). */
export function claimPage(): Page {
  return page(
    'Claim this account',
    `<p>A program signed up for a mail account here and sent you this link so that you become its owner. Until then the
account is unclaimed: it receives mail, may answer only those who wrote first, and is removed after 7 days.</p>
<p>Opening this page has changed nothing. To claim the account, give this page's address to the operator of the service,
who runs:</p>
<pre>npx mailroom account claim LINK OWNER-EMAIL</pre>
<p>Addresses, inboxes and keys stay as they are. Keep the link to yourself: whoever holds it can claim the account, once.</p>`,
  )
}

/** The page behind a claim link that cannot be used. */
export function unknownClaimPage(): Page {
  return page(
    'This link cannot be used',
    `<p>It is not known here: it was used, was replaced by a newer one, has expired, or is not whole. If the account is
yours already, there is nothing to do. Otherwise ask the program that sent you the link for a fresh one; its key makes one
with <code>POST /api/v1/account/claim</code>.</p>`,
  )
}

/** The page behind an unsubscribe link; opening it changes nothing, because scanners open every link (RFC 8058 3.1). */
export function unsubscribePage(email: string): Page {
  return page(
    'Unsubscribe',
    `<p>Nothing has changed yet. To get no more of this mail at <strong>${escapeHtml(email)}</strong>:</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Unsubscribe</button></form>`,
    "'self'",
  )
}

export function unsubscribedPage(email: string): Page {
  return page('Unsubscribed', `<p>There will be no more of this mail to <strong>${escapeHtml(email)}</strong>.</p>`)
}

function page(title: string, content: string, formAction = "'none'"): Page {
  const hash = createHash('sha256').update(style).digest('base64')
  return {
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} - Mailroom</title><style>${style}</style></head>
<body>
<h1>${escapeHtml(title)}</h1>
${content}
</body>
</html>
`,
  }
}

function escapeHtml(text: string): string {
  const names: { readonly [char: string]: string } = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (char) => names[char] ?? char)
}
