import { inflateRawSync } from 'node:zlib'

/** Returns the files of a zip archive by name, found by its central directory (APPNOTE.TXT 4.3.12, 4.3.16). */
export function unzip(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, packed, size] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ]
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset))
    const start = archive.readUInt32LE(at + 42)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength!)
    const body = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28)
    const bytes = archive.subarray(body, body + packed)
    const content = method === 0 ? bytes : inflateRawSync(bytes)
    if (content.length !== size) throw new Error(`${name} has ${content.length} bytes instead of ${size}`)
    files.set(name, content)
    at += 46 + nameLength! + extra! + comment!
  }
  return files
}
