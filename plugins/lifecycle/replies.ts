import type { Connection, Plugin } from '../haraka.d.ts'
import { countRefusal } from '../process.ts'

/** Enhanced codes for Haraka's own replies, which have none. A reply code that is not listed gets X.0.0. */
const enhancedCodes: { readonly [code: number]: string } = {
  421: '4.3.2',
  451: '4.3.0',
  452: '4.3.1',
  500: '5.5.2',
  501: '5.5.4',
  503: '5.5.1',
  521: '5.5.2',
  555: '5.5.4',
}
const carriesCode = /^[245]\.\d{1,3}\.\d{1,3} /

/** Haraka defers mail with bare line feeds, which is never accepted (RFC 5321 2.3.8): the sender would try again for days. */
const bareLineFeed = { begins: 'Bare line-feed', code: 550, text: '5.6.0 Lines end with CRLF, never with LF alone' }

/**
 * Gives every reply after EHLO an enhanced status code, as RFC 2034 4 requires of a server that offers ENHANCEDSTATUSCODES, except
 * the reply to EHLO itself, 220 and the 3xx. Mail with bare line feeds is refused for good. An empty AUTH challenge stays empty.
 */
export function mendReplies(plugin: Plugin): void {
  const { prototype } = (plugin.haraka_require('connection') as { Connection: { prototype: Connection } }).Connection
  const { respond } = prototype
  prototype.respond = function (this: Connection, code, text, done) {
    if (code === 334 && text === '') {
      // Haraka would write a second space, which is not a challenge (RFC 4954 4). Given no lines, it writes nothing and continues.
      this.client.write('334 \r\n')
      return respond.call(this, 0, [], done)
    }
    if (code === 451 && String(text).startsWith(bareLineFeed.begins)) {
      noteRefusal(bareLineFeed.code, bareLineFeed.text)
      return respond.call(this, bareLineFeed.code, bareLineFeed.text, done)
    }
    const said = enhanced(this, code, text)
    noteRefusal(code, said)
    return respond.call(this, code, this.hello.verb === 'EHLO' ? said : text, done)
  }
}

/** Counts a refusal by its codes. There are few different ones: those of our replies and of Haraka's. */
function noteRefusal(code: number, text: unknown): void {
  const { code: number, reply } = isDsn(text) ? text : { code, reply: Array.isArray(text) ? text[0] : text }
  if (number >= 400) countRefusal(`${number} ${carriesCode.exec(String(reply))?.[0] ?? ''}`.trim())
}

/** A reply of ours in the form that Haraka takes (plugins/hook.ts), which contains its codes. */
function isDsn(text: unknown): text is { readonly code: number; readonly reply: string } {
  return typeof text === 'object' && text !== null && 'reply' in text && 'code' in text
}

function enhanced(connection: Connection, code: number, text: unknown): unknown {
  if (code === 220 || (code >= 300 && code < 400) || text === connection.capabilities) return text
  if (typeof text !== 'string' && !Array.isArray(text)) return text // a DSN has its own code
  const lines: unknown[] = typeof text === 'string' ? text.split('\n') : text
  const prefix = enhancedCodes[code] ?? `${Math.floor(code / 100)}.0.0`
  return lines.map((line) => (carriesCode.test(String(line)) ? String(line) : `${prefix} ${line}`))
}
