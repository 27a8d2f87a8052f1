/** Files that a part holds in another format than MIME: TNEF, uuencode, yEnc. */

import { readTnef, type Tnef } from '../containers/tnef.ts'
import { decodeTransfer } from '../encoding/transfer.ts'
import { type InlineFile, readInlineFiles } from './inline-files.ts'
import type { Part } from './structure.ts'

export type ContainedFile = {
  /** The name that the sender gave, not yet made safe. */
  readonly name: string
  readonly contentType: string | null
  readonly contentId: string | null
  readonly bytes: Buffer
}

/** The files inside a part, in order; null when there are none. Never throws. */
export function filesIn(raw: Buffer, part: Part): readonly ContainedFile[] | null {
  if (isTnef(part)) return openTnef(raw, part)?.files ?? null
  return openText(raw, part)?.files.map(fileOf) ?? null
}

/** Whether a part says that it is TNEF, by its media type or by its well-known file name. */
export function isTnef({ contentType, params, dispositionParams }: Part): boolean {
  if (contentType === 'application/ms-tnef' || contentType === 'application/vnd.ms-tnef') return true
  const name = (dispositionParams.get('filename') ?? params.get('name') ?? '').toLowerCase()
  return name === 'winmail.dat'
}

/** Reads a part as TNEF; null when its bytes are not TNEF. */
export function openTnef(raw: Buffer, part: Part): Tnef | null {
  return readTnef(decodeTransfer(raw, part.bodyStart, part.bodyEnd, part.encoding))
}

/** The files in a plain text part, and its text without them; null when there are none. */
export function openText(raw: Buffer, part: Part): { text: Buffer; files: readonly InlineFile[] } | null {
  if (part.contentType !== 'text/plain' || uuencoded.test(part.encoding)) return null
  if (!mayHoldFiles(raw, part)) return null
  return readInlineFiles(decodeTransfer(raw, part.bodyStart, part.bodyEnd, part.encoding))
}

const uuencoded = /^(?:x-)?uu/

/** Most text holds no files, which shows without decoding. Base64 text is skipped: no program encodes a file twice. */
function mayHoldFiles(raw: Buffer, { encoding, bodyStart, bodyEnd }: Part): boolean {
  if (encoding === 'base64') return false
  const body = raw.subarray(bodyStart, bodyEnd)
  const has = (text: string) => body.includes(text, 0, 'latin1')
  if (has('\nbegin ') || body.toString('latin1', 0, 6) === 'begin ') return true
  return has(encoding === 'quoted-printable' ? 'ybegin ' : '=ybegin ')
}

function fileOf({ name, bytes }: InlineFile): ContainedFile {
  return { name, contentType: null, contentId: null, bytes }
}
