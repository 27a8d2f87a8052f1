import { Parser } from 'htmlparser2'
import { limits } from '../limits.ts'

export type Handlers = {
  readonly onopentag?: (name: string, attributes: Record<string, string>) => void
  readonly ontext?: (text: string) => void
  readonly oncomment?: (text: string) => void
  readonly onclosetag?: (name: string) => void
  /** Asked between pieces; true ends the reading. */
  readonly isEnough?: () => boolean
}

/**
 * Parses HTML piece by piece. Stops where it is nested too deeply, because the parser's work for each closing tag grows with the
 * number of open ones, and where it has more elements and pieces of text than anybody writes. Returns how many characters were read.
 */
export function feed(html: string, handlers: Handlers): number {
  const end = Math.min(html.length, limits.htmlCharsMax)
  let depth = 0
  let pieces = 0
  let named: string | null = null
  const parser = new Parser(
    {
      ...handlers,
      // The parser loses an attribute of this name, because assigning it sets the prototype of the object.
      onattribute(name, value) {
        if (name === '__proto__') named ??= value
      },
      onopentag(name, attributes) {
        depth++
        pieces++
        if (named !== null) Object.defineProperty(attributes, '__proto__', { value: named, enumerable: true })
        named = null
        handlers.onopentag?.(name, attributes)
      },
      ontext(text) {
        pieces++
        handlers.ontext?.(text)
      },
      onclosetag(name) {
        depth--
        handlers.onclosetag?.(name)
      },
    },
    { decodeEntities: true },
  )
  let position = 0
  const isTooMuch = () => depth > limits.htmlDepthMax || pieces > limits.htmlPiecesMax
  while (position < end && !isTooMuch() && !handlers.isEnough?.()) {
    parser.write(html.slice(position, Math.min(position + 2048, end)))
    position = Math.min(position + 2048, end)
  }
  parser.end()
  return position
}
