/**
 * `mailroom mcp-listing`: prints the entry of this instance for the registry of MCP servers (its server.json, schema of 2025-12-11). A
 * listing describes an instance, not the program: its name is in a namespace that the publisher owns, which is the host of `baseUrl`
 * reversed, and its address is the one that clients connect to.
 */
import { isIP } from 'node:net'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import type { Io } from './io.ts'

const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** Prints the listing. Fails as `listingOf` does. */
export async function mcpListing({ out, settings }: Io): Promise<void> {
  out(`${JSON.stringify(listingOf(settings().baseUrl, serviceVersion()), null, 2)}\n`)
}

/** The listing of an instance. Fails with `validation_error` without a `baseUrl` with https and a public host name. */
export function listingOf(baseUrl: string | null, version: string) {
  const { protocol, hostname, host } = new URL(baseUrl ?? 'http://localhost')
  if (protocol !== 'https:' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || !hostname.includes('.'))
    throw new Failure('validation_error', 'A listing needs the public https address of this instance.', {
      param: 'baseUrl',
      fix: 'Set baseUrl, such as "https://mail.example.org".',
    })
  return {
    $schema: schema,
    name: `${hostname.split('.').reverse().join('.')}/mailroom`,
    title: 'Mailroom',
    description: 'Real mailboxes for software agents: read, search, answer and send mail, and wait for codes.',
    version,
    remotes: [
      {
        type: 'streamable-http',
        url: `https://${host}/api/mcp`,
        headers: [
          {
            name: 'Authorization',
            description: '"Bearer " and an API key (svc_live_...); not needed by clients that speak OAuth.',
            placeholder: 'Bearer svc_live_...',
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  }
}
