/** Compound files ([MS-CFB]): what older Word and Excel write, and what holds encrypted documents of the newer ones. */
import { CFB } from '@e965/xlsx'
import type { FileText, NamedFile } from './file-type.ts'

/** The text of the document that a compound file is. Null for other kinds. Throws at what is broken or encrypted. */
export async function readCompound({ content }: NamedFile): Promise<FileText | null> {
  const container = CFB.read(content, { type: 'buffer' }) as Container
  const stream = (name: string): Buffer | null => {
    const found = container.FileIndex.find((entry) => entry.name === name)?.content
    return found === undefined ? null : Buffer.from(found)
  }
  const document = stream('WordDocument')
  if (document !== null) return (await import('./old-word-document.ts')).readOldWordDocument(document, stream)
  const isWorkbook = stream('Workbook') !== null || stream('Book') !== null
  return isWorkbook ? (await import('./workbook.ts')).readOldWorkbook(content) : null
}

type Container = { readonly FileIndex: readonly { readonly name: string; readonly content?: Uint8Array }[] }
