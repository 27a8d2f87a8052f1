import { checkerOf } from '../../mail/lens/check.ts'
import type { LensAnswer, LensFinding, LensSource } from '../../mail/lens/source.ts'
import type { LensField } from '../../schemas/intake.ts'
import type { Context } from '../process/context.ts'
import { askEndpoint, NoAnswer } from './endpoint.ts'
import { type Answered, isAnswer, nameOf, questionOf } from './question.ts'

/**
 * Asks the model in the settings for the fields of a mail. Rejects with `NoAnswer` when the model does not answer in time, does not
 * answer in the requested schema, or gives a value that the mail does not state: a model that invents one value is not trusted with
 * the others either.
 */
export async function askModel(
  ctx: Context,
  { fields, source }: { readonly fields: readonly LensField[]; readonly source: LensSource },
): Promise<LensAnswer> {
  const body = await askEndpoint(ctx, questionOf(fields, source, ctx.settings.lens.model))
  const answered = answerOf(body, fields)
  const check = checkerOf(source)
  return new Map(
    fields.map((field, n): [string, LensFinding | null] => {
      const claim = answered[nameOf(n)] ?? null
      if (claim === null) return [field.key, null]
      const finding = check(field, claim)
      if (finding === null) throw new NoAnswer('the model gave a value that the mail does not state')
      return [field.key, finding]
    }),
  )
}

/** The answer of the model, if it has the requested schema. */
function answerOf(body: string, fields: readonly LensField[]): Answered {
  const content = contentOf(parsed(body))
  if (content === null) throw new NoAnswer('the answer of the endpoint is not a chat completion')
  // Models that do not keep to response_format often put their JSON in a block of Markdown.
  const inner = /^\s*```(?:json)?\s*\n(.*)\n\s*```\s*$/s.exec(content)?.[1] ?? content
  const answer = parsed(inner)
  if (!isAnswer(fields, answer)) throw new NoAnswer('the answer of the model does not match the schema')
  return answer
}

function contentOf(completion: unknown): string | null {
  const { choices } = (completion ?? {}) as { readonly choices?: unknown }
  const [first] = Array.isArray(choices) ? (choices as readonly unknown[]) : []
  const { message } = (first ?? {}) as { readonly message?: unknown }
  const { content } = (message ?? {}) as { readonly content?: unknown }
  return typeof content === 'string' ? content : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
