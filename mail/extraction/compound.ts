/** Compound files ([MS-CFB]): the format of older Word and Excel, and the container of encrypted documents of the newer ones. */
import { CFB } from '@e965/xlsx'
import type { FileText, NamedFile } from './file-type.ts'

/** The text of the document in a compound file. Null for other kinds. Throws when it is broken or encrypted. */
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
