/** How a command ends: OK, NO with a response code, or BAD. */

/** The command was understood but cannot be carried out (RFC 9051 7.1.2). */
export class No extends Error {
  readonly responseCode: string | null

  constructor(responseCode: string | null, text: string) {
    super(text)
    this.name = 'No'
    this.responseCode = responseCode
  }
}

/** The command could not be read, or is not allowed in this state (RFC 9051 7.1.3). */
export class Bad extends Error {
  readonly responseCode: string | null

  constructor(text: string, responseCode: string | null = null) {
    super(text)
    this.name = 'Bad'
    this.responseCode = responseCode
  }
}

/** The outcome of a command that succeeded. */
export type Done = { readonly responseCode?: string; readonly text?: string }

/** Returns `[CODE] text` in printable ASCII. */
export function told(responseCode: string | null | undefined, text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?')
  return responseCode === null || responseCode === undefined ? plain : `[${responseCode}] ${plain}`
}
