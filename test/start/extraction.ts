/** Extraction in worker processes of this process, with the cost of each file and the reasons why workers ended. */
import { type ExtractedText, extractText } from '../../core/extraction/extract.ts'
import {
  createExtraction,
  type Extraction,
  type ExtractionLimits,
  extractionLimits,
} from '../../core/extraction/extraction.ts'
import type { Cost } from '../../core/extraction/frames.ts'

export type Sent = { readonly name?: string; readonly contentType?: string; readonly accountId?: string }

export type Extractor = Extraction & {
  /** The text of a file, plain text unless told otherwise. */
  read(content: string | Buffer, sent?: Sent): Promise<ExtractedText | null>
  /** The cost of each file, in order. */
  readonly costs: readonly Cost[]
  /** Why workers ended in the middle of a file. */
  readonly errors: readonly string[]
}

/** Opens an extractor, with one worker by default. */
export function openExtractor(limits: Partial<ExtractionLimits> = {}): Extractor {
  const costs: Cost[] = []
  const errors: string[] = []
  const extraction = createExtraction({
    limits: { ...extractionLimits, workersMax: 1, ...limits },
    onError: ({ message }) => errors.push(message),
    onAnswer: (cost) => costs.push(cost),
  })
  return {
    ...extraction,
    costs,
    errors,
    read: (content, sent) =>
      extractText(
        { extraction },
        { name: '', contentType: 'text/plain', accountId: 'acc_1', ...sent, content: Buffer.from(content) },
      ),
  }
}
