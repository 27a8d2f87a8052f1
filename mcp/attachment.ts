import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Bytes } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
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
import { untrustedBlock } from './markers.ts'
import { apart, trustedOnly } from './trust.ts'

/** Largest file that is put into a result (decisions.md 4, MCP results). */
const embeddedBytesMax = 1024 * 1024
/** Most characters of a text file in one result. */
const textCharactersMax = 20_000

export const cursorField: JsonSchema = string({ maxLength: 20, description: 'next of the result whose text was cut.' })

/** What a tool that fetches bytes answers, before trusted and untrusted are put apart. */
export const bytesResult = object({
  success: boolean({ const: true }),
  form: oneOf(['text', 'resource', 'link'], {
    description: 'text: read here; resource: embedded; link: too large, fetch url before expires_at.',
  }),
  size: integer({ description: 'Bytes.' }),
  url: string({ format: 'uri', description: 'A link works without a key; otherwise send it as a Bearer token.' }),
  expires_at: nullable(timestamp({ description: 'When the link ends.' })),
  next: nullable(string({ description: 'Pass as cursor to read on in a text.' })),
  name: untrusted(nullable(string())),
  content_type: untrusted(string()),
  text: optional(untrusted(string())),
})

/**
 * Shows bytes to a model: text as text between markers, other files up to 1 MB as an embedded resource, larger ones as a link
 * that needs no key. `address` is where the REST API has them. Fails with `validation_error` for a bad cursor.
 */
export async function showBytes(
  { content, contentType, name, link: makeLink }: Bytes,
  { address, cursor }: { address: string; cursor?: unknown },
): Promise<CallToolResult> {
  const text = isText(contentType) ? pieceOf(decode(content), cursor) : null
  const form = text !== null ? 'text' : content.length <= embeddedBytesMax ? 'resource' : 'link'
  const link = form === 'link' && makeLink !== undefined ? await makeLink() : null
  const url = link?.url ?? address
  const result = apart(bytesResult, {
    ...{ success: true, form, size: content.length, url, expires_at: link?.expiresAt.toISOString() ?? null },
    ...{ next: text?.next ?? null, name, content_type: contentType },
    ...(text !== null && { text: text.piece }),
  })
  const block = untrustedBlock(result)
  return {
    structuredContent: result as { [field: string]: unknown },
    content: [
      { type: 'text', text: JSON.stringify(trustedOnly(result)) },
      ...(block === null ? [] : [{ type: 'text' as const, text: block }]),
      ...(form === 'resource'
        ? [
            {
              type: 'resource' as const,
              resource: { uri: url, mimeType: contentType, blob: content.toString('base64') },
            },
          ]
        : []),
    ],
  }
}

function isText(contentType: string): boolean {
  return /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(json|xml|yaml|x-yaml|x-sh|javascript))$/i.test(contentType)
}

/** UTF-8, else Windows-1252, which takes any bytes. */
function decode(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return new TextDecoder('windows-1252').decode(content)
  }
}

function pieceOf(text: string, cursor: unknown): { piece: string; next: string | null } {
  const start = cursor === undefined ? 0 : Number(cursor)
  if (!Number.isSafeInteger(start) || start < 0 || start > text.length)
    throw new Failure('validation_error', '"cursor" is not a cursor of this text.', { param: 'cursor' })
  let end = Math.min(text.length, start + textCharactersMax)
  if (/[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length) end -= 1
  return { piece: text.slice(start, end), next: end < text.length ? String(end) : null }
}
