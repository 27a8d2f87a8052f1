/** What went wrong, where the API has no words for it. */
export const problem = {
  title: 'This did not work',
  unreachable: 'The service cannot be reached.',
  unreachableFix: 'Check the connection. What you typed is still here.',
  again: 'Try again',
  reference: 'About this error',
  request: (id: string) => `Request ${id}`,
}
