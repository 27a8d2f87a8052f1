/** A zip archive of files, which is made while it is read. */
import { Readable } from 'node:stream'
import yazl from 'yazl'
import type { ExportedFile } from './export.ts'

/** The bytes of the archive, in pieces of at least `pieceBytes` except the last. Rejects when a file cannot be read. */
export async function* archiveOf(
  files: readonly ExportedFile[],
  { mtime, pieceBytes }: { mtime: Date; pieceBytes: number },
): AsyncGenerator<Buffer> {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  let reading: Readable | undefined
  for (const { name, content } of files)
    zip.addReadStreamLazy(name, { mtime }, (give) => {
      reading = Readable.from(content())
      // The library does not handle errors of the streams that it reads.
      reading.once('error', (error) => output.destroy(error))
      give(null, reading)
    })
  zip.end()
  let waiting: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of output as AsyncIterable<Buffer>) {
      waiting.push(part)
      bytes += part.length
      if (bytes < pieceBytes) continue
      yield Buffer.concat(waiting)
      waiting = []
      bytes = 0
    }
    if (bytes > 0) yield Buffer.concat(waiting)
  } finally {
    // The caller may stop reading before the end.
    reading?.destroy()
  }
}
