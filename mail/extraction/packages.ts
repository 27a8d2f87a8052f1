/** Tells by its parts which document a package is. */
import type { FileText, NamedFile } from './file-type.ts'
import { mainPartOf } from './office-parts.ts'
import { openPackage } from './package.ts'

/** The text of the document in a package. Null for other kinds of packages and plain archives. Throws when it is broken. */
export async function readPackage({ content }: NamedFile): Promise<FileText | null> {
  const parts = await openPackage(content)
  if (parts.names.includes('content.xml')) return (await import('./open-document.ts')).readOpenDocument(parts)
  const main = await mainPartOf(parts)
  if (main?.startsWith('word/')) return (await import('./word-document.ts')).readWordDocument(parts, main)
  if (main?.startsWith('xl/')) return (await import('./workbook.ts')).readWorkbookPackage(parts)
  return null
}
