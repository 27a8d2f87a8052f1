/** The secondary servers named in the settings. */
import { isIP } from 'node:net'

export type Secondary = { readonly address: string; readonly port: number }

/** Parses `address:port` and `[address]:port`. Throws if a text is not an IP address with a port. */
export function secondariesOf(texts: readonly string[]): readonly Secondary[] {
  return texts.map((text) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
    const address = bracketed ?? plain ?? ''
    if (isIP(address) === 0)
      throw new Error(`dns.secondaries: ${text} is not an IP address with a port, such as 192.0.2.7:53.`)
    return { address, port: Number(port) }
  })
}
