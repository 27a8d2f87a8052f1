/** CRC-32C (Castagnoli, RFC 3720 B.4), the optional checksum of OP_MSG. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}

const reversedPolynomial = 0x82f63b78

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ reversedPolynomial : value >>> 1
  return value
})
