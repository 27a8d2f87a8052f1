/** BINARY (RFC 3516): parts without their transfer encoding. */
import { decodeTransfer } from '../../mail/encoding/transfer.ts'
import type { Part } from '../../mail/message/structure.ts'
import { No } from '../wire/answers.ts'
import { partAt } from '../wire/sections.ts'

/** Returns the decoded bytes of a part, or null when there is no such part. Fails with UNKNOWN-CTE. */
export function decodedPart(shown: Buffer, path: readonly number[], structure: () => Part): Buffer | null {
  if (path.length === 0) return shown
  const part = partAt(structure(), path)
  if (part === null) return null
  if (part.children.length > 0 || part.embedded !== null) return shown.subarray(part.bodyStart, part.bodyEnd)
  if (!known.has(part.encoding)) throw new No('UNKNOWN-CTE', 'The transfer encoding of that part is not supported')
  return decodeTransfer(shown, part.bodyStart, part.bodyEnd, part.encoding)
}

const known: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary', 'base64', 'quoted-printable'])
