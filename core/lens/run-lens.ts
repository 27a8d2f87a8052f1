/**
 * Lens: the fields of a mail, each with the place where the mail states it. If the settings name a model, it is asked first; when it
 * fails, takes too long or invents a value, the rules of the service read all fields. One engine answers all fields of a mail, so
 * that `lensEngine` says where each value comes from.
 */
import type { LensAnswer, LensEvidence, LensSource, LensValue } from '../../mail/lens/source.ts'
import type { LensField } from '../../schemas/intake.ts'
import { isUnreadable } from '../parsing/parsing.ts'
import type { Context } from '../process/context.ts'
import { NoAnswer } from './endpoint.ts'

export type LensEngine = 'rules' | 'model'

/** The values and their evidence, by the keys of the fields, and the engine that answered. */
export type LensResult = {
  readonly lens: { readonly [key: string]: LensValue | null }
  readonly lensEvidence: { readonly [key: string]: LensEvidence | null }
  readonly lensEngine: LensEngine
}

type Question = { readonly fields: readonly LensField[]; readonly source: LensSource }

/**
 * Reads fields of a mail; with `quoted` also of the history that it quotes. Fails with `unavailable` when too many large mails
 * wait to be read.
 */
export async function runLens(
  ctx: Context,
  { fields, source, quoted }: Question & { readonly quoted: boolean },
): Promise<LensResult> {
  const question = { fields, source: quoted ? { ...source, quoted: [] } : source }
  if (ctx.settings.lens.url !== null)
    try {
      const { askModel } = await import('./ask-model.ts')
      return resultOf(await askModel(ctx, question), 'model')
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      ctx.log.warn({ reason: error.message }, 'the model did not read the fields of a mail; the rules do')
    }
  return resultOf(await byRules(ctx, question), 'rules')
}

/** Reads the fields by rules, long texts in a worker thread. A mail that cannot be read in time has no values. */
async function byRules(ctx: Context, question: Question): Promise<LensAnswer> {
  try {
    return new Map(await ctx.parsing.run('lens', { raw: Buffer.from(JSON.stringify(question)) }))
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return new Map(question.fields.map(({ key }) => [key, null]))
  }
}

function resultOf(answer: LensAnswer, engine: LensEngine): LensResult {
  const found = [...answer]
  return {
    lens: Object.fromEntries(found.map(([key, finding]) => [key, finding?.value ?? null])),
    lensEvidence: Object.fromEntries(found.map(([key, finding]) => [key, finding?.evidence ?? null])),
    lensEngine: engine,
  }
}
