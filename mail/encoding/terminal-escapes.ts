/** Sequences that terminals execute (ECMA-48): where a text is printed, they hide text, overwrite it, or do worse. */

/** Removes them and other control characters from a text; `sample` is the text around the first one, or null. Linear. */
export function withoutEscapes(text: string): { readonly text: string; readonly sample: string | null } {
  if (!control.test(text)) return { text, sample: null }
  const at = text.search(sequence)
  const around = text.slice(Math.max(0, at - charsBefore), at + charsBehind)
  const sample = at < 0 ? null : around.replace(introducers, '\u241b').replace(controls, '')
  return { text: text.replace(sequences, '').replace(controls, ''), sample }
}

const charsBefore = 20
const charsBehind = 150

/** Control characters, except those that texts have: line ends, tabs and page breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const control = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u0084\u0086-\u009f]/
const controls = new RegExp(control, 'g')
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const introducers = /[\u001b\u009b\u009d]/g

/** Control sequences, strings for the terminal up to their end on the line, and shorter sequences. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?/
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const sequences = new RegExp(`${sequence.source}|${/\u001b[ -/]*[0-~]/.source}`, 'g')
