/** The same thing as a program does it, with the values of this account filled in. */

export type SampleCall = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With everything that is known in it, such as `/api/v1/mailboxes/a%40example.com/send`. */
  readonly path: string
  readonly body?: object
  /** The MCP tool that does it, with its arguments (default: the body). */
  readonly tool?: string
  readonly arguments?: object
}

/** The command for a terminal; the key is read from the environment, as it is shown only once. */
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

/** The call of a tool, as an MCP client sends it. */
export function mcpCall({ tool = '', body = {}, arguments: given = body }: SampleCall): string {
  return JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: given } }, null, 2)
}
