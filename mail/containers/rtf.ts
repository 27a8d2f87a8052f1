/** RTF as Outlook puts it into messages: compressed ([MS-OXRTFCP]), often with the HTML it was made of inside ([MS-OXRTFEX]). */
import { decodeCharset } from '../encoding/charset.ts'
import { limits } from '../limits.ts'

/** Decompresses a PidTagRtfCompressed value, at most `bytesMax` bytes; what broken data leaves is returned. Never throws. */
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
 * Reads RTF: the HTML inside when there is some, else its text. Pictures, objects and lists of fonts are left out. Linear;
 * groups nested deeper than `rtfDepthMax` are skipped. Never throws.
 */
export function readRtf(rtf: Buffer): { readonly html: string | null; readonly text: string | null } {
  const source = rtf.toString('latin1', 0, limits.rtfBytesMax)
  if (!source.startsWith('{\\rtf')) return { html: null, text: null }
  const hasHtml = /\\fromhtml1?(?![\d])/.test(source.slice(0, 2048))
  const written = write(source, hasHtml).trim()
  return hasHtml ? { html: written || null, text: null } : { html: null, text: written || null }
}

const windowBytes = 4096
/** A reference of two bytes and its bit gives at most 17 bytes. */
const bytesPerByteMax = 9
const compressed = 0x75465a4c
const stored = 0x414c454d
// [MS-OXRTFCP] 2.1.2.1: what the window holds at the start.
const dictionary =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx'

/** What a group inherits from the one around it. */
type Group = {
  /** Nothing in here is text. */
  hidden: boolean
  /** Between \htmlrtf and \htmlrtf0: what stands for the HTML in programs that only know RTF. */
  replaced: boolean
  fonts: boolean
  charset: string
  /** Characters that stand for one \u. */
  fallback: number
}

/** Groups whose content is no text. */
const silent: ReadonlySet<string> = new Set(
  'colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf listtable listoverridetable generator pntext xmlnstbl themedata datastore latentstyles mhtmltag'.split(
    ' ',
  ),
)

const written: Readonly<Record<string, string>> = {
  par: '\n',
  line: '\n',
  sect: '\n',
  page: '\n',
  row: '\n',
  cell: '\t',
  tab: '\t',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
  endash: '\u2013',
  emdash: '\u2014',
  emspace: '\u2003',
  enspace: '\u2002',
}

/** RTF 1.9.1, \fcharset; others are the document's own code page. */
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

const token = /\\([a-z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[^\\{}\r\n]+|[\r\n]+|\\/gi

function write(source: string, wantsHtml: boolean): string {
  const out: string[] = []
  const stack: Group[] = []
  const fonts = new Map<number, string>()
  let codepage = 'windows-1252'
  let group: Group = { hidden: false, replaced: false, fonts: false, charset: '', fallback: 1 }
  let tooDeep = 0
  let font = 0
  let bytes = '' // of characters that may need more than one byte
  let skip = 0 // characters that stand for a \u before
  const flush = () => {
    if (bytes !== '') out.push(decodeCharset(Buffer.from(bytes, 'latin1'), group.charset || codepage))
    bytes = ''
  }
  const isSeen = () => !group.hidden && !group.fonts && !(wantsHtml && group.replaced)
  const say = (text: string) => {
    if (skip > 0) skip--
    else if (isSeen()) {
      flush()
      out.push(text)
    }
  }
  const word = (name: string, value: number | null) => {
    if (name === 'u' && value !== null) {
      say(String.fromCharCode(value & 0xffff))
      skip = group.fallback
    } else if (name === 'uc') group.fallback = Math.min(Math.max(value ?? 1, 0), 8)
    else if (name === 'htmlrtf') {
      flush()
      group.replaced = value !== 0
    } else if (name === 'ansicpg') codepage = value === 65001 ? 'utf-8' : `windows-${value ?? 1252}`
    else if (name === 'fonttbl') group.fonts = true
    else if (name === 'f') {
      if (group.fonts) font = value ?? 0
      else {
        flush()
        group.charset = fonts.get(value ?? 0) ?? ''
      }
    } else if (name === 'fcharset') fonts.set(font, fontCharsets.get(value ?? 0) ?? '')
    else if (name === 'plain' || name === 'pard') flush()
    else if (silent.has(name)) group.hidden = true
    else if (Object.hasOwn(written, name)) say(written[name] as string)
  }
  const open = (at: number) => {
    flush()
    if (stack.length >= limits.rtfDepthMax) tooDeep++
    else {
      stack.push(group)
      group = { ...group }
      // A destination behind `\*` may be skipped by who does not know it.
      if (source.startsWith('\\*', at) && !source.startsWith('\\*\\htmltag', at)) group.hidden = true
    }
  }
  const close = () => {
    flush()
    if (tooDeep > 0) tooDeep--
    else group = stack.pop() ?? group
  }
  for (const match of source.matchAll(token)) {
    const [all, name, value, hex, symbol, brace] = match
    if (brace === '{') open(match.index + 1)
    else if (brace === '}') close()
    else if (tooDeep > 0) continue
    else if (name !== undefined) {
      if (!group.hidden || name === 'htmlrtf') word(name.toLowerCase(), value === undefined ? null : Number(value))
    } else if (hex !== undefined) {
      if (skip > 0) skip--
      else if (isSeen()) bytes += String.fromCharCode(Number.parseInt(hex, 16))
    } else if (symbol !== undefined) {
      if (symbol !== '*') say(symbolText(symbol, wantsHtml))
    } else if (all !== '\\' && !/^[\r\n]/.test(all)) {
      const text = skip > 0 ? all.slice(skip) : all
      skip = Math.max(0, skip - all.length)
      if (isSeen()) bytes += text
    }
  }
  flush()
  return out.join('')
}

function symbolText(symbol: string, asHtml: boolean): string {
  if (symbol === '~') return asHtml ? '&nbsp;' : '\u00a0'
  if (symbol === '_') return asHtml ? '&shy;' : '\u2011'
  if (symbol === '\n' || symbol === '\r') return '\n'
  return symbol === '{' || symbol === '}' || symbol === '\\' ? symbol : ''
}
