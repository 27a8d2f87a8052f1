/** Types of the parts that we use of two Haraka packages without types. */
declare module 'haraka-constants' {
  export const cont: number
  export const deny: number
  export const denysoft: number
  export const denydisconnect: number
  export const denysoftdisconnect: number
  export const ok: number
  export const connection: { readonly state: { readonly CMD: number; readonly DATA: number; readonly LOOP: number } }
}

declare module 'haraka-dsn' {
  /** A reply with its own code, which Haraka sends in place of the hook's usual one. */
  class DSN {
    static create(code: number, text: string, subject: number, detail: number): DSN
    readonly code: number
    readonly reply: string
  }
  export = DSN
}
