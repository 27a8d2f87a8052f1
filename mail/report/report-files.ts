/**
 * Finds the files of a mail that may be a DMARC or TLS report: plain, in gzip or in a zip archive, whatever the mail calls them.
 * Archives come from strangers, so their contents are limited together, in bytes and in number.
 */
import { gunzipSync } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { partBytes } from '../message/attached-message.ts'
import type { ParsedMessage, Part } from '../message/parse.ts'

export type ReportFile = { readonly format: 'xml' | 'json'; readonly bytes: Buffer }

/** Archives that become a million times as large when they are opened. */
const expandedBytesMax = 20 * 1024 * 1024
/** Most reports in one mail: usually there is one. */
const filesMax = 20
/** Archives with thousands of files. */
const zipEntriesMax = 20
/** Mails with thousands of parts, each of which is looked at. */
const partsMax = 100

/** A file that exceeds the limit for all files of a mail together, or an archive that is broken. */
export class UnreadableFile extends Error {}

/**
 * Finds the XML and JSON files of a message by their first bytes, at most `filesMax`. Fails with `UnreadableFile` when an archive is
 * broken, encrypted, or, together with the files before it, larger than `expandedBytesMax`.
 */
export async function reportFilesIn(raw: Buffer, { root }: ParsedMessage): Promise<readonly ReportFile[]> {
  const files: ReportFile[] = []
  let leftBytes = expandedBytesMax
  for (const part of leavesOf(root).slice(0, partsMax)) {
    for (const bytes of await opened(partBytes(raw, part), leftBytes)) {
      leftBytes -= bytes.length
      const format = formatOf(bytes)
      if (format !== null) files.push({ format, bytes })
      if (files.length === filesMax) return files
    }
  }
  return files
}

function leavesOf(part: Part): readonly Part[] {
  return part.children.length === 0 ? [part] : part.children.flatMap(leavesOf)
}

const gzipMagic = Buffer.of(0x1f, 0x8b)
const zipMagic = Buffer.from('PK\x03\x04', 'latin1')

async function opened(bytes: Buffer, bytesMax: number): Promise<readonly Buffer[]> {
  if (startsWith(bytes, zipMagic)) return unzipped(bytes, bytesMax)
  if (startsWith(bytes, gzipMagic)) return [gunzipped(bytes, bytesMax)]
  return bytes.length > bytesMax ? [] : [bytes]
}

function gunzipped(bytes: Buffer, maxOutputLength: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: Math.max(1, maxOutputLength) })
  } catch (error) {
    throw new UnreadableFile('A gzip file cannot be read, or is too large.', { cause: error })
  }
}

async function unzipped(bytes: Buffer, bytesMax: number): Promise<readonly Buffer[]> {
  try {
    const zip = await fromBufferPromise(bytes)
    const files: Buffer[] = []
    let leftBytes = bytesMax
    for await (const entry of zip.eachEntry()) {
      if (files.length === zipEntriesMax) break
      if (entry.fileName.endsWith('/')) continue
      if (entry.uncompressedSize > leftBytes) throw new Error('too large')
      const file = await contentOf(zip, entry)
      leftBytes -= file.length
      files.push(file)
    }
    return files
  } catch (error) {
    throw new UnreadableFile('A zip file cannot be read, or is too large.', { cause: error })
  }
}

/** Fails when an entry has more bytes than it declares, so the declared size is a limit. */
async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Tells the format by the first character that is not white space, after a byte order mark; UTF-16 has a NUL beside it. */
function formatOf(bytes: Buffer): ReportFile['format'] | null {
  for (const byte of bytes.subarray(0, 256)) {
    if (byte === 0x3c) return 'xml'
    if (byte === 0x7b) return 'json'
    if (![0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff].includes(byte)) return null
  }
  return null
}

const startsWith = (bytes: Buffer, magic: Buffer) => bytes.subarray(0, magic.length).equals(magic)
