import { type FailureCode, failures, fixOfTheCause } from '../../schemas/failures.ts'
import { html } from './html.ts'
import type { Page } from './page.ts'

/** The error reference: one entry per code, whose anchor is the code (decisions.md 1, Errors). */
export function errorsPage(): Page {
  const entries = (Object.keys(failures) as FailureCode[]).map((code) => {
    const { http, when, fix } = failures[code]
    return html`<section>
<h2 id="${code}"><code>${code}</code> ${http}</h2>
<p>${when}</p>
<p><strong>Fix:</strong> ${fix ?? fixOfTheCause}</p>
</section>
`
  })
  return {
    title: 'Error reference',
    content: html`<p>Every error answers with this object. Branch on <code>code</code>; after a <code>429</code> or <code>503</code> wait for the seconds in <code>Retry-After</code>.</p>
<pre tabindex="0">{"success": false, "error": "...", "code": "...", "fix": "...", "docs": "...", "statusCode": 400}</pre>
${entries}`,
  }
}
