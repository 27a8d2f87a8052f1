import { type AddressInfo, createServer } from 'node:net'

/** Returns a port of 127.0.0.1 that was free a moment ago, for a server that cannot report the port it chose. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
