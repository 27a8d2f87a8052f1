/** Style sheets that are embedded in an address (RFC 2397). */
import { closing, unescaped } from './css-syntax.ts'

/** The style sheet in a `data:` address; null for all other addresses, which are never loaded. Linear. */
export function sheetIn(address: string): string | null {
  const trimmed = address.trim()
  const head = /^data:\s*text\/css\s*(?:;[^,]{0,200})?,/i.exec(trimmed)?.[0]
  if (head === undefined) return null
  // A fragment names a place in the style sheet and is not part of it.
  const [data = ''] = trimmed.slice(head.length).split('#', 1)
  const bytes = data.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
  return /;\s*base64\s*,$/i.test(head) ? Buffer.from(bytes, 'base64').toString() : bytes
}

/** What an `@import` loads, and under which conditions (CSS Cascade 5, 2). */
export type Import = {
  readonly address: string
  readonly isLayered: boolean
  readonly supports: string | null
  readonly media: string
}

/** Reads `@import address layer(name) supports(condition) media`; null when it is malformed. */
export function importOf(statement: string): Import | null {
  const head = /^@import\s*(url\(\s*)?(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|)/i.exec(statement)
  if (!head) return null
  const open = head[1] === undefined ? -1 : statement.indexOf('(')
  const end = open < 0 ? head[0].length : closing(statement, open)
  const quoted = head[2] ?? head[3]
  if (quoted === undefined && open < 0) return null
  const address = unescaped(quoted ?? statement.slice(open + 1, end)).trim()
  const rest = statement.slice(open < 0 ? end : end + 1).trim()
  const layer = /^layer(?![\w-])(?:\([^()]*\))?\s*/i.exec(rest)?.[0] ?? ''
  const behind = rest.slice(layer.length)
  if (!/^supports\(/i.test(behind)) return { address, isLayered: layer !== '', supports: null, media: behind }
  const close = closing(behind, 'supports'.length)
  const supports = behind.slice('supports('.length, close)
  return { address, isLayered: layer !== '', supports, media: behind.slice(close + 1) }
}
