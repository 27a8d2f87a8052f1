/** The style properties, with the allowed values of each, that HTML from strangers may keep. */

// No negative lengths: they would move text over what surrounds the message.
const length = /^\d{1,4}(?:\.\d+)?(?:px|pt|em|rem|%)?$/
const lengths = /^(?:(?:\d{1,4}(?:\.\d+)?(?:px|pt|em|rem|%)?|auto)(?:\s+|$)){1,4}$/
// Small negative values are allowed for letters set a little closer, and for hanging first lines as in lists.
const spacing = /^(?:\d{1,2}(?:\.\d+)?(?:px|pt|em|rem|%)?|-\d(?:\.\d+)?(?:px|pt)|-?0?\.\d+(?:px|pt|em|rem))$/
const indent = /^(?:\d{1,2}(?:\.\d+)?(?:px|pt|em|rem|%)?|-[1-4]?\d(?:\.\d+)?(?:px|pt))$/
const colourValue = /^(?:#[0-9a-f]{3,8}|[a-z]{3,25}|(?:rgb|hsl)a?\([\d\s.,%/]+\))$/i
const border = /^[a-z0-9\s#.,()%-]{1,80}$/i
const word = /^[a-z-]{1,30}$/i

/** No url(), no position, no expression: nothing that loads, covers or runs. */
export const allowedStyles: Readonly<Record<string, RegExp[]>> = {
  color: [colourValue],
  background: [colourValue],
  'background-color': [colourValue],
  'font-family': [/^[\w\s"',.-]{1,200}$/],
  'font-size': [length, word],
  'font-style': [word],
  'font-weight': [/^(?:\d{3}|[a-z]{4,7})$/i],
  'font-variant': [word],
  'line-height': [length, word],
  'letter-spacing': [spacing, word],
  'text-align': [word],
  'text-decoration': [/^[a-z\s-]{1,40}$/i],
  'text-transform': [word],
  'text-indent': [indent],
  'vertical-align': [word, length],
  'white-space': [word],
  'word-break': [word],
  'word-wrap': [word],
  direction: [word],
  display: [word],
  visibility: [word],
  opacity: [/^[\d.]{1,5}$/],
  overflow: [word],
  width: [length, word],
  height: [length, word],
  'max-width': [length, word],
  'max-height': [length, word],
  'min-width': [length],
  margin: [lengths],
  'margin-top': [length, word],
  'margin-right': [length, word],
  'margin-bottom': [length, word],
  'margin-left': [length, word],
  padding: [lengths],
  'padding-top': [length],
  'padding-right': [length],
  'padding-bottom': [length],
  'padding-left': [length],
  border: [border],
  'border-top': [border],
  'border-right': [border],
  'border-bottom': [border],
  'border-left': [border],
  'border-color': [border],
  'border-style': [border],
  'border-width': [border],
  'border-radius': [lengths],
  'border-collapse': [word],
  'border-spacing': [lengths],
  'list-style-type': [word],
}
