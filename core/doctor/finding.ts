/** The result of examining one thing that the mail of a domain depends on. */
export type Finding = {
  readonly what: string
  /** `warn`: mail is delivered, but something could be better. */
  readonly state: 'ok' | 'warn' | 'bad'
  readonly found: string
  /** What to change; null: nothing needs a change. */
  readonly fix: string | null
}

export const good = (what: string, found: string): Finding => ({ what, state: 'ok', found, fix: null })
export const poor = (what: string, found: string, fix: string): Finding => ({ what, state: 'warn', found, fix })
export const bad = (what: string, found: string, fix: string): Finding => ({ what, state: 'bad', found, fix })

/** The finding when the DNS did not answer, which says nothing about the domain. */
export const unanswered = (what: string, question: string): Finding =>
  poor(what, `The DNS did not answer about ${question}.`, 'Try again, and look whether its name servers answer.')
