import { fileTypeOf } from '../../mail/extraction/file-type.ts'
import type { ExtractedText } from '../../mail/extraction/read-file.ts'
import { limits } from '../../mail/limits.ts'
import type { Extraction, FileOfAccount } from './extraction.ts'

export type { ExtractedText } from '../../mail/extraction/read-file.ts'

/**
 * Reads the text of an attachment in a worker process: PDF, Word, spreadsheets, OpenDocument, RTF, plain text, HTML. `content` is
 * decoded, and must not change meanwhile; `contentType` may have parameters. Returns null for other types, and for a file that has no
 * text, is broken or encrypted, or exceeds a limit. Fails with `unavailable` when too many files wait, or the process stops: a retry
 * may succeed.
 */
export async function extractText(
  { extraction }: { readonly extraction: Extraction },
  file: FileOfAccount,
): Promise<ExtractedText | null> {
  if (file.content.length > limits.extractedFileBytesMax || fileTypeOf(file) === null) return null
  return extraction.run(file)
}
