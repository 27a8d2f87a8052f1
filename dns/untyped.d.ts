declare module 'siphash' {
  /** SipHash-2-4 of a message; the key is four 32-bit words, the lowest first. */
  export function hash(key: readonly number[], message: Uint8Array): { readonly h: number; readonly l: number }
}
