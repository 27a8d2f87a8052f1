/** What went wrong, where the API has no words for it. */
export const problem = {
  title: 'This did not work',
  unreachable: 'The service cannot be reached.',
  unreachableFix: 'Check the connection, or try again in a moment.',
  unreachableForm: 'Check the connection. What you typed is still here.',
  answeredBefore: (status: number) => `The service is away: what stands before it answered with status ${status}.`,
  /** What an error of the API is about, by its code; null where the sentences of the API are in the language of the page. */
  codes: null as Readonly<Record<string, string>> | null,
  /** Before what the API says of one field; null as with `codes`. */
  field: null as string | null,
  again: 'Try again',
  reference: 'About this error',
  request: (id: string) => `Request ${id}`,
}
