import type { CallToolResult } from '@modelcontextprotocol/server'
import { extension } from 'mime-types'
import { readPlainText, type TextPiece, type TextRange } from '../core/read/bodies.ts'
import type { Bytes } from '../operations/registry.ts'
import {
  boolean,
  integer,
  type JsonSchema,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
  untrusted,
} from '../schemas/infer.ts'
import { notACursor } from '../schemas/refusals.ts'
import { resultOf } from './result.ts'
import { type BodiesIn, separated } from './trust.ts'

/** Largest file that is put into a result (decisions.md 4, MCP results). */
const embeddedBytesMax = 1024 * 1024
/** Most characters of a text file in one result. */
const textCharactersMax = 20_000

export const cursorField: JsonSchema = string({
  maxLength: 20,
  description: 'next of the result whose text was cut.',
})

/** The result of a tool that fetches bytes, before its untrusted fields are separated. */
export const bytesResult = object({
  success: boolean({ const: true }),
  form: oneOf(['text', 'resource', 'link'], {
    description: 'text: read here; resource: embedded; link: too large, fetch url before expires_at.',
  }),
  size: integer({ description: 'Bytes.' }),
  url: string({ format: 'uri', description: 'A link works without a key; otherwise send it as a Bearer token.' }),
  expires_at: nullable(timestamp({ description: 'When the link ends.' })),
  next: nullable(string({ description: 'Pass as cursor to continue a text.' })),
  name: untrusted(nullable(string())),
  content_type: untrusted(string()),
  text: optional(untrusted(string())),
})

/**
 * Shows bytes to a model: text between markers, another file up to 1 MB as an embedded resource, a larger one as a link
 * that needs no key. `address` is the URL of the same bytes in the REST API. Fails with `validation_error` for a malformed
 * cursor, and for any cursor if the file is not text.
 */
export async function showBytes(
  { content, contentType, name, text: readText, link: makeLink }: Bytes,
  { address, bodies, given }: { address: string; bodies: BodiesIn; given: { readonly [name: string]: unknown } },
): Promise<CallToolResult> {
  const { attachment_id, cursor, message_id } = given
  const read = async (piece: TextRange) => (readText ? await readText(piece) : readPlainText(content, piece))
  const text = isText(contentType) ? await pieceAt(cursor, read) : null
  if (text === null && cursor !== undefined) throw notACursor('cursor', 'this file')
  // A client that reads only the structured content does not see embedded resources.
  const isEmbedded = content.length <= embeddedBytesMax && bodies === 'text'
  const form = text !== null ? 'text' : isEmbedded ? 'resource' : 'link'
  const link = form === 'link' && makeLink !== undefined ? await makeLink() : null
  const url = link?.url ?? address
  const result = separated(bytesResult, {
    success: true,
    form,
    size: content.length,
    url,
    expires_at: link?.expiresAt.toISOString() ?? null,
    next: text?.next?.toString() ?? null,
    name,
    content_type: contentType,
    ...(text !== null && { text: text.text }),
  })
  const shown = resultOf(result, { bodies, of: `${attachment_id} of ${message_id}` })
  if (form === 'link')
    return { ...shown, content: [...shown.content, { type: 'resource_link', uri: url, name: 'file' }] }
  if (form === 'text') return shown
  const resource = { uri: url, mimeType: knownType(contentType), blob: content.toString('base64') }
  return { ...shown, content: [...shown.content, { type: 'resource', resource }] }
}

/** The type of a file if it is a registered one. Any other text was written by the sender, so it appears only between the markers. */
function knownType(contentType: string): string {
  return extension(contentType) === false ? 'application/octet-stream' : contentType
}

function isText(contentType: string): boolean {
  return /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|x-sh|javascript))$/i.test(contentType)
}

/** Reads the piece of a text at which a cursor continues; null if the cursor is malformed. */
async function pieceAt(
  cursor: unknown,
  read: (piece: TextRange) => Promise<TextPiece | null>,
): Promise<TextPiece | null> {
  if (cursor !== undefined && !(typeof cursor === 'string' && /^\d{1,15}$/.test(cursor))) return null
  return read({ from: Number(cursor ?? 0), charsMax: textCharactersMax })
}
