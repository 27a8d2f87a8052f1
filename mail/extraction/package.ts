/** Packed files: the packages (ZIP) that OpenDocument and Office Open XML consist of. */
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { limits } from '../limits.ts'

export type Package = {
  /** The names of its parts, as they are written. */
  readonly names: readonly string[]
  /**
   * Unpacks a part, the first `partBytesMax` bytes of it. Null when there is none of that name. Throws at one that is broken, encrypted,
   * or too much with the others.
   */
  read(name: string): Promise<Buffer | null>
}

/**
 * Reads the directory of a package. What is unpacked is at most `unpackedBytesMax` bytes in all, whatever the directory says.
 * Throws at one that is broken or has too many parts.
 */
export async function openPackage(content: Buffer): Promise<Package> {
  const zip = await fromBufferPromise(content, { lazyEntries: true })
  if (zip.entryCount > limits.packagePartsMax) throw new Error('The package has too many parts.')
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  const room = { bytes: limits.unpackedBytesMax }
  return {
    names: [...entries.keys()],
    async read(name) {
      const entry = entries.get(name)
      return entry === undefined ? null : unpack(zip, entry, room)
    },
  }
}

/** The stream ends with an error when there is more in it than the directory says. */
async function unpack(zip: ZipFile, entry: Entry, room: { bytes: number }): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    room.bytes -= chunk.length
    if (room.bytes < 0) throw new Error('The package is too large.')
    if (bytes >= limits.partBytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, limits.partBytesMax)
}
