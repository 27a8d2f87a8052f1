import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from '../eventually.ts'

/**
 * A client that sends a line after the greeting and never ends its half of the connection. Resolves when the server has closed the
 * connection entirely, with what the client received and the error by which it noticed.
 */
export async function keepHalfOpen(address: string, line: string): Promise<{ heard: string; code: unknown }> {
  const [host, port] = address.split(':')
  const socket = connect({ host, port: Number(port), allowHalfOpen: true }).setEncoding('latin1')
  let heard = ''
  socket.on('data', (text) => {
    heard += text
  })
  const failed = once(socket, 'error')
  const ended = once(socket, 'end')
  await eventually('it is greeted', () => heard.includes('\r\n'))
  socket.write(line)
  await ended
  await eventually('nobody is there', () => {
    if (!socket.destroyed) socket.write('NOOP\r\n')
    return socket.destroyed
  })
  const [{ code }] = (await failed) as [{ code: unknown }]
  return { heard, code }
}
