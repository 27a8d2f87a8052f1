/** Reads XML as it occurs in the parts of packages: elements, attributes and text. Definitions in a DTD are ignored. */
import { Parser } from 'htmlparser2'
import { decodeCharset } from '../encoding/charset.ts'
import { limits } from '../limits.ts'

export type Attributes = Readonly<Record<string, string>>

export type XmlHandlers = {
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
  /** Asked between pieces; true ends the reading. */
  isEnough?(): boolean
}

/**
 * Reads XML in UTF-8 or UTF-16 piece by piece, up to the limits. Names must have their usual prefixes. Throws when
 * elements are nested deeper than `xmlDepthMax`, or when an element does not end, unless the part was cut. Linear.
 */
export function readXml(content: Buffer, handlers: XmlHandlers): void {
  const source = decodeCharset(content, 'utf-8')
  let depth = 0
  let elements = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > limits.xmlDepthMax) throw new Error('Elements are nested too deep.')
        elements++
        handlers.open?.(name, attributes)
      },
      onclosetag(name) {
        depth--
        handlers.close?.(name)
      },
      ontext: (text) => handlers.text?.(text),
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < source.length; at += pieceChars) {
    if (handlers.isEnough?.() || elements > limits.xmlElementsMax) return
    parser.write(source.slice(at, at + pieceChars))
  }
  if (depth > 0 && content.length < limits.partBytesMax) throw new Error('The XML ends before its elements do.')
  parser.end()
}

const pieceChars = 16 * 1024
