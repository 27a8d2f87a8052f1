/** Envelopes and body structures of messages, built on first use and cached in bounded memory. */
import type { Context } from '../../core/process/context.ts'
import { createKept, type Kept } from '../../core/process/kept.ts'
import { readStructure } from '../../mail/message/structure.ts'
import { bodyStructureOf } from '../wire/body-structure.ts'
import { envelopeOf, hasAddressInUtf8 } from '../wire/envelope.ts'

/** The envelope and structure of a message in wire form. */
export type Described = {
  readonly envelope: string
  /** The envelope with addresses in UTF-8; null when all of its addresses are ASCII. */
  readonly envelopeInUtf8: string | null
  readonly body: string
  readonly bodyStructure: string
}

const keptChars = 24 * 1024 * 1024
const keptMs = 60 * 60_000

export type Structures = Kept<Described>

export const createStructures = ({ clock }: Pick<Context, 'clock'>): Structures =>
  createKept<Described>(clock, {
    max: keptChars,
    weigh: ({ envelope, envelopeInUtf8, body, bodyStructure }) =>
      envelope.length + (envelopeInUtf8?.length ?? 0) + body.length + bodyStructure.length + 200,
    ttlMs: keptMs,
    renewOnUse: true,
  })

/** Builds the envelope and structure of a message. */
export function describe(shown: Buffer): Described {
  const { root } = readStructure(shown)
  return {
    envelope: envelopeOf(root.fields),
    envelopeInUtf8: hasAddressInUtf8(root.fields) ? envelopeOf(root.fields, 'utf8') : null,
    body: bodyStructureOf(root, false),
    bodyStructure: bodyStructureOf(root, true),
  }
}
