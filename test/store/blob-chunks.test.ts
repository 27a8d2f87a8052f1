import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { chunkBytes, pack, unpack } from '../../store/blob-chunks.ts'

const KiB = 1024
const textOf = (sizeBytes: number) => Buffer.alloc(sizeBytes, 'Lorem ipsum dolor sit amet.\r\n')

describe('store: bytes of bodies in chunks', () => {
  for (const [name, bytes, zstd] of [
    ['nothing', Buffer.alloc(0), [false]],
    ['what fits a page of the database is kept as it is', textOf(7 * KiB), [false]],
    ['what does not is compressed', textOf(7 * KiB + 1), [true]],
    ['but for what is as large then', randomBytes(64 * KiB), [false]],
    ['more than goes without the thread pool', textOf(512 * KiB), [true]],
    ['several chunks, the last of which is small', textOf(2 * chunkBytes + KiB), [true, true, false]],
  ] as const)
    it(name, async () => {
      const packed = await pack(bytes)
      expect(packed.map((chunk) => chunk.zstd)).to.deep.equal(zstd)
      const parts = await Promise.all(packed.map((chunk, n) => unpack(chunk, n, bytes.length)))
      expect(Buffer.concat(parts).equals(bytes)).to.equal(true)
    })
})
