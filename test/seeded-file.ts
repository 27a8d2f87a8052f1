/** Large files whose bytes follow from a seed: no two places are alike, and there are stretches of zeros between them. */
import { createCipheriv, createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const blockBytes = 1024 * 1024

/** Writes a file of `sizeBytes` bytes while they are generated. Returns their SHA-256 in hexadecimal. */
export async function writeSeededFile(file: string, sizeBytes: number, seed: number): Promise<string> {
  const hash = createHash('sha256')
  const hashed = async function* () {
    for (const block of seededBlocks(sizeBytes, seed)) {
      hash.update(block)
      yield block
    }
  }
  await pipeline(Readable.from(hashed()), createWriteStream(file))
  return hash.digest('hex')
}

/** Generates blocks in turn: noise, zeros that end in the block number, lines of text, noise. The last block has the remaining length. */
function* seededBlocks(sizeBytes: number, seed: number): Generator<Buffer> {
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16))
  const zeros = Buffer.alloc(blockBytes)
  for (let n = 0; n * blockBytes < sizeBytes; n++) {
    const block = n % 4 === 1 ? Buffer.alloc(blockBytes) : n % 4 === 2 ? text(n) : noise.update(zeros)
    block.writeUInt32BE(n, blockBytes - 4)
    yield block.subarray(0, sizeBytes - n * blockBytes)
  }
}

function text(n: number): Buffer {
  const line = `${n} The quick brown fox jumps over the lazy dog.\n`
  return Buffer.alloc(blockBytes, line)
}
