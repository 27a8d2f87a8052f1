/**
 * Reads XML of strangers, element by element. Only the five entities of XML and character references are expanded; a document type
 * is ignored. Malformed XML gives whatever can be read of it.
 */
import { Parser } from 'htmlparser2'

/** An element without its attributes. Names are lower-case and without prefix, because reports differ in both. */
export type XmlElement = { readonly name: string; readonly text: string; readonly children: readonly XmlElement[] }

/** Most open elements: the parser's work for each closing tag grows with their number. */
const depthMax = 16
/** Most elements of a document, and most within one child of its root, which are in memory together. */
const elementsMax = 1_000_000
const elementsTogetherMax = 2_000
/** Longer texts are cut. */
const textCharsMax = 1_000
const chunkChars = 64 * 1024

type Open = { readonly name: string; text: string; readonly children: XmlElement[] }

/**
 * Reads a document, and passes each child of the root to `take` when it is closed, so that a long document is never in memory as a
 * whole. Returns the name of the root; null when there is none, or when the document is nested too deeply or has too many
 * elements. Linear. Never throws, unless `take` does.
 */
export function readXml(text: string, take: (child: XmlElement) => void): string | null {
  const open: Open[] = []
  let root: string | null = null
  let elements = 0
  let together = 0
  let isTooMuch = false
  const parser = new Parser(
    {
      onopentagname(qualified) {
        elements += 1
        together = open.length < 2 ? 0 : together + 1
        const name = qualified.slice(qualified.indexOf(':') + 1).toLowerCase()
        root ??= name
        open.push({ name, text: '', children: [] })
        isTooMuch ||= open.length > depthMax || elements > elementsMax || together > elementsTogetherMax
      },
      ontext(piece) {
        const innermost = open.at(-1)
        if (innermost !== undefined && innermost.text.length < textCharsMax)
          innermost.text += piece.slice(0, textCharsMax - innermost.text.length)
      },
      onclosetag() {
        const closed = open.pop()
        if (closed === undefined) return
        const element = { ...closed, text: closed.text.trim() }
        if (open.length === 1) take(element)
        else open.at(-1)?.children.push(element)
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < text.length && !isTooMuch; at += chunkChars) parser.write(text.slice(at, at + chunkChars))
  if (!isTooMuch) parser.end()
  return isTooMuch ? null : root
}

/** The first child of that name. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name)
}

/** The text of the first child of that name; null when it is empty or missing. */
export function textIn(element: XmlElement | undefined, name: string): string | null {
  return childOf(element, name)?.text || null
}
