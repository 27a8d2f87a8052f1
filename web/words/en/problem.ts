/** Errors for which the API has no text in the language of the page. */
export const problem = {
  title: 'This did not work',
  unreachable: 'The service cannot be reached.',
  unreachableFix: 'Check the connection, or try again in a moment.',
  unreachableForm: 'Check the connection. What you typed is still here.',
  answeredBefore: (status: number) =>
    `The service is unavailable: a proxy in front of it answered with status ${status}.`,
  /** What an API error is about, by its code; null if the API's texts are in the language of the page. */
  codes: null as Readonly<Record<string, string>> | null,
  /** The text before the API's error about one field; null as with `codes`. */
  field: null as string | null,
  again: 'Try again',
  reference: 'About this error',
  request: (id: string) => `Request ${id}`,
}
