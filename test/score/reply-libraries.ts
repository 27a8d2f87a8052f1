/** The best public libraries for reply extraction, scored beside our own. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { visibleText } from '../../mail/body/html-text.ts'
import type { Reader, ReplyCase } from './reply.ts'

/** The libraries to score; talon only if `TALON_PYTHON` names a Python that has it. */
export function replyLibraries(): readonly Reader[] {
  const python = process.env.TALON_PYTHON
  return [emailReplyParser(), planer(), ...(python ? [talon(python)] : [])]
}

const load = createRequire(import.meta.url)

type Fragment = { isQuoted(): boolean; getContent(): string }
type ParsedEmail = { getVisibleText(): string; getFragments(): readonly Fragment[] }

/** The library reads only plain text, so for HTML it receives the visible text. */
function emailReplyParser(): Reader {
  const { default: EmailReplyParser } = load('email-reply-parser') as {
    default: new () => { read(text: string): ParsedEmail }
  }
  const readOne = ({ text }: ReplyCase) => {
    const email = new EmailReplyParser().read(text)
    const unquoted = email.getFragments().filter((each) => !each.isQuoted())
    return { own: unquoted.map((each) => each.getContent()).join('\n'), reply: email.getVisibleText() }
  }
  return { name: 'email-reply-parser', read: (cases) => cases.map(readOne) }
}

/** The library does not remove signatures. */
function planer(): Reader {
  const { extractFrom } = load('planer') as {
    extractFrom(body: string, contentType?: string, dom?: unknown): string
  }
  const { JSDOM } = load('jsdom') as { JSDOM: new () => { window: { document: unknown } } }
  const page = new JSDOM().window.document
  const readOne = ({ text, html, isPlain }: ReplyCase) => {
    const own = html === null || isPlain ? extractFrom(text) : visibleText(extractFrom(html, 'text/html', page)).text
    return { own, reply: own }
  }
  return { name: 'planer', read: (cases) => cases.map(readOne) }
}

const talonProgram = `
import json, sys, talon
from talon import quotations
from talon.signature.bruteforce import extract_signature
def read(text, html):
    if html is not None:
        try:
            return {'html': quotations.extract_from_html(html)}
        except Exception:
            return {'html': html}
    own = quotations.extract_from_plain(text)
    return {'own': own, 'reply': extract_signature(own)[0]}
print(json.dumps([read(each['text'], each['html']) for each in json.load(sys.stdin)]))
`

type TalonReply = { readonly html: string } | { readonly own: string; readonly reply: string }

/** Uses the library's rules for signatures, which leave signatures in HTML; a quotation on which it fails stays too. */
function talon(python: string): Reader {
  return {
    name: 'talon',
    read(cases) {
      const input = JSON.stringify(cases.map(({ text, html, isPlain }) => ({ text, html: isPlain ? null : html })))
      const { stdout, stderr } = spawnSync(python, ['-W', 'ignore', '-c', talonProgram], { input, encoding: 'utf8' })
      if (stdout === '') throw new Error(stderr)
      return (JSON.parse(stdout) as readonly TalonReply[]).map((each) => {
        if (!('html' in each)) return each
        const own = visibleText(each.html).text
        return { own, reply: own }
      })
    },
  }
}
