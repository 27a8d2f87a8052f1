/**
 * Results for a model. The text has two blocks: what the service vouches for, as JSON, and what strangers wrote, between markers. The
 * structured content has both, kept apart. A body is included only once, as the connection requests (`Choice.bodies`): in the text, and
 * the structured content names it in `in_text`; or in the structured content, and the text names it in `in_structured`.
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { jsonOf } from '../operations/shared-json.ts'
import { untrustedBlock } from './markers.ts'
import { type BodiesIn, trustedOnly, withoutBodies } from './trust.ts'

/** Shows a result whose untrusted fields are separated. `of` names the result if it contains no id. */
export function resultOf(value: unknown, { bodies, of }: { bodies: BodiesIn; of?: string }): CallToolResult {
  const [structured, told] =
    bodies === 'text' ? [withoutBodies(value, 'in_text'), value] : [value, withoutBodies(value, 'in_structured')]
  const block = untrustedBlock(told, of)
  return {
    structuredContent: structured as { [field: string]: unknown },
    content: [
      { type: 'text', text: jsonOf(trustedOnly(value) as object) },
      ...(block === null ? [] : [{ type: 'text' as const, text: block }]),
    ],
  }
}
