/** Scores signature removal: plain texts with a signature, which must be removed, and texts without one, which must stay whole. */
import { isSameText, type Outcome } from './outcomes.ts'
import { labelledTexts, replyCase, replyOutcome } from './reply.ts'

export function signatures(file: string): readonly Outcome[] {
  return labelledTexts(file).map((labelled) => {
    const set = isSameText(labelled.input, labelled.expected) ? 'without a signature' : 'with a signature'
    return { ...replyOutcome(replyCase({ ...labelled, set })), id: `${labelled.set} ${labelled.id}` }
  })
}
