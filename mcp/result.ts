/**
 * Results as a model reads them. The text has two blocks, what the service vouches for as JSON and what strangers wrote between
 * markers; the structured content has both, apart. A body stands once: in the text, and the structured content names it in `in_text`;
 * or the other way round, and the text names it in `in_structured`, as the connection asks (`Choice.bodies`).
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { jsonOf } from '../operations/shared-json.ts'
import { untrustedBlock } from './markers.ts'
import { type BodiesIn, trustedOnly, withoutBodies } from './trust.ts'

/** Shows a result whose untrusted fields are separated. `of` names what it is, where no id in it does. */
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
