/** TNEF, the `winmail.dat` of Outlook and Exchange ([MS-OXTNEF]): bodies and attachments in a stream of attributes. */
import { decodeCharset } from '../encoding/charset.ts'
import { limits } from '../limits.ts'
import { type MapiValues, readMapi } from './mapi.ts'
import { decompressRtf, readRtf } from './rtf.ts'

export type TnefFile = {
  /** As written, '' when there is none. */
  readonly name: string
  readonly contentType: string | null
  readonly contentId: string | null
  readonly bytes: Buffer
}

export type TnefBody = { readonly text: string | null; readonly html: string | null }

export type Tnef = {
  /** The bodies, read on demand; compressed ones give at most `bytesMax` bytes. */
  readonly body: (bytesMax: number) => TnefBody
  readonly files: readonly TnefFile[]
  /** True when a limit or broken data left something out. */
  readonly truncated: boolean
}

/**
 * Reads a TNEF stream; null when it is not one. What precedes broken data is kept. Files are slices of `bytes`. Linear;
 * at most `tnefFilesMax` files, messages in messages at most `tnefDepthMax` deep. Never throws.
 */
export function readTnef(bytes: Buffer, depth = 0): Tnef | null {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== signature) return null
  const message: TnefObject = { name: '', data: null, values: new Map() }
  const files: TnefObject[] = []
  let codepage = 'windows-1252'
  let truncated = false
  let position = 6
  // Each attribute: level, id with type, length, data, checksum.
  while (position + 9 <= bytes.length) {
    const id = bytes.readUInt32LE(position + 1)
    const start = position + 9
    const end = start + bytes.readUInt32LE(position + 5)
    if (end > bytes.length) {
      truncated = true
      break
    }
    const data = bytes.subarray(start, end)
    position = end + 2
    const file = files.at(-1)
    if (id === attributes.codepage && data.length >= 4) codepage = `windows-${data.readUInt32LE(0)}`
    else if (id === attributes.body) message.data = data
    else if (id === attributes.properties) message.values = readMapi(data)
    else if (id === attributes.rendering) {
      if (files.length >= limits.tnefFilesMax) {
        truncated = true
        break
      }
      files.push({ name: '', data: null, values: new Map() })
    } else if (file && id === attributes.title) file.name = plain(data, codepage)
    else if (file && id === attributes.data) file.data = data
    else if (file && id === attributes.attachment) file.values = readMapi(data)
  }
  if (position < bytes.length && !truncated) truncated = position + 9 > bytes.length && bytes.length - position > 2
  const opened = files.flatMap((file) => filesOf(file, codepage, depth))
  const body = (bytesMax: number) => bodyOf(message, codepage, bytesMax)
  return { body, files: opened.slice(0, limits.tnefFilesMax), truncated }
}

type TnefObject = { name: string; data: Buffer | null; values: MapiValues }

const signature = 0x223e9f78
const attributes = {
  codepage: 0x00069007,
  body: 0x0002800c,
  properties: 0x00069003,
  rendering: 0x00069002,
  title: 0x00018010,
  data: 0x0006800f,
  attachment: 0x00069005,
} as const

/** [MS-OXPROPS]: the properties of a message and of an attachment that are read. */
const properties = {
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  displayName: 0x3001,
  data: 0x3701,
  fileName: 0x3704,
  longFileName: 0x3707,
  mimeTag: 0x370e,
  contentId: 0x3712,
} as const

function bodyOf({ data, values }: TnefObject, codepage: string, bytesMax: number): TnefBody {
  const rtf = bytesOf(values, properties.rtf)
  const written = rtf === null ? null : readRtf(decompressRtf(rtf, bytesMax))
  const given = values.get(properties.html)
  const html = typeof given === 'string' ? given : given ? htmlText(given, codepage) : (written?.html ?? null)
  const body = values.get(properties.body)
  const text = typeof body === 'string' ? body : body ? plain(body, codepage) : data ? plain(data, codepage) : null
  return { text: text || written?.text || null, html }
}

/** HTML given as bytes declares its charset itself; else it is in that of the message. */
function htmlText(bytes: Buffer, codepage: string): string {
  const declared = /charset\s*=\s*["']?([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 2048))?.[1]
  return decodeCharset(bytes, declared ?? codepage)
}

function filesOf({ name, data, values }: TnefObject, codepage: string, depth: number): TnefFile[] {
  const content = data ?? bytesOf(values, properties.data) ?? Buffer.alloc(0)
  const named =
    textOf(values, properties.longFileName, codepage) ||
    textOf(values, properties.fileName, codepage) ||
    name ||
    textOf(values, properties.displayName, codepage)
  // An attached message is a TNEF stream after the id of its interface.
  const nested = depth < limits.tnefDepthMax ? readTnef(content.subarray(16), depth + 1) : null
  if (nested) return nestedFiles(nested, named)
  return [
    {
      name: named,
      contentType: textOf(values, properties.mimeTag, codepage) || null,
      contentId: textOf(values, properties.contentId, codepage).replace(/^<|>$/g, '') || null,
      bytes: content,
    },
  ]
}

/** An attached message: its text as a file of its own, then its files. */
function nestedFiles({ body, files }: Tnef, name: string): TnefFile[] {
  const { text, html } = body(limits.rtfInsideBytesMax)
  const words = text ?? html ?? ''
  const isText = text !== null || html === null
  return [
    {
      name: `${name || 'message'}.${isText ? 'txt' : 'html'}`,
      contentType: isText ? 'text/plain' : 'text/html',
      contentId: null,
      bytes: Buffer.from(words),
    },
    ...files,
  ]
}

function textOf(values: MapiValues, property: number, codepage: string): string {
  const value = values.get(property)
  return typeof value === 'string' ? value : value ? plain(value, codepage) : ''
}

function bytesOf(values: MapiValues, property: number): Buffer | null {
  const value = values.get(property)
  return Buffer.isBuffer(value) ? value : null
}

function plain(bytes: Buffer, codepage: string): string {
  return decodeCharset(bytes.subarray(0, limits.textBytesMax), codepage).replaceAll('\0', '')
}
