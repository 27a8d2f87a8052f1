/** Packed files: the packages (ZIP) that OpenDocument and Office Open XML consist of. */
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { limits } from '../limits.ts'

export type Package = {
  /** The names of its parts, as they are written. */
  readonly names: readonly string[]
  /**
   * Unpacks the first `partBytesMax` bytes of a part. Null when no part has that name. Throws when it is broken, encrypted,
   * or, together with the others, too large.
   */
  read(name: string): Promise<Buffer | null>
}

/**
 * Reads the directory of a package. At most `unpackedBytesMax` bytes are unpacked in all, whatever the directory says.
 * Throws when the package is broken or has too many parts.
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

/** The stream fails when it has more bytes than the directory says. */
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
