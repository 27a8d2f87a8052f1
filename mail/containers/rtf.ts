/** RTF, also in the form that Outlook sends: compressed ([MS-OXRTFCP]), often with the HTML it was made from inside ([MS-OXRTFEX]). */
import { decodeCharset } from '../encoding/charset.ts'
import { limits } from '../limits.ts'

/** Decompresses a PidTagRtfCompressed value to at most `bytesMax` bytes; returns what precedes broken data. Never throws. */
export function decompressRtf(bytes: Buffer, bytesMax: number): Buffer {
  if (bytes.length < 16) return Buffer.alloc(0)
  const size = Math.min(bytes.readUInt32LE(4), bytesMax)
  const kind = bytes.readUInt32LE(8)
  if (kind === stored) return bytes.subarray(16, 16 + size)
  if (kind !== compressed) return Buffer.alloc(0)
  const window = Buffer.alloc(windowBytes)
  window.write(dictionary, 'latin1')
  const out = Buffer.alloc(Math.min(size, bytes.length * bytesPerByteMax))
  let write = dictionary.length
  let length = 0
  const put = (byte: number) => {
    window[write] = byte
    write = (write + 1) % windowBytes
    if (length < out.length) out[length++] = byte
  }
  let position = 16
  while (position < bytes.length && length < out.length) {
    const control = bytes[position++] as number
    for (let bit = 0; bit < 8 && position < bytes.length && length < out.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(bytes[position++] as number)
        continue
      }
      if (position + 2 > bytes.length) return out.subarray(0, length)
      const reference = bytes.readUInt16BE(position)
      position += 2
      const from = reference >> 4
      if (from === write) return out.subarray(0, length) // the end
      for (let i = 0; i < (reference & 0xf) + 2; i++) put(window[(from + i) % windowBytes] as number)
    }
  }
  return out.subarray(0, length)
}

/**
 * Reads RTF: the HTML inside if there is any, else its text. Pictures, objects and lists of fonts are left out. Linear;
 * groups nested deeper than `rtfDepthMax` are skipped. Never throws.
 */
export function readRtf(rtf: Buffer): { readonly html: string | null; readonly text: string | null } {
  const source = rtf.toString('latin1', 0, limits.rtfBytesMax)
  if (!source.startsWith('{\\rtf')) return { html: null, text: null }
  const hasHtml = /\\fromhtml1?(?![\d])/.test(source.slice(0, 2048))
  const text = written(read(source, { wantsHtml: hasHtml, wantsHeaders: false })).trim() || null
  return hasHtml ? { html: text, text: null } : { html: null, text }
}

/** Text of RTF that a person does not see: hidden or deleted, tiny, or a comment. */
export type Unseen = { readonly kind: 'display_none' | 'zero_size' | 'comment'; readonly text: string }

/** Reads an RTF file like `readRtf`, with its headers and footers, and lists the text in it that nobody sees. Linear. Never throws. */
export function readRtfFile(rtf: Buffer): { readonly text: string; readonly unseen: readonly Unseen[] } {
  const reader = read(rtf.toString('latin1', 0, limits.rtfBytesMax), { wantsHtml: false, wantsHeaders: true })
  return { text: written(reader), unseen: reader.unseen }
}

const written = ({ out }: RtfReader) => out.join('').replaceAll(paragraphEnd, '\n')

const windowBytes = 4096
/** A reference of two bytes and its bit gives at most 17 bytes. */
const bytesPerByteMax = 9
const compressed = 0x75465a4c
const stored = 0x414c454d
// [MS-OXRTFCP] 2.1.2.1: the content of the window at the start.
const dictionary =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'

/** What a group inherits from the one around it. */
type Group = {
  /** Whether nothing in the group is text. */
  hidden: boolean
  /** Between \htmlrtf and \htmlrtf0: what programs that know only RTF show in place of the HTML. */
  replaced: boolean
  /** In the font table, whose text is the names of fonts. */
  fonts: boolean
  /** How its text is hidden; null when it is seen. */
  unseen: Unseen['kind'] | null
  /** The charset of the font; '' is the code page of the document. */
  charset: string
  /** How many characters follow each \u as a replacement, for programs that do not know it. */
  fallback: number
}

/** The text read so far, and the state of reading. */
type RtfReader = {
  readonly wantsHtml: boolean
  /** Whether headers and footers are read. */
  readonly wantsHeaders: boolean
  readonly out: string[]
  readonly unseen: Unseen[]
  /** Characters of the group's charset as Latin-1, decoded together because one may need several bytes. */
  bytes: string
  group: Group
  /** The groups around it, outermost first. */
  readonly around: Group[]
  /** How many open groups are too deep to be read. */
  tooDeep: number
  /** Charsets by the number of the font, and the font whose entry in the font table is being read. */
  readonly charsets: Map<number, string>
  font: number
  codepage: string
  /** How many replacement characters of the last \u still follow. */
  skip: number
}

/** Destinations (RTF 1.9.1) whose content is not text. */
const silent: ReadonlySet<string> = new Set(
  'colortbl stylesheet info pict object listtable listoverridetable generator pntext xmlnstbl themedata datastore latentstyles mhtmltag'.split(
    ' ',
  ),
)

/** Differs from the other line ends, so that the end of a paragraph can be recognised. */
const paragraphEnd = '\r\n'

/** Destinations that are shown on every page. */
const headers: ReadonlySet<string> = new Set('header headerl headerr headerf footer footerl footerr footerf'.split(' '))

/** Control words that stand for characters. */
const characters: ReadonlyMap<string, string> = new Map([
  ['par', paragraphEnd],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', '\n'],
  ['tab', '\t'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
  ['bullet', '\u2022'],
  ['endash', '\u2013'],
  ['emdash', '\u2014'],
  ['emspace', '\u2003'],
  ['enspace', '\u2002'],
])

/** RTF 1.9.1, \fcharset; other numbers stand for the document's own code page. */
const fontCharsets: ReadonlyMap<number, string> = new Map([
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gbk'],
  [136, 'big5'],
  [161, 'windows-1253'],
  [162, 'windows-1254'],
  [163, 'windows-1258'],
  [177, 'windows-1255'],
  [178, 'windows-1256'],
  [186, 'windows-1257'],
  [204, 'windows-1251'],
  [222, 'windows-874'],
  [238, 'windows-1250'],
])

const fallbackMax = 8

/** What a control word does; `value` is the number after the word, if any. */
type Control = (reader: RtfReader, value: number | null) => void

/** The control words that do not stand for a character. */
const controlTable: { readonly [word: string]: Control } = {
  u(reader, value) {
    if (value === null) return
    write(reader, String.fromCharCode(value & 0xffff))
    reader.skip = reader.group.fallback
  },
  uc({ group }, value) {
    group.fallback = Math.min(Math.max(value ?? 1, 0), fallbackMax)
  },
  htmlrtf(reader, value) {
    writeBytes(reader)
    reader.group.replaced = value !== 0
  },
  ansicpg(reader, value) {
    reader.codepage = value === 65001 ? 'utf-8' : `windows-${value ?? 1252}`
  },
  fonttbl({ group }) {
    group.fonts = true
  },
  f: selectFont,
  fcharset({ charsets, font }, value) {
    charsets.set(font, fontCharsets.get(value ?? 0) ?? '')
  },
  plain: see,
  v: hides('display_none'),
  deleted: hides('display_none'),
  fs(reader, value) {
    if (reader.group.unseen === 'zero_size') see(reader)
    if (value !== null && value <= tinyHalfPoints) hide(reader, 'zero_size')
  },
  annotation: hides('comment'),
  pard: writeBytes,
}
const controls: ReadonlyMap<string, Control> = new Map(Object.entries(controlTable))

/** Largest font size in half points that nobody can read. */
const tinyHalfPoints = 3

function see(reader: RtfReader): void {
  writeBytes(reader)
  reader.group.unseen = null
}

function hide(reader: RtfReader, kind: Unseen['kind']): void {
  writeBytes(reader)
  // RTF that contains HTML shows the HTML, which hides text by styles of its own.
  if (!reader.wantsHtml) reader.group.unseen = kind
}

/** A control word that hides text, or, followed by 0, shows what comes next. */
function hides(kind: Unseen['kind']): Control {
  return (reader, value) => (value === 0 ? see(reader) : hide(reader, kind))
}

/** In the font table, begins the entry of a font; elsewhere, sets the font of the text that follows. */
function selectFont(reader: RtfReader, value: number | null): void {
  if (reader.group.fonts) {
    reader.font = value ?? 0
    return
  }
  writeBytes(reader)
  reader.group.charset = reader.charsets.get(value ?? 0) ?? ''
}

/** A control word with its number, a character in hexadecimal, a control symbol, a brace, text, line ends. */
const token = /\\([a-z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[^\\{}\r\n]+|[\r\n]+|\\/gi

function read(source: string, wants: Pick<RtfReader, 'wantsHtml' | 'wantsHeaders'>): RtfReader {
  const reader: RtfReader = {
    ...wants,
    out: [],
    unseen: [],
    bytes: '',
    group: { hidden: false, replaced: false, fonts: false, unseen: null, charset: '', fallback: 1 },
    around: [],
    tooDeep: 0,
    charsets: new Map(),
    font: 0,
    codepage: 'windows-1252',
    skip: 0,
  }
  for (const match of source.matchAll(token)) {
    const [all, name, value, hex, symbol, brace] = match
    if (brace === '{') openGroup(reader, source, match.index + 1)
    else if (brace === '}') closeGroup(reader)
    else if (reader.tooDeep > 0) continue
    else if (name !== undefined) control(reader, name.toLowerCase(), value === undefined ? null : Number(value))
    else if (hex !== undefined) addBytes(reader, String.fromCharCode(Number.parseInt(hex, 16)))
    else if (symbol !== undefined) {
      if (symbol !== '*') write(reader, symbolText(symbol, wants.wantsHtml))
    } else if (all !== '\\' && !/^[\r\n]/.test(all)) addBytes(reader, all)
  }
  writeBytes(reader)
  return reader
}

function openGroup(reader: RtfReader, source: string, start: number): void {
  writeBytes(reader)
  if (reader.around.length >= limits.rtfDepthMax) {
    reader.tooDeep++
    return
  }
  reader.around.push(reader.group)
  reader.group = { ...reader.group }
  // Programs may skip a destination after `\*` that they do not know.
  if (source.startsWith('\\*', start) && !/^\\\*\\(?:htmltag|annotation\b)/.test(source.slice(start, start + 14)))
    reader.group.hidden = true
}

function closeGroup(reader: RtfReader): void {
  writeBytes(reader)
  if (reader.tooDeep > 0) reader.tooDeep--
  else reader.group = reader.around.pop() ?? reader.group
}

function control(reader: RtfReader, name: string, value: number | null): void {
  if (reader.group.hidden && name !== 'htmlrtf') return
  const character = characters.get(name)
  if (silent.has(name) || (headers.has(name) && !reader.wantsHeaders)) reader.group.hidden = true
  else if (name === 'cell') endCell(reader)
  else if (character !== undefined) write(reader, character)
  else controls.get(name)?.(reader, value)
}

/** Ends a cell, and with it the paragraph in it. */
function endCell(reader: RtfReader): void {
  writeBytes(reader)
  if (reader.out.at(-1) === paragraphEnd) reader.out.pop()
  write(reader, '\t')
}

/** Adds characters of the group's charset, except those that replace a \u before them. */
function addBytes(reader: RtfReader, text: string): void {
  const rest = reader.skip > 0 ? text.slice(reader.skip) : text
  reader.skip = Math.max(0, reader.skip - text.length)
  if (isSeen(reader)) reader.bytes += rest
}

/** Decodes the characters that were added, and writes them. */
function writeBytes(reader: RtfReader): void {
  const { bytes, group, codepage } = reader
  if (bytes !== '') put(reader, decodeCharset(Buffer.from(bytes, 'latin1'), group.charset || codepage))
  reader.bytes = ''
}

/** Adds text to the visible or to the hidden text. */
function put({ group: { unseen: kind }, out, unseen }: RtfReader, text: string): void {
  const last = unseen.at(-1)
  if (kind === null) out.push(text)
  else if (last?.kind === kind && last.text.length < unseenCharsMax)
    unseen[unseen.length - 1] = { kind, text: last.text + text }
  else if (unseen.length < limits.hiddenMax) unseen.push({ kind, text })
}

/** Longest report. */
const unseenCharsMax = 1000

/** Writes a character, unless it replaces a \u before it. */
function write(reader: RtfReader, character: string): void {
  if (reader.skip > 0) reader.skip--
  else if (isSeen(reader)) {
    writeBytes(reader)
    put(reader, character)
  }
}

function isSeen({ group, wantsHtml }: RtfReader): boolean {
  return !group.hidden && !group.fonts && !(wantsHtml && group.replaced)
}

function symbolText(symbol: string, asHtml: boolean): string {
  if (symbol === '~') return asHtml ? '&nbsp;' : '\u00a0'
  if (symbol === '_') return asHtml ? '&shy;' : '\u2011'
  if (symbol === '\n' || symbol === '\r') return '\n'
  return symbol === '{' || symbol === '}' || symbol === '\\' ? symbol : ''
}
