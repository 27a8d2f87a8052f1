/** Code samples that do the same as a page, with the values of this account filled in. */

export type SampleCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With all parameters filled in, such as `/api/v1/mailboxes/a%40example.com/send`. */
  readonly path: string
  readonly body?: object
  /** The MCP tool that does the same, and its arguments (default: the body). */
  readonly tool?: string
  readonly arguments?: object
}

/** Returns the command for a terminal. The key comes from the environment, because it is shown only once. */
export function curl({ method, path, body }: SampleCall): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${location.origin}${path}`,
    `-H "Authorization: Bearer $MAILROOM_API_KEY"`,
    ...(body === undefined
      ? []
      : [
          `-H "Content-Type: application/json"`,
          `-d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ').replaceAll("'", "'\\''")}'`,
        ]),
  ]
  return lines.join(' \\\n  ')
}

/** Returns the tool call that an MCP client sends. */
export function mcpCall({ tool = '', body = {}, arguments: given = body }: SampleCall): string {
  return JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: given } }, null, 2)
}
