/**
 * A client of clamd (INSTREAM over TCP). Haraka's own plugin reads the message from Haraka's stream, which stays empty here
 * because the bytes are kept exactly as they came (plugins/inbound).
 */
import { connect } from 'node:net'

type Scanner = { readonly address: string; readonly timeoutMs: number; readonly maxBytes: number }

const replyBytesMax = 4_096

/**
 * Whether the message contains a virus; an error if the scanner does not answer. A message larger than `maxBytes` counts as clean,
 * since clamd closes the connection at its StreamMaxLength.
 */
export function findVirus(
  raw: Buffer,
  { address, timeoutMs, maxBytes }: Scanner,
): Promise<'infected' | 'clean' | Error> {
  if (raw.length > maxBytes) return Promise.resolve('clean')
  return new Promise((resolve) => {
    const colon = address.lastIndexOf(':')
    const socket = connect({
      host: address.slice(0, colon).replace(/^\[|\]$/g, ''),
      port: Number(address.slice(colon + 1)),
    })
    let reply = ''
    const finish = (result: 'infected' | 'clean' | Error) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(result)
    }
    const timer = setTimeout(() => finish(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs)
    socket.on('error', finish)
    socket.on('connect', () => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(raw.length)
      socket.write('zINSTREAM\0')
      if (raw.length > 0) {
        socket.write(length)
        socket.write(raw)
      }
      socket.write(Buffer.alloc(4)) // a length of 0 ends the stream
    })
    socket.on('data', (bytes) => {
      reply += bytes.toString('latin1')
      if (reply.includes('\0') || reply.length > replyBytesMax) finish(verdictOf(reply))
    })
    socket.on('end', () => finish(verdictOf(reply)))
  })
}

/** Parses `stream: OK`, `stream: <name> FOUND`, or an error in clamd's words. */
function verdictOf(reply: string): 'infected' | 'clean' | Error {
  const text = reply.replace(/\0.*$/s, '').trim()
  if (text.endsWith(' FOUND')) return 'infected'
  if (text === 'stream: OK') return 'clean'
  return new Error(`clamd: ${text.slice(0, 200)}`)
}
