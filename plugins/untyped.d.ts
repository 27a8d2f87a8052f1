/** What we use of the two Haraka packages that ship without types. */
declare module 'haraka-constants' {
  export const cont: number
  export const deny: number
  export const denysoft: number
  export const denydisconnect: number
  export const denysoftdisconnect: number
  export const ok: number
}

declare module 'haraka-dsn' {
  /** A reply with its own code: Haraka takes `code` and `reply` from it in place of the hook's usual code. */
  class DSN {
    static create(code: number, text: string, subject: number, detail: number): DSN
    readonly code: number
    readonly reply: string
  }
  export = DSN
}
