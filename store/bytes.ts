/** Converts between bytes and the database's Binary. */
import { Binary } from 'mongodb'

export const toBinary = (bytes: Uint8Array): Binary => new Binary(bytes)
export const fromBinary = (binary: Binary): Buffer =>
  Buffer.from(binary.buffer.buffer, binary.buffer.byteOffset, binary.length())
