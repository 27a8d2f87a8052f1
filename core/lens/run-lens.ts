/** Lens: the fields of a mail, each with the place where the mail states it. */
import { readFields } from '../../mail/lens/read-fields.ts'
import type { LensAnswer, LensEvidence, LensSource, LensValue } from '../../mail/lens/source.ts'
import type { LensField } from '../../schemas/intake.ts'
import type { Context } from '../process/context.ts'

export type LensEngine = 'rules' | 'model'

/** Values under the keys of the fields, evidence beside them, and who answered. */
export type LensResult = {
  readonly lens: { readonly [key: string]: LensValue | null }
  readonly lensEvidence: { readonly [key: string]: LensEvidence | null }
  readonly lensEngine: LensEngine
}

/** Reads fields of a mail; with `quoted` also of the history that it quotes. */
export async function runLens(
  _ctx: Context,
  { fields, source, quoted }: { fields: readonly LensField[]; source: LensSource; quoted: boolean },
): Promise<LensResult> {
  return resultOf(readFields(fields, quoted ? { ...source, quoted: [] } : source), 'rules')
}

function resultOf(answer: LensAnswer, engine: LensEngine): LensResult {
  const found = [...answer]
  return {
    lens: Object.fromEntries(found.map(([key, finding]) => [key, finding?.value ?? null])),
    lensEvidence: Object.fromEntries(found.map(([key, finding]) => [key, finding?.evidence ?? null])),
    lensEngine: engine,
  }
}
