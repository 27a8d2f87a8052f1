/** Types for the inner modules of mailauth, which ship without: only what is used here. */
declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  import type { ARCData, DKIMResult } from 'mailauth'
  import type { KeyCache } from 'mailauth/lib/tools.js'

  type ParsedHeaders = {
    readonly parsed: readonly { readonly key: string; readonly casedKey: string; readonly line: Buffer }[]
    readonly original: Buffer
  }
  class DkimVerifier {
    constructor(options: { readonly strict: boolean; readonly minBitLength: number })
    keyCache: KeyCache
    headers: ParsedHeaders
    /** One per body canonicalisation, digest and length that the signatures name. */
    readonly bodyHashes: ReadonlyMap<string, unknown>
    readonly arc: ARCData & { keyCache: KeyCache }
    /** Signatures and ARC seals, once the header has been read. */
    readonly signatureHeaders: readonly {
      readonly type: string
      readonly selector?: string
      readonly signingDomain?: string
      /** Why the signature is not verified. */
      readonly invalid?: string
      readonly skip?: boolean
    }[]
    readonly results: DKIMResult[]
    messageHeaders(headers: ParsedHeaders): Promise<void>
    nextChunk(chunk: Buffer): Promise<void>
    finalChunk(): Promise<void>
  }

  export { DkimVerifier }
}

declare module 'mailauth/lib/tools.js' {
  import type { KeyObject } from 'node:crypto'
  import type { AuthStatus, DNSResolver } from 'mailauth'

  type KeyOptions = { readonly strict?: boolean; readonly hashAlgo?: string }
  type PublicKey = {
    readonly publicKey: string | KeyObject
    readonly rr: string
    readonly keyType: string
    readonly modulusLength?: number
    readonly flags: readonly string[]
  }
  type KeyCache = {
    readonly resolver: DNSResolver | undefined
    get(type: string, name: string, minBitLength?: number, options?: KeyOptions): Promise<PublicKey>
  }
  function getPublicKey(
    type: string,
    name: string,
    minBitLength: number | undefined,
    resolver: DNSResolver,
    options?: KeyOptions,
  ): Promise<PublicKey>
  function formatAuthHeaderRow(method: string, status: AuthStatus, options: { readonly strict: boolean }): string

  export { formatAuthHeaderRow, getPublicKey, type KeyCache, type KeyOptions, type PublicKey }
}
