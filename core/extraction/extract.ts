import { fileTypeOf } from '../../mail/extraction/file-type.ts'
import type { ExtractedText } from '../../mail/extraction/read-file.ts'
import { limits } from '../../mail/limits.ts'
import type { Extraction, FileOfAccount } from './extraction.ts'

export type { ExtractedText } from '../../mail/extraction/read-file.ts'

/**
 * Reads the text of an attachment in a worker process: PDF, Word, spreadsheets, OpenDocument, RTF, plain text, HTML. `content` is decoded,
 * and not changed meanwhile; `contentType` may have parameters. Null for other forms, and for a file without text, broken, encrypted or over a limit. Fails with
 * `unavailable` when too many files wait, or the process stops: it is to be asked for again.
 */
export async function extractText(
  { extraction }: { readonly extraction: Extraction },
  file: FileOfAccount,
): Promise<ExtractedText | null> {
  if (file.content.length > limits.extractedFileBytesMax || fileTypeOf(file) === null) return null
  return extraction.run(file)
}
