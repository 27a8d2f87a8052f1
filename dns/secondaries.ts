/** The secondaries of the settings. */
import { isIP } from 'node:net'

export type Secondary = { readonly address: string; readonly port: number }

/** Reads `address:port` and `[address]:port`. Throws when one is no IP address with a port. */
export function secondariesOf(texts: readonly string[]): readonly Secondary[] {
  return texts.map((text) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
    const address = bracketed ?? plain ?? ''
    if (isIP(address) === 0)
      throw new Error(`dns.secondaries: ${text} is no IP address and port, such as 192.0.2.7:53.`)
    return { address, port: Number(port) }
  })
}
