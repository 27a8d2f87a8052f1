/** The JSON of a request, which is stricter than JSON: no name twice in an object, and a limit to its levels. */

/** Nested arrays and objects in a request: each level costs stack wherever a value is walked or copied. */
export const jsonDepthMax = 100

/** The value of a text, or what is wrong with the text: `repeated` is a name that an object has twice. */
export type ParsedJson = { readonly value: unknown } | { readonly repeated: string } | 'malformed' | 'too deep'

/** Parses JSON in UTF-8. JSON.parse would keep the last of two values of one name, where other programs read the first. */
export function parseJson(raw: Buffer): ParsedJson {
  const fault = faultIn(raw)
  if (fault === 'too deep') return fault
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
    return fault ?? { value }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return 'malformed'
    throw error
  }
}

/** An array or object that has begun. */
type Level = { readonly isObject: boolean; names?: Set<string> }

/** For text that is no JSON the result is irrelevant. */
function faultIn(json: Buffer): { readonly repeated: string } | 'too deep' | null {
  const levels: Level[] = []
  let fault: { readonly repeated: string } | null = null
  let isName = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === quote) {
      const end = endOfString(json, at)
      const level = levels.at(-1)
      if (isName && level !== undefined) fault ??= noteName(level, nameIn(json, at, end))
      isName = false
      at = end
    } else if (byte === openBracket || byte === openBrace) {
      isName = byte === openBrace
      levels.push({ isObject: isName })
      if (levels.length > jsonDepthMax) return 'too deep'
    } else if (byte === closeBracket || byte === closeBrace) levels.pop()
    else if (byte === comma) isName = levels.at(-1)?.isObject === true
  }
  return fault
}

function noteName(level: Level, name: string): { readonly repeated: string } | null {
  level.names ??= new Set()
  if (level.names.has(name)) return { repeated: name }
  level.names.add(name)
  return null
}

/** The text of the string between two quotes, whose escapes may spell a name in several ways. */
function nameIn(json: Buffer, start: number, end: number): string {
  const written = json.toString('utf8', start + 1, end)
  if (!written.includes('\\')) return written
  try {
    return String(JSON.parse(`"${written}"`))
  } catch {
    return written
  }
}

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = [...Buffer.from('"\\,[]{}')]

/** The position of the closing quote of the string that begins at `start`; the end of the text when there is none. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0
    while (json[end - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return json.length
}
